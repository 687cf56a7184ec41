package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
)

// A job outlives the shell of a durable script: the journal has its folder before it is submitted. If
// the shell ends it is not under way but awaited, and the next run waits for it.

const keySite = "on" // of an on: its options and limit

// A savedSite records the evaluated line of an `on`.
type savedSite struct {
	Options []durable.Text `json:"options,omitempty"`
	Limit   int64          `json:"limit,omitempty"`
}

// decideSite notes what the line said, for later runs. Those evaluate it again where it holds what must not
// be in the journal.
func (f *frame) decideSite(words []string, limit int64) {
	saved := savedSite{Limit: limit}
	for _, word := range words {
		if f.place != nil && f.run.secret.hides(word) {
			return
		}
		saved.Options = append(saved.Options, durable.Text(word))
	}
	durable.Decide(f.place, keySite, saved)
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
		redirection: redirection{frame: f, words: []string{pos.RestOfLine()}, before: f.files}}
	t.job.Folder, t.job.Within = string(u.Job), u.Within
	t.job.Outlives, t.job.Resumed, t.job.Left = true, true, f.run.durable.Suspending
	o := f.numberExecution(pos, event.Event{Kind: event.CommandStart, Command: t.words})
	o.test = role.test
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
	t.owe()
	return nil
}

// suspendScript stops the script where it is, to go on later.
func (f *frame) suspendScript(why error, pos ast.Pos) error {
	f.run.durable.Suspend(why)
	return f.cutOff(f.run.durable.Context(), pos)
}
