package interp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// A jobCall is a command, or a pipeline, that runs as a job.
type jobCall struct {
	f       *frame
	site    *site
	job     *world.Job
	outputs []int // our descriptors, to which its outputs go
	pos     ast.Pos
	place   *durable.Place // of a durable script, whose journal knows the job; nil: none does
	forget  func()         // when its end is on disk; nil: nothing is to be done
	redirection
}

// buildJob makes a job of programs. What can be wrong with them is found before anything is submitted.
func (f *frame) buildJob(ctx context.Context, p *site,
	stages []*ast.Command, joins []ast.Join, words [][]string) (*jobCall, error) {
	t := &jobCall{f: f, site: p, pos: stages[0].Pos,
		redirection: redirection{frame: f, inside: f.withDescriptors(), list: stages[0].Redirects, words: words[0]}}
	var err error
	if t.job, err = f.newJob(t.pos); err != nil {
		return nil, f.announceFailure(newFailure(systemOr(KindError, err), t.pos, err.Error()))
	}
	if err := t.build(ctx, stages, joins, words); err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

// build writes the script of the job, in which every word is a parameter.
func (t *jobCall) build(ctx context.Context, stages []*ast.Command, joins []ast.Join, words [][]string) error {
	for i, stage := range stages {
		for _, word := range words[i] {
			t.job.AddWord(word)
		}
		if err := t.redirects(ctx, stage.Redirects, i == len(joins)); err != nil {
			return err
		}
		if i < len(joins) {
			t.job.Script += "|"
			if joins[i].Stderr {
				t.job.Script += "&"
			}
			t.job.Script += " "
		}
	}
	return t.checkTravels(stages[0])
}

// redirects adds the redirections of a stage, which may be the last.
func (t *jobCall) redirects(ctx context.Context, list []*ast.Redirect, last bool) error {
	for i, n := range list {
		if err := t.redirect(ctx, n, list[:i], last); err != nil {
			return t.failure(ctx, n, err)
		}
	}
	return nil
}

// redirect adds one redirection. Files are opened where the job runs; what variables hold or
// will hold travels in files of the job's folder.
func (t *jobCall) redirect(ctx context.Context, n *ast.Redirect, before []*ast.Redirect, last bool) error {
	f := t.f
	if n.FD >= 0 {
		t.job.Script += strconv.Itoa(n.FD)
	}
	switch n.Op {
	case ast.DupOut, ast.DupIn:
		if n.Dup > 2 && !reads(before, n.Dup) && t.f.io.files[n.Dup] != closed {
			return t.cannotTravel(n.Pos, n.Dup)
		}
		t.job.Script += fmt.Sprintf("%s%d ", n.Op, n.Dup)
		return nil
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
		op := ast.Append
		if n.Op == ast.BothVar || n.Op == ast.AppendBothVar {
			op = ast.AppendBoth
		}
		t.job.Script += op.String() + " "
		t.job.AddOutput()
		return t.takeOutput(n)
	case ast.FromVar, ast.Here, ast.HereTabs:
		return t.addInput(n)
	}
	name, err := f.redirectWord(n.Target)
	if err != nil {
		return f.failWith(err, n.Pos)
	}
	if name == "" {
		return fmt.Errorf("%s needs the name of a file, found an empty word", n.Op)
	}
	if fd, ok := f.run.World.Named(f.state.dir, strings.Replace(name, "/proc/self/fd/", "/dev/fd/", 1)); ok {
		return t.redirectToShell(n, name, fd, before, last)
	}
	if n.Op == ast.Atomic {
		t.job.Origin.Targets = append(t.job.Origin.Targets, f.run.Secrets.Text(name))
	}
	t.job.Script += n.Op.String() + " "
	t.job.AddWord(name)
	return ctx.Err()
}

// reads reports whether a redirection concerns a descriptor.
func reads(list []*ast.Redirect, fd int) bool {
	return slices.ContainsFunc(list, func(r *ast.Redirect) bool { return redirected(r) == fd })
}

// redirected is the descriptor that a redirection is of.
func redirected(r *ast.Redirect) int {
	switch r.Op {
	case ast.In, ast.DupIn, ast.FromVar, ast.Here, ast.HereTabs:
		return fdOr(r, 0)
	}
	return fdOr(r, 1)
}

// addInput adds the exact bytes of a value or of a here-document.
func (t *jobCall) addInput(n *ast.Redirect) error {
	f := t.f
	var input value.Value
	if n.Op == ast.FromVar {
		var set bool
		if input, set = f.Variable(&n.Var); !set && !f.Lenient() {
			return f.faultAt(n.Pos, fmt.Sprintf("%s is not defined", n.Var.Name))
		}
	} else {
		text, err := f.redirectWord(n.Body)
		if err != nil {
			return f.failWith(err, n.Pos)
		}
		input = value.String(text)
	}
	text, err := input.Exact()
	if err != nil {
		return err
	}
	t.job.Script += ast.In.String() + " "
	t.job.AddInput(text)
	return nil
}

// takeOutput has a variable take the next output of the job.
func (t *jobCall) takeOutput(n *ast.Redirect) error {
	if err := t.capture(n); err != nil {
		return err
	}
	t.outputs = append(t.outputs, t.captures[len(t.captures)-1].Stream())
	return nil
}

// checkTravels sees that the job needs no descriptor that the shell holds open for a block.
func (t *jobCall) checkTravels(first *ast.Command) error {
	outside := t.f.io.files
	own := standardStreams(t.f.run.Script.Files)
	for fd := 3; fd < len(outside); fd++ {
		if outside[fd] != closed && outside[fd] != own[fd] {
			return t.cannotTravel(first.Pos, fd)
		}
	}
	return nil
}

func (t *jobCall) cannotTravel(pos ast.Pos, fd int) error {
	return t.f.faultAt(pos, fmt.Sprintf("on %s: descriptor %d is of the block around, which a job cannot share; "+
		"redirect it after the program itself", t.site.Engine(), fd))
}

// redirectToShell adds a redirection to a stream of the shell: where the job runs its name would mean the job's own. It
// is one to what the job has as its output or error, and all others are refused, before anything is submitted.
func (t *jobCall) redirectToShell(n *ast.Redirect, name string, fd int, before []*ast.Redirect, last bool) error {
	own := standardStreams(t.f.run.Script.Files)
	writes := n.Op == ast.Out || n.Op == ast.Append || isOfBoth(n)
	changed := reads(before, fd) || slices.ContainsFunc(before, isOfBoth) || !last // it may be a pipe
	if !writes || fd < 1 || fd > 2 || t.f.io.files[fd] != own[fd] || changed {
		return t.f.faultAt(n.Pos, fmt.Sprintf("on %s: %s is a stream of the shell, which a job cannot open here",
			t.site.Engine(), name))
	}
	t.job.Script += fmt.Sprintf(">&%d ", fd)
	if isOfBoth(n) {
		t.job.Script += fmt.Sprintf("2>&%d ", fd)
	}
	return nil
}

// isOfBoth reports whether a redirection is of both output and error.
func isOfBoth(n *ast.Redirect) bool {
	return n.Op == ast.Both || n.Op == ast.AppendBoth || n.Op == ast.BothVar || n.Op == ast.AppendBothVar
}
