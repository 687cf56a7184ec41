package trace

import (
	"path/filepath"
	"strconv"

	"ftsh/interp/event"
)

// Observe makes what an event tells begin or end spans.
func (t *Tracer) Observe(e event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	switch e.Kind {
	case event.ShellStart:
		t.root = t.begin(scriptName(e), nil, e)
	case event.ShellEnd:
		t.finish(e)
	case event.CommandStart, event.PipelineStart, event.FunctionCall, event.TryStart,
		event.ForStart, event.ForanyStart, event.ForallStart, event.WhileTurn:
		t.enter(e)
	case event.CommandEnd, event.CommandFailed, event.PipelineEnd, event.PipelineFailed,
		event.FunctionEnd, event.FunctionFailed,
		event.TryEnd, event.TryFailed, event.ForEnd, event.ForFailed, event.ForanyEnd, event.ForanyFailed,
		event.ForallEnd, event.ForallFailed, event.WhileEnd, event.WhileFailed:
		t.leave(e.ID, e)
	case event.TryAttempt, event.TryWait, event.Catch, event.Finally,
		event.Verify, event.VerifyWait, event.VerifyEnd, event.ResourceWait:
		t.turn(e)
	case event.ForallBranch, event.ForanyItem:
		t.fork(e)
	case event.BranchEnd, event.BranchFailed:
		t.join(e)
	}
}

// enter begins the span of an execution; a loop with many turns has one.
func (t *Tracer) enter(e event.Event) {
	if t.open[e.ID] == nil {
		t.open[e.ID] = &execution{span: t.begin(executionName(e), t.within(e), e)}
	}
}

// finish ends the script's own span.
func (t *Tracer) finish(e event.Event) {
	for id := range t.open {
		t.leave(id, event.Event{})
	}
	if t.root != nil && e.Status != 0 {
		e.Failure = "exit"
	}
	t.end(t.root, e)
	t.root = nil
}

// turn ends the present phase of a try, and begins the next.
func (t *Tracer) turn(e event.Event) {
	x := t.open[e.ID]
	if x == nil {
		return
	}
	t.end(x.phase, e)
	x.phase = nil
	if e.Kind != event.VerifyEnd {
		begun := e
		begun.Failure, begun.Message, begun.Status = "", "", 0 // of what went before
		x.phase = t.begin(phaseName(e), x.span, begun)
	}
}

// fork begins the span of a branch. The alternatives of a forany without hedging are
// no branches: one comes after the other.
func (t *Tracer) fork(e event.Event) {
	x := t.open[e.ID]
	if x == nil {
		return
	}
	name := e.Name + "=" + e.Value
	if b := t.branches[e.Branch]; e.Kind == event.ForanyItem && (e.Branch == 0 || b != nil && b.owner != e.ID) {
		t.end(x.phase, event.Event{})
		x.phase = t.begin(name, x.span, e)
		return
	}
	t.branches[e.Branch] = &branch{span: t.begin(name, x.span, e), owner: e.ID}
}

// join ends the span of a branch.
func (t *Tracer) join(e event.Event) {
	if b := t.branches[e.Branch]; b != nil {
		t.end(b.span, e)
		delete(t.branches, e.Branch)
	}
}

// executionName is what the span of an execution is called.
func executionName(e event.Event) string {
	switch e.Kind {
	case event.CommandStart:
		if len(e.Command) > 0 {
			return filepath.Base(e.Command[0])
		}
		return "command"
	case event.PipelineStart:
		return "pipeline"
	case event.FunctionCall:
		return e.Name
	case event.ForStart:
		return "for " + e.Name
	case event.ForanyStart:
		return "forany " + e.Name
	case event.ForallStart:
		return "forall " + e.Name
	case event.WhileTurn:
		return "while"
	}
	return "try"
}

// phaseName is what the span of a phase of a try is called.
func phaseName(e event.Event) string {
	switch e.Kind {
	case event.TryAttempt:
		return "attempt " + strconv.Itoa(e.Attempt)
	case event.TryWait, event.VerifyWait:
		return "wait"
	case event.ResourceWait:
		return event.WaitingFor(e.Name, e.Value)
	case event.Catch:
		return "catch"
	case event.Finally:
		return "finally"
	}
	return "verify"
}
