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
		t.root = t.beginSpan(scriptName(e), nil, e)
	case event.ShellEnd:
		t.endScript(e)
	case event.CommandStart, event.PipelineStart, event.FunctionCall, event.TryStart,
		event.ForStart, event.ForanyStart, event.ForallStart, event.WhileTurn:
		t.beginExecution(e)
	case event.CommandEnd, event.CommandFailed, event.PipelineEnd, event.PipelineFailed,
		event.FunctionEnd, event.FunctionFailed,
		event.TryEnd, event.TryFailed, event.ForEnd, event.ForFailed, event.ForanyEnd, event.ForanyFailed,
		event.ForallEnd, event.ForallFailed, event.WhileEnd, event.WhileFailed:
		t.endExecution(e.ID, e)
	case event.TryAttempt, event.TryWait, event.Catch, event.Finally,
		event.Verify, event.VerifyWait, event.VerifyEnd, event.ResourceWait:
		t.turnPhase(e)
	case event.ForallBranch, event.ForanyItem:
		t.beginBranch(e)
	case event.BranchEnd, event.BranchFailed:
		t.endBranch(e)
	}
}

// beginExecution begins the span of an execution; a loop with many turns has one.
func (t *Tracer) beginExecution(e event.Event) {
	if t.open[e.ID] == nil {
		t.open[e.ID] = &execution{span: t.beginSpan(executionName(e), t.parentSpan(e), e)}
	}
}

// endScript ends the script's own span.
func (t *Tracer) endScript(e event.Event) {
	for id := range t.open {
		t.endExecution(id, event.Event{})
	}
	if t.root != nil && e.Status != 0 {
		e.Failure = "exit"
	}
	t.endSpan(t.root, e)
	t.root = nil
}

// turnPhase ends the present phase of a try, and begins the next.
func (t *Tracer) turnPhase(e event.Event) {
	x := t.open[e.ID]
	if x == nil {
		return
	}
	t.endSpan(x.phase, e)
	x.phase = nil
	if e.Kind != event.VerifyEnd {
		begun := e
		begun.Failure, begun.Message, begun.Status = "", "", 0 // of what went before
		x.phase = t.beginSpan(phaseName(e), x.span, begun)
	}
}

// beginBranch begins the span of a branch. The alternatives of a forany without hedging are
// no branches: one comes after the other.
func (t *Tracer) beginBranch(e event.Event) {
	x := t.open[e.ID]
	if x == nil {
		return
	}
	name := e.Name + "=" + e.Value
	if b := t.branches[e.Branch]; e.Kind == event.ForanyItem && (e.Branch == 0 || b != nil && b.owner != e.ID) {
		t.endSpan(x.phase, event.Event{})
		x.phase = t.beginSpan(name, x.span, e)
		return
	}
	t.branches[e.Branch] = &branch{span: t.beginSpan(name, x.span, e), owner: e.ID}
}

// endBranch ends the span of a branch.
func (t *Tracer) endBranch(e event.Event) {
	if b := t.branches[e.Branch]; b != nil {
		t.endSpan(b.span, e)
		delete(t.branches, e.Branch)
	}
}

// executionName names the span of an execution.
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

// phaseName names the span of a phase of a try.
func phaseName(e event.Event) string {
	switch e.Kind {
	case event.TryAttempt:
		return "attempt " + strconv.Itoa(e.Attempt)
	case event.TryWait, event.VerifyWait:
		return "wait"
	case event.ResourceWait:
		return e.WaitingFor()
	case event.Catch:
		return "catch"
	case event.Finally:
		return "finally"
	}
	return "verify"
}
