package interp

import (
	"errors"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp/event"
)

// enabled tells whether anybody wants events of that level.
func (f *frame) enabled(level int) bool {
	return level <= f.run.level
}

// observed is one execution of a statement as the observers see it. The zero
// value, of a statement that nobody asked about, reports nothing.
type observed struct {
	id, parent uint64
	pos        ast.Pos
	start      time.Duration
}

// begin announces an execution, if its level is wanted, and makes it the parent of what follows until
// end. Failures are announced at the lowest level, so an execution has its
// number and start if anything at all is observed.
func (f *frame) begin(pos ast.Pos, e event.Event) observed {
	if f.run.level == event.Nothing {
		return observed{}
	}
	o := observed{id: f.run.executions.Add(1), parent: f.id, pos: pos, start: f.run.clock.Now()}
	f.id = o.id
	if e.Kind != 0 {
		f.tell(o, e)
	}
	return o
}

// end announces how an execution ended.
func (f *frame) end(o observed, e event.Event) {
	if o.id == 0 {
		return
	}
	e.Elapsed = f.run.clock.Now() - o.start
	f.tell(o, e)
	f.id = o.parent
}

// tell announces something about an execution.
func (f *frame) tell(o observed, e event.Event) {
	if o.id == 0 || !f.enabled(e.Kind.Level()) {
		return
	}
	e.ID, e.Parent, e.Pos = o.id, o.parent, o.pos
	f.run.Observer.Observe(e)
}

// finish announces the end of a structure: done, or failed with what the error tells. An exit or a
// return leaves a structure without failing it.
func (f *frame) finish(o observed, err error, done, failed event.Event) {
	if failure := asFailure(err); failure != nil {
		f.end(o, describe(failed, failure))
		return
	}
	f.end(o, done)
}

// describe adds to an event what a failure tells.
func describe(e event.Event, failure *Failure) event.Event {
	e.Failure, e.Status, e.Message, e.Reason = string(failure.Kind), failure.Status, failure.Message, string(failure.Reason)
	return e
}

// fault makes and announces the failure of a statement that the script itself is to blame for.
func (f *frame) fault(pos ast.Pos, message string) error {
	return f.announce(&Failure{Kind: KindError, Status: 1, Pos: pos, Message: message})
}

// announce reports the failure of a simple statement or a condition.
func (f *frame) announce(failure *Failure) error {
	o := f.begin(failure.Pos, event.Event{})
	f.end(o, describe(event.Event{Kind: event.StatementFailed}, failure))
	return failure
}

// fail turns what expansion or evaluation says into an announced failure of the statement at pos.
// A failure, an exit or a return from a function that was called on the way stays what it is.
func (f *frame) fail(err error, pos ast.Pos) error {
	if err == nil {
		return nil
	}
	switch err.(type) {
	case *Failure, *Exit, *returned:
		return err
	}
	message := err.Error()
	var wrong *diag.Error
	if errors.As(err, &wrong) {
		message = wrong.Message
		if wrong.Pos.IsValid() {
			pos = wrong.Pos
		}
	}
	return f.fault(pos, message)
}
