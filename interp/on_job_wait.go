package interp

import (
	"context"
	"errors"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/output"
	"ftsh/interp/world"
)

// A job outlives the shell of a durable script: the journal has its folder before it is submitted. If
// the shell ends it is not under way but awaited, and the next run waits for it.

// run runs the job; variables take what was captured.
func (t *jobCall) run(ctx context.Context, test bool) error {
	f, j := t.f, t.job
	if f.run.Secrets.Any() {
		j.Shown, j.Options = f.run.Secrets.Words(j.Words), f.run.Secrets.Words(t.site.Options())
	}
	j.Joined = t.f.io.files[1] == t.f.io.files[2] && t.f.io.files[1] != closed
	if f.place != nil {
		j.Outlives, j.Left, j.Begin = true, f.run.durable.Suspending, t.begin
	}
	return t.end(t.await(ctx, test))
}

// within has what is told of the job belong to an execution.
func (t *jobCall) within(o observed) {
	t.f = t.f.under(o)
	t.redirection.frame = t.f
}

// begin writes that a job begins, by its folder, before it is submitted.
func (t *jobCall) begin() error {
	u := durable.Unit{Captures: len(t.captures) > 0, Job: durable.Text(t.job.Folder), Within: t.job.Within}
	if err := t.f.beginUnit(t.pos, u); err != nil {
		return err
	}
	t.place = t.f.place
	return nil
}

// await waits for the job, and returns how it failed. The failure lacks its position, and its command where the job
// knows none.
func (t *jobCall) await(ctx context.Context, test bool) *Failure {
	f := t.f
	f.run.World.Prepare()
	t.job.Test, t.job.Output, t.job.Tell = test, t.handOn, t.tellProgress
	result, err := t.site.Run(ctx, t.job)
	t.forget = result.Forget
	switch {
	case err == nil && result.Kind == "":
		return nil
	case err == nil:
		return &Failure{Kind: Kind(result.Kind), Status: result.Status, Command: result.Command,
			Message: result.Explained, early: result.Early, Stderr: stderrOfJob(result)}
	case errors.Is(err, world.ErrElsewhere): // it may be found later
		_ = f.suspendScript(err, t.pos)
		return f.cutOff(f.run.durable.Context(), ast.Pos{})
	case errors.Is(err, world.ErrGone): // nobody knows what it has done
		t.place = nil // that is no end
		return newFailure(KindUnknown, ast.Pos{}, "was under way when the shell ended, and "+err.Error()+
			"; whether it did its work is unknown")
	case ctx.Err() == nil: // the journal cannot be written
		return f.cutOff(f.run.durable.Context(), ast.Pos{})
	}
	failure := f.cutOff(ctx, ast.Pos{})
	failure.Stderr = stderrOfJob(result)
	if result.Message != "" {
		failure.addBesides("; " + result.Message)
	}
	return failure
}

// stderrOfJob is the end of what a job has written to standard error.
func stderrOfJob(r world.Result) output.Stderr {
	return output.StderrOfJob(r.Stderr, r.Torn)
}

// end ends the job's output, writes how the job ended, and then lets its folder go. A job that goes on has no end.
func (t *jobCall) end(failure *Failure) (err error) {
	if failure != nil {
		failure.Pos, failure.story.words = t.pos, t.words
		if failure.Command == "" {
			failure.Command = commandText(t.words)
		}
		err = failure
	}
	err = t.finish(err)
	if t.place != nil && !t.f.run.durable.Suspending() {
		t.f.place.EndJob(t.f, t.pos, t.f.ending(err), t.forget, t.f.keepWritten(nil)...)
	}
	return err
}

// tellProgress announces where the job is, or that it has to wait for others.
func (t *jobCall) tellProgress(p world.Progress) {
	e := event.Event{Kind: event.JobState, Name: p.Ticket, Value: p.State, Message: p.Text, Elapsed: p.Elapsed}
	if p.Limit > 0 {
		e = event.Event{Kind: event.JobWait, Message: p.Text}
	}
	if p.Elapsed != 0 || p.CPU != 0 || p.Memory != 0 {
		e.Job = &event.Job{Asked: t.site.Options(), CPU: p.CPU, Memory: p.Memory}
	}
	t.f.tellEvent(observed{id: t.f.id, pos: t.pos}, e)
}

// handOn hands on what the job has written.
func (t *jobCall) handOn(ctx context.Context, stream int, text []byte) error {
	const others = 3
	fd := closed
	if stream < others {
		fd = t.f.io.files[stream]
	} else {
		fd = t.outputs[stream-others]
	}
	if fd == closed {
		return nil
	}
	return t.f.run.World.Write(ctx, fd, string(text))
}

// awaitedJob is the job that the statement under way has begun for an earlier run; nil: none, or it has ended.
func (f *frame) awaitedJob() *durable.Unit {
	if f.jobSite() == nil && !f.run.durable.IsDry() {
		return nil
	}
	return f.place.Awaited()
}

// jobInDryRun tells how a job goes on in a dry run: it can be waited for, or its folder was removed and it is as if
// it had died with the shell.
func (f *frame) jobInDryRun(u *durable.Unit, pos ast.Pos) error {
	if u.IsAwaited() {
		return f.beginsNothing(pos)
	}
	failure := leftUnderWay(u.Text)
	failure.open = f.place.Open()
	return failure
}

// jobAgain waits for a job that an earlier run has begun; variables take what it captures.
func (f *frame) jobAgain(ctx context.Context, u *durable.Unit, stages []*ast.Command, role role) error {
	f.place.Abandoned()
	pos := stages[0].Pos
	if f.run.durable.IsDry() {
		return f.jobInDryRun(u, pos)
	}
	t := &jobCall{f: f, site: f.jobSite(), job: f.jobToAwait(), pos: pos, place: f.place,
		redirection: redirection{frame: f, inside: f.withDescriptors(), words: []string{pos.RestOfLine()}}}
	t.job.Folder, t.job.Within = string(u.Job), u.Within
	t.job.Outlives, t.job.Resumed, t.job.Left = true, true, f.run.durable.Suspending
	o := f.numberExecution(pos, event.Event{Kind: event.CommandStart, Command: t.words})
	o.test = role.test
	t.within(o)
	err := t.captureAgain(ctx, stages)
	if err == nil {
		failure := t.await(ctx, role.test)
		if len(t.job.Words) > 0 {
			t.words = t.job.Words
		}
		err = t.end(failure)
	}
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: t.words})
	return err
}

// captureAgain has variables take what the job captures.
func (t *jobCall) captureAgain(ctx context.Context, stages []*ast.Command) error {
	for _, stage := range stages {
		for _, n := range stage.Redirects {
			if !capturesVariables([]*ast.Redirect{n}) {
				continue
			}
			t.job.Outputs++
			if err := t.takeOutput(n); err != nil {
				t.discard()
				return t.failure(ctx, n, err)
			}
		}
	}
	return nil
}

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
		return true, f.faultAt(pos, "on "+p.Engine()+": a pipeline of programs and of "+other+", cannot be a job; "+
			"write `on here` around it, or only programs")
	}
	o := f.numberExecution(pos, event.Event{Kind: event.PipelineStart, Count: len(n.Stages)})
	o.test = role.test
	t, err := f.under(o).buildJob(ctx, p, n.Stages, n.Joins, words)
	if err == nil {
		err = t.run(ctx, role.test)
	}
	f.finishStatement(o, err, event.PipelineEnd, event.PipelineFailed, detail{passes: true})
	return true, err
}

// jobCommand runs a program as a job.
func (f *frame) jobCommand(ctx context.Context, p *site, c invocation) error {
	t, err := f.buildJob(ctx, p, []*ast.Command{c.node}, nil, [][]string{c.args})
	if err != nil {
		return err
	}
	o := f.numberExecution(c.pos, event.Event{Kind: event.CommandStart, Command: c.args})
	o.test = c.test
	t.within(o)
	err = t.run(ctx, c.test)
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: c.args})
	return err
}
