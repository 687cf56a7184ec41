package interp

import (
	"errors"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/event"
)

// observed is one execution of a statement as the observers see it.
type observed struct {
	id, parent uint64 // 0: it was not announced, and only its failure may be
	pos        ast.Pos
	start      time.Duration
	test       bool // it decides an if or while: status 1 means no
}

// A detail holds what an event tells of a statement. An event.Event is ten times as
// large, and only made when it is wanted.
type detail struct {
	command     []string
	name, value string
	count       int
	attempt     int
	passes      bool // its end adds nothing to a failure
}

// enabledLevel reports whether anybody wants events of that level.
func (f *frame) enabledLevel(level int) bool {
	return level <= f.run.level
}

// wantsEvent reports whether anybody wants events of that kind.
func (f *frame) wantsEvent(kind event.Kind) bool {
	return kind.Level() <= f.run.level || f.run.View != nil && kind.Live()
}

// beginStatement announces an execution if that is wanted. What runs within it does so in [frame.under] it. What a
// script does a million times (a builtin, a call, a turn) must cost nothing where only failures are logged.
func (f *frame) beginStatement(pos ast.Pos, kind event.Kind, d detail) observed {
	if f.run.level < event.Commands || kind.Level() > f.run.level {
		return observed{pos: pos}
	}
	return f.numberExecution(pos, d.event(kind))
}

// numberExecution does so for what takes long anyway, and whose failure shall tell how long it took.
func (f *frame) numberExecution(pos ast.Pos, e event.Event) observed {
	if f.run.level < event.Failures && f.run.View == nil {
		return observed{pos: pos}
	}
	o := observed{id: f.run.executions.Add(1), parent: f.id, pos: pos, start: f.run.clock.Now()}
	f.tellEvent(o, e)
	return o
}

// numberCommand does so for a program. The event is not in the frame of program, which stays while the program runs.
//
//go:noinline
func (f *frame) numberCommand(c *invocation) observed {
	o := f.numberExecution(c.pos, event.Event{Kind: event.CommandStart, Command: c.args})
	o.test = c.test
	return o
}

// finishStatement announces how an execution ended: done, or failed with what the error
// tells. An exit or a return leaves a structure without failing it. The answer no of a
// test, and the end of a stage whose reader had enough, are no failures for the log.
func (f *frame) finishStatement(o observed, err error, done, failed event.Kind, d detail) {
	failure := asFailure(err)
	if failure != nil && !failure.placed {
		failure.item, failure.placed = f.item(), true
	}
	kind := done
	if failure != nil && !(o.test && failure.saysNo() || f.io.piped && brokenPipe(failure)) {
		kind = failed
	}
	if f.wantsEvent(kind) {
		f.tellEnd(o, kind, failure, d)
	}
}

// tellEnd announces the end of an execution.
func (f *frame) tellEnd(o observed, kind event.Kind, failure *Failure, d detail) {
	e := d.event(kind)
	if o.id != 0 {
		e.Elapsed = f.run.clock.Now() - o.start
	} else {
		o.parent = f.id
	}
	if failure != nil {
		e.Passed = d.passes && failure.story.told
		failure.story.told = true
	}
	f.tellEvent(o, withFailure(e, failure))
}

func (d detail) event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Command: d.command, Name: d.name, Value: d.value, Count: d.count, Attempt: d.attempt}
}

// tellEvent announces something about an execution.
func (f *frame) tellEvent(o observed, e event.Event) {
	e.ID, e.Parent, e.Branch, e.Pos = o.id, o.parent, f.state.branch, o.pos
	if f.run.Secrets.Any() {
		e = f.run.Secrets.Event(e)
	}
	if e.Level() <= f.run.level {
		f.run.Observer.Observe(e)
	}
	if f.run.View != nil && e.Kind.Live() {
		f.run.View.Observe(e)
	}
}

// faultAt makes and announces the failure of a statement that the script itself is to blame for.
func (f *frame) faultAt(pos ast.Pos, message string) error {
	return f.announceFailure(newFailure(KindError, pos, message))
}

// announceFailure reports the failure of a simple statement or a condition.
func (f *frame) announceFailure(failure *Failure) error {
	f.finishStatement(observed{pos: failure.Pos}, failure, event.StatementFailed, event.StatementFailed, detail{})
	return failure
}

// failWith turns what expansion or evaluation says into an announced failure of the statement at pos.
// A failure, an exit, a return or an absent from a function that was called on the way stays what it is.
func (f *frame) failWith(err error, pos ast.Pos) error {
	if err == nil {
		return nil
	}
	switch err.(type) {
	case *Failure, *Exit, *returned, *absence:
		return err
	}
	message := err.Error()
	if wrong, ok := errors.AsType[*diag.Error](err); ok {
		message = wrong.Message
		if wrong.Pos.IsValid() {
			pos = wrong.Pos
		}
	}
	return f.announceFailure(newFailure(systemOr(KindError, err), pos, message))
}

// summarise tells why the script has failed, if it has: one line of the whole story, and one
// for each branch of a forall that had failed, too, while the others went on.
func (f *frame) summarise(err error) {
	failure := asFailure(err)
	if exit, left := err.(*Exit); left {
		failure = exit.summary()
	}
	if failure == nil || !f.enabledLevel(event.Summary) {
		return
	}
	f.tellEvent(observed{pos: failure.Pos}, failure.finalEvent(event.ScriptFailed))
	for _, other := range failure.story.others {
		f.tellEvent(observed{pos: other.Pos}, other.finalEvent(event.BranchLost))
	}
	if failure.story.more > 0 {
		f.tellEvent(observed{}, event.Event{Kind: event.BranchesLost, Count: failure.story.more})
	}
}
