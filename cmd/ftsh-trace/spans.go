package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// event is a line of ftsh's log in JSON (ftsh --manual logging), as far as spans need it.
type event struct {
	Time                                  time.Time
	Event, Script                         string
	Line                                  int
	ID, Parent, Branch                    uint64
	Command                               []string
	Name, Value, Failure, Reason, Message string
	Status, Attempt                       int
	Wait                                  float64
}

// tree makes spans of events.
type tree struct {
	tracer   trace.Tracer
	outside  context.Context // in which the script's own span is nested
	self     trace.SpanContext
	root     trace.Span
	open     map[uint64]*execution // by ID
	branches map[uint64]*branch    // of a forall or a hedged forany, by number
	ended    int
}

// execution is a statement under way: its span, and that of its present phase (an attempt, a wait), in which what it
// starts is nested.
type execution struct{ span, phase trace.Span }

type branch struct {
	span  trace.Span
	owner uint64 // the ID of the loop
}

// newSpan returns the script's own span, within the one around it if there is one.
func newSpan(around trace.SpanContext) trace.SpanContext {
	if !around.IsValid() {
		first, second := randomID(), randomID()
		id := trace.TraceID(append(first[:], second[:]...))
		around = trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, TraceFlags: trace.FlagsSampled})
	}
	return around.WithSpanID(randomID()).WithTraceFlags(around.TraceFlags() & trace.FlagsSampled)
}

// observe begins or ends the spans of an event.
func (t *tree) observe(e event) {
	what, state, _ := strings.Cut(e.Event, ".")
	x := t.open[e.ID]
	switch {
	case e.Event == "shell.start":
		t.root = t.begin(filepath.Base(e.Command[0]), nil, spanID(t.self.SpanID(), 0), e)
	case e.Event == "shell.end":
		for id := range t.open {
			t.endExecution(id, event{Time: e.Time})
		}
		if e.Status != 0 {
			e.Failure = "exit"
		}
		t.end(t.root, e)
		t.root = nil
	case state == "start" && e.ID != 0 || e.Event == "function.call" || e.Event == "while.turn" && x == nil:
		t.open[e.ID] = &execution{span: t.begin(executionName(what, e), t.around(e), spanID(t.self.SpanID(), e.ID), e)}
	case e.Event == "forall.branch" || e.Event == "forany.item":
		t.beginBranch(x, e)
	case what == "branch":
		if b := t.branches[e.Branch]; b != nil {
			t.end(b.span, e)
			delete(t.branches, e.Branch)
		}
	case x != nil && (phaseName(e) != "" || e.Event == "verify.end"):
		t.end(x.phase, e)
		x.phase = nil
		if name := phaseName(e); name != "" {
			x.phase = t.begin(name, x.span, randomID(), e)
		}
	case state == "end" || state == "failed":
		t.endExecution(e.ID, e)
	}
}

// phaseName names the phase of a try that an event begins; "" if it begins none.
func phaseName(e event) string {
	switch e.Event {
	case "try.attempt":
		return "attempt " + strconv.Itoa(e.Attempt)
	case "try.wait", "verify.wait":
		return "wait"
	case "catch", "finally", "verify":
		return e.Event
	case "resource.wait":
		what := map[string]string{"turn": "its turn at ", "budget": "the budget of ", "breaker": "the breaker of ",
			"retryafter": "as long as was asked by "}[e.Value]
		return "waiting for " + cmp.Or(what, "a slot of ") + e.Name
	}
	return ""
}

func executionName(what string, e event) string {
	switch {
	case what == "command" && len(e.Command) > 0:
		return filepath.Base(e.Command[0])
	case what == "function":
		return e.Name
	case e.Name != "": // a loop
		return what + " " + e.Name
	}
	return what
}

// beginBranch begins the span of a branch. The alternatives of a forany without hedging are no branches: one comes
// after the other.
func (t *tree) beginBranch(x *execution, e event) {
	if x == nil {
		return
	}
	name := e.Name + "=" + e.Value
	if b := t.branches[e.Branch]; e.Event == "forany.item" && (e.Branch == 0 || b != nil && b.owner != e.ID) {
		t.end(x.phase, event{Time: e.Time})
		x.phase = t.begin(name, x.span, randomID(), e)
		return
	}
	t.branches[e.Branch] = &branch{t.begin(name, x.span, randomID(), e), e.ID}
}

// around returns the span in which that of an event is nested.
func (t *tree) around(e event) trace.Span {
	if b := t.branches[e.Branch]; b != nil && b.owner == e.Parent {
		return b.span
	}
	switch x := t.open[e.Parent]; {
	case x == nil:
		return t.root
	case x.phase != nil:
		return x.phase
	default:
		return x.span
	}
}

// begin begins a span with what an event says at the beginning.
func (t *tree) begin(name string, within trace.Span, id trace.SpanID, e event) trace.Span {
	const mostWords = 32 // of a command
	ctx := t.outside
	if within != nil {
		ctx = trace.ContextWithSpan(ctx, within)
	}
	var about []attribute.KeyValue
	if e.Line > 0 {
		about = append(about, attribute.String("code.file.path", e.Script), attribute.Int("code.line.number", e.Line))
	}
	if len(e.Command) > 0 {
		about = append(about, attribute.StringSlice("process.command_args", e.Command[:min(len(e.Command), mostWords)]))
	}
	if e.Attempt > 0 {
		about = append(about, attribute.Int("ftsh.attempt", e.Attempt))
	}
	if e.Wait > 0 {
		about = append(about, attribute.String("ftsh.wait", time.Duration(e.Wait*float64(time.Second)).String()))
	}
	_, span := t.tracer.Start(context.WithValue(ctx, wanted{}, id), name, trace.WithTimestamp(e.Time),
		trace.WithAttributes(about...))
	return span
}

// end ends a span, if there is one, with what an event says at the end.
func (t *tree) end(span trace.Span, e event) {
	if span == nil {
		return
	}
	if strings.HasPrefix(e.Event, "command.") || e.Event == "shell.end" {
		span.SetAttributes(attribute.Int("process.exit.code", e.Status))
	}
	if e.Failure != "" {
		span.SetAttributes(attribute.String("ftsh.failure", e.Failure))
		if e.Reason != "" {
			span.SetAttributes(attribute.String("ftsh.reason", e.Reason))
		}
		span.SetStatus(codes.Error, e.Message[:min(len(e.Message), mostText)])
	}
	if span.IsRecording() {
		t.ended++
	}
	span.End(trace.WithTimestamp(e.Time))
}

func (t *tree) endExecution(id uint64, e event) {
	if x := t.open[id]; x != nil {
		t.end(x.phase, e)
		t.end(x.span, e)
		delete(t.open, id)
	}
}

// endAll ends what is under way where the script ends without saying so: a shell that was killed, or became another
// program.
func (t *tree) endAll() {
	now := event{Time: time.Now()}
	for _, b := range t.branches {
		t.end(b.span, now)
	}
	for id := range t.open {
		t.endExecution(id, now)
	}
	t.end(t.root, now)
}

// wanted is the key of the id that a span is to have.
type wanted struct{}

// ids gives spans the ids that they are to have; it is an [sdk.IDGenerator].
type ids struct{ traceID trace.TraceID }

func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	return g.traceID, g.NewSpanID(ctx, g.traceID)
}

func (g ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	id, _ := ctx.Value(wanted{}).(trace.SpanID)
	return id
}

func randomID() (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

// spanID returns the id of an execution's span. The shell computes the same, for the TRACEPARENT of its programs.
func spanID(self trace.SpanID, execution uint64) (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], max(binary.BigEndian.Uint64(self[:])^execution*0x9e3779b97f4a7c15, 1))
	return id
}
