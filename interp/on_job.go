package interp

import (
	"context"
	"fmt"
	"strings"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/jobs"
)

// jobPipeline runs a pipeline of programs as one job. It does nothing if it consists of
// functions and builtins, whose programs are jobs by themselves.
func (f *frame) jobPipeline(ctx context.Context, p *site, n *ast.Pipeline, role role) (ran bool, err error) {
	words := make([][]string, len(n.Stages))
	programs, other := 0, ""
	for i, stage := range n.Stages {
		if words[i], err = expand.Words(f, nil, stage.Words); err != nil {
			return true, f.failWith(err, stage.Pos)
		}
		switch {
		case len(words[i]) == 0:
			other = "a stage without a command"
		case f.isProgram(words[i][0]):
			programs++
		default:
			other = words[i][0] + ", which is none"
		}
	}
	pos := n.Stages[0].Pos
	switch {
	case programs == 0:
		return false, nil
	case other != "":
		return true, f.faultAt(pos, "on "+p.engine+": a pipeline of programs and of "+other+", cannot be a job; "+
			"write `on here` around it, or only programs")
	}
	o := f.numberExecution(pos, event.Event{Kind: event.PipelineStart, Count: len(n.Stages)})
	o.test = role.test
	t, err := f.newJob(ctx, p, n.Stages, n.Joins, words)
	if err == nil {
		t.test = role.test
		err = t.runJob(ctx, pos)
	}
	f.finishStatement(o, err, event.PipelineEnd, event.PipelineFailed, detail{passes: true})
	return true, err
}

// jobCommand runs a program as a job.
func (f *frame) jobCommand(ctx context.Context, p *site, c invocation) error {
	t, err := f.newJob(ctx, p, []*ast.Command{c.node}, nil, [][]string{c.args})
	if err != nil {
		return err
	}
	o := f.numberExecution(c.pos, event.Event{Kind: event.CommandStart, Command: c.args})
	o.test, t.test = c.test, c.test
	err = t.runJob(ctx, c.pos)
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: c.args})
	return err
}

// A jobText is the script of a job while it is put together.
type jobText struct {
	f       *frame
	site    *site
	script  strings.Builder
	words   []string
	inputs  []string
	outputs []int // our descriptors, to which out.0, out.1 … go
	targets []string
	test    bool // it decides a condition
	pos     ast.Pos
	node    *durable.Place // of a durable script, whose journal knows the job; nil: none does
	forget  func()         // when its end is on disk; nil: nothing is to be done
	redirection
}

// newJob makes a job of programs. What can be wrong with them is found before anything is submitted.
func (f *frame) newJob(ctx context.Context, p *site,
	stages []*ast.Command, joins []ast.Join, words [][]string) (*jobText, error) {
	t := &jobText{f: f, site: p,
		redirection: redirection{frame: f, list: stages[0].Redirects, words: words[0], before: f.files}}
	if err := t.build(ctx, stages, joins, words); err != nil {
		t.discard()
		return nil, err
	}
	if t.owes = len(t.captures) > 0; t.owes {
		f.owed++
	}
	return t, nil
}

// runJob runs the job; variables take what was captured.
func (t *jobText) runJob(ctx context.Context, pos ast.Pos) error {
	t.pos = pos
	return t.close(t.run(ctx))
}

// close closes the job's output and returns how both ended.
func (t *jobText) close(failure *Failure) (err error) {
	if failure != nil {
		failure.Pos, failure.story.words = t.pos, t.redirection.words
		if failure.Command == "" {
			failure.Command = commandText(t.redirection.words)
		}
		err = failure
	}
	return t.ended(t.finish(err))
}

// build writes the script of the job, in which every word is a parameter.
func (t *jobText) build(ctx context.Context, stages []*ast.Command, joins []ast.Join, words [][]string) error {
	for i, stage := range stages {
		for _, word := range words[i] {
			t.addWord(word)
		}
		if err := t.redirects(ctx, stage.Redirects); err != nil {
			return err
		}
		if i < len(joins) {
			t.script.WriteString("|")
			if joins[i].Stderr {
				t.script.WriteString("&")
			}
			t.script.WriteString(" ")
		}
	}
	return t.checkTravels(stages[0])
}

// addWord adds a word.
func (t *jobText) addWord(text string) {
	t.words = append(t.words, text)
	fmt.Fprintf(&t.script, `"${%d}" `, len(t.words))
}

// redirects adds the redirections of a stage.
func (t *jobText) redirects(ctx context.Context, list []*ast.Redirect) error {
	outside := t.f.files
	for i, n := range list {
		if err := t.redirect(ctx, n, list[:i], outside); err != nil {
			return t.failure(ctx, n, err)
		}
	}
	return nil
}

// redirect adds one redirection. Files are opened where the job runs; what variables hold or
// will hold travels in files of the job's folder.
func (t *jobText) redirect(ctx context.Context, n *ast.Redirect, before []*ast.Redirect, outside streams) error {
	f := t.f
	if n.FD >= 0 {
		fmt.Fprint(&t.script, n.FD)
	}
	switch n.Op {
	case ast.DupOut, ast.DupIn:
		if n.Dup > 2 && !reads(before, n.Dup) && outside[n.Dup] != closed {
			return t.cannotTravel(n.Pos, n.Dup)
		}
		fmt.Fprintf(&t.script, "%s%d ", n.Op, n.Dup)
		return nil
	case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
		if err := t.capture(n); err != nil {
			return err
		}
		t.outputs = append(t.outputs, t.captures[len(t.captures)-1].input)
		if n.Op == ast.BothVar || n.Op == ast.AppendBothVar {
			t.script.WriteString(ast.AppendBoth.String() + " ")
		} else {
			t.script.WriteString(ast.Append.String() + " ")
		}
		t.inFolder("out", len(t.outputs)-1)
		return nil
	case ast.FromVar, ast.Here, ast.HereTabs:
		return t.addInput(n)
	}
	name, err := expand.Word(f, n.Target)
	if err != nil {
		return f.failWith(err, n.Pos)
	}
	if name == "" {
		return fmt.Errorf("%s needs the name of a file, found an empty word", n.Op)
	}
	if n.Op == ast.Atomic {
		t.targets = append(t.targets, name)
	}
	t.script.WriteString(n.Op.String() + " ")
	t.addWord(name)
	return ctx.Err()
}

// addInput adds the exact bytes of a value or of a here-document.
func (t *jobText) addInput(n *ast.Redirect) error {
	f := t.f
	var value expand.Value
	if n.Op == ast.FromVar {
		var set bool
		if value, set = f.Variable(&n.Var); !set && !f.Lenient() {
			return f.faultAt(n.Pos, fmt.Sprintf("%s is not defined", n.Var.Name))
		}
	} else {
		text, err := expand.Word(f, n.Body)
		if err != nil {
			return f.failWith(err, n.Pos)
		}
		value = expand.String(text)
	}
	text, err := value.Exact()
	if err != nil {
		return err
	}
	t.inputs = append(t.inputs, text)
	t.script.WriteString(ast.In.String() + " ")
	t.inFolder("in", len(t.inputs)-1)
	return nil
}

// inFolder adds the name of a file in the job's folder.
func (t *jobText) inFolder(name string, n int) {
	fmt.Fprintf(&t.script, `"${%s}/%s.%d" `, jobs.FolderVariable, name, n)
}

// checkTravels sees that the job needs no descriptor that the shell holds open for a block.
func (t *jobText) checkTravels(first *ast.Command) error {
	outside := t.before
	own := standardStreams(t.f.run.Files)
	for fd := 3; fd < len(outside); fd++ {
		if outside[fd] != closed && outside[fd] != own[fd] {
			return t.cannotTravel(first.Pos, fd)
		}
	}
	return nil
}

func (t *jobText) cannotTravel(pos ast.Pos, fd int) error {
	return t.f.faultAt(pos, fmt.Sprintf("on %s: descriptor %d is of the block around, which a job cannot share; "+
		"redirect it after the program itself", t.site.engine, fd))
}
