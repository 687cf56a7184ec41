package interp

import (
	"context"
	"errors"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/jobs"
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

// occupySlots takes the slots of the jobs below the statement under way that go on from an earlier run.
func (f *frame) occupySlots(slots chan struct{}) {
	for range min(cap(slots), f.place.AwaitedHere()) {
		slots <- struct{}{}
	}
}

// leaveSlots frees the slots that a job goes on with from an earlier run.
func (p *site) leaveSlots() {
	for ; p != nil; p = p.outer {
		select {
		case <-p.slots:
		default:
		}
	}
}

// begin writes that a job begins, by its folder, before it is submitted.
func (t *jobText) begin(ctx context.Context, job *jobs.Job) *Failure {
	f := t.f
	if ctx.Err() != nil {
		return f.cutOff(ctx, ast.Pos{})
	}
	job.Outlives, job.Left = true, f.run.durable.Suspending
	if err := t.site.jobs.Make(job); err != nil {
		return newFailure(systemOr(KindSystem, err), ast.Pos{}, "cannot make the folder of a job: "+err.Error())
	}
	u := durable.Unit{Captures: len(t.captures) > 0, Job: durable.Text(job.Folder), Within: job.Within}
	if f.beginUnit(t.pos, u) != nil {
		return f.cutOff(f.run.durable.Context(), ast.Pos{})
	}
	t.node = f.place
	return nil
}

// ended writes how a job ended, and then lets its folder go. A job that goes on has no end.
func (t *jobText) ended(err error) error {
	d := t.f.run.durable
	if t.node == nil || d.Suspending() {
		return err
	}
	t.f.place.EndJob(t.f, t.pos, t.f.ending(err), t.forget, t.f.keepWritten(nil)...)
	return err
}

// awaitedJob is the job that the statement under way has begun for an earlier run; nil: none, or it has ended.
func (f *frame) awaitedJob() *durable.Unit {
	if f.jobSite() == nil {
		return nil
	}
	return f.place.Awaited()
}

// jobAgain waits for a job that an earlier run has begun.
func (f *frame) jobAgain(ctx context.Context, u *durable.Unit, stages []*ast.Command, role role) error {
	f.place.Abandoned()
	p, pos := f.jobSite(), stages[0].Pos
	t := &jobText{f: f, site: p, pos: pos, node: f.place,
		redirection: redirection{frame: f, words: []string{pos.RestOfLine()}, before: f.files}}
	o := f.numberExecution(pos, event.Event{Kind: event.CommandStart, Command: t.redirection.words})
	o.test, t.test = role.test, role.test
	err := t.again(ctx, u, stages)
	f.finishStatement(o, err, event.CommandEnd, event.CommandFailed, detail{command: t.redirection.words})
	return err
}

// again waits for the job; variables take what it captures.
func (t *jobText) again(ctx context.Context, u *durable.Unit, stages []*ast.Command) error {
	f := t.f
	for _, stage := range stages {
		for _, n := range stage.Redirects {
			if !capturesVariables([]*ast.Redirect{n}) {
				continue
			}
			if err := t.capture(n); err != nil {
				t.discard()
				return t.failure(ctx, n, err)
			}
			t.outputs = append(t.outputs, t.captures[len(t.captures)-1].input)
		}
	}
	if t.owes = len(t.captures) > 0; t.owes {
		f.owed++
	}
	f.run.prepare()
	defer t.site.leaveSlots()
	job := t.waiting(ctx)
	job.Folder, job.Within = string(u.Job), u.Within
	job.Outlives, job.Resumed, job.Left = true, true, f.run.durable.Suspending
	failure := t.await(ctx, job)
	if len(job.Words) > 0 {
		t.redirection.words = job.Words
	}
	return t.close(failure)
}

// unreached is the failure of a job of an earlier run that cannot be found. Where it may be found later the
// script is suspended; where its folder was removed nobody knows what it has done.
func (t *jobText) unreached(err error) *Failure {
	switch {
	case errors.Is(err, jobs.ErrElsewhere):
		_ = t.f.suspendScript(err, t.pos)
		return t.f.cutOff(t.f.run.durable.Context(), ast.Pos{})
	case errors.Is(err, jobs.ErrGone):
		t.node = nil // that is no end
		return newFailure(KindUnknown, ast.Pos{}, "was under way when the shell ended, and "+err.Error()+
			"; whether it did its work is unknown")
	}
	return nil
}

// suspendScript stops the script where it is, to go on later.
func (f *frame) suspendScript(why error, pos ast.Pos) error {
	f.run.durable.Suspend(why)
	return f.cutOff(f.run.durable.Context(), pos)
}
