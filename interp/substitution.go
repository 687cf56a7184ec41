package interp

import (
	"context"
	"slices"

	"ftsh/ast"
	"ftsh/interp/output"
)

// Output runs a ${ command } apart, as a stage of a pipeline, and returns what it wrote, without the newlines at its
// end. That it fails is never the answer no of a test that the word stands in.
func (f *frame) Output(o *ast.Output) (string, error) {
	result, err := takeReturn(f.runOutput(f.scope.ctx, o))
	if err != nil {
		if failure := asFailure(err); failure != nil {
			failure.early = true
		}
		return "", err
	}
	text, err := result.value.Text()
	output.Drop(result.value)
	if err != nil {
		return "", f.faultAt(o.Pos, "the output of the command "+err.Error())
	}
	return text, nil
}

// runOutput runs a ${ command } as a unit. What it wrote is what it returns.
func (f *frame) runOutput(ctx context.Context, o *ast.Output) error {
	stages := o.Stages()
	if len(stages) == 0 {
		return f.faultAt(o.Pos, "this command was not understood and cannot run")
	}
	place := f.place
	var past savedEnding
	step, ended := place.NextOutput(&past)
	if ended {
		return past.restoreError(f)
	}
	inner := f.at(place.Enter(step))
	err := inner.runUnit(ctx, stages[0].Pos, true, func(g *frame) error { return g.captureOutput(ctx, o) })
	_, whole := err.(*returned)
	inner.place.Leave(inner, !whole && !succeeded(err))
	if whole && place != nil {
		place.KeepOutput(step, f.run.saveEnding(err))
	}
	return err
}

// captureOutput runs it, and returns what it wrote if it succeeds.
func (f *frame) captureOutput(ctx context.Context, o *ast.Output) error {
	captured, err := f.run.World.Capture(f.temporaryDir(), "")
	if err != nil {
		return f.announceFailure(newFailure(systemOr(KindRedirect, err), o.Pos, err.Error()))
	}
	branch := f.fork(ctx)
	branch.io.files[1], branch.io.piped = captured.Stream(), false
	branch.io.owed++
	switch n := o.Node.(type) {
	case *ast.Pipeline:
		err = branch.runPipeline(ctx, n, role{})
	case *ast.Command:
		// It writes there alone, so a try in it cuts back what a failed attempt wrote, as with ->.
		branch.io.opener = &redirection{frame: &frame{io: &descriptors{}}, captures: []capture{{Capture: captured}}}
		err = branch.runCommand(ctx, n, role{})
	}
	branch.leaveFork()
	_, err = takeReturn(err) // a return concerns the command alone
	if err = branchEnd(err); err != nil {
		captured.Drop()
		return err
	}
	value, err := captured.Value()
	if err != nil {
		return f.announceFailure(newFailure(systemOr(KindRedirect, err), o.Pos, "cannot hold the output: "+err.Error()))
	}
	return &returned{value: value, given: true}
}

// expandFirst expands the words of all stages, in the order written, if a ${ command } stands in one: before any of
// them begins. The frame that it returns knows those of redirections.
func (p *stages) expandFirst(f *frame) (*frame, error) {
	runs := func(c *ast.Command) bool {
		return runsCommands(c.Words) ||
			slices.ContainsFunc(c.Redirects, func(n *ast.Redirect) bool { return wordOf(n).RunsCommand() })
	}
	if !slices.ContainsFunc(p.n.Stages, runs) || f.place.HasBegun() {
		return f, nil
	}
	for _, stage := range p.n.Stages {
		words, err := f.expandWords(stage)
		if err == nil {
			f, err = f.runOutputs(stage.Redirects)
		}
		if err != nil {
			return f, err
		}
		p.words = append(p.words, words)
	}
	return f, nil
}
