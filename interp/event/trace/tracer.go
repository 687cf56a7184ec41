package trace

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ftsh/interp/event"
)

// Config says where spans go.
type Config struct {
	Target  string // the URL of a collector (http://…), or the name of a file
	Parent  string // TRACEPARENT as it was inherited; "" or what is not valid: a trace of our own
	Version string // of the shell

	Script      string // the name of the script, which names the service where nothing else does; "": ftsh
	Host        string // the name of the machine
	ServiceName string // OTEL_SERVICE_NAME
	Attributes  string // OTEL_RESOURCE_ATTRIBUTES
}

// Tracer makes spans of events. It is an [event.Observer].
type Tracer struct {
	out    *exporter // nil: the trace is not to be recorded
	parent link      // of the script's own span

	mu       sync.Mutex
	root     *span
	open     map[uint64]*execution // by ID
	branches map[uint64]*branch    // by number
	closed   bool
}

// execution is a statement under way: its span, and that of its present phase (an
// attempt, a wait), in which what it starts is nested.
type execution struct {
	span, phase *span
}

// branch is a branch of a forall or an alternative of a hedged forany.
type branch struct {
	span  *span
	owner uint64 // the ID of the loop
}

// Open makes a Tracer. It fails if the target is no URL that we speak and no file
// that can be written.
func Open(c Config) (*Tracer, error) {
	t := &Tracer{parent: newLink(c.Parent), open: map[uint64]*execution{}, branches: map[uint64]*branch{}}
	sink, err := openSink(c.Target)
	if err != nil {
		return nil, err
	}
	if t.parent.sampled {
		t.out = newExporter(sink, c)
	} else {
		_ = sink.close()
	}
	return t, nil
}

// Close ends all spans and sends them, for two seconds at most. It returns how many were lost, and
// why the first of them. What is observed afterwards is lost, too.
func (t *Tracer) Close() (lost int, err error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return 0, nil
	}
	t.endAll()
	t.closed = true
	t.mu.Unlock()
	if t.out == nil {
		return 0, nil
	}
	return t.out.closeQueue()
}

// Enabled reports whether events of that level make spans.
func (t *Tracer) Enabled(level int) bool { return level <= event.Structures }

// Environ is the environment of a program that the execution of that ID runs:
// TRACEPARENT names its span.
func (t *Tracer) Environ(environ []string, id uint64) []string {
	const name = "TRACEPARENT="
	told := make([]string, 0, len(environ)+1)
	for _, entry := range environ {
		if !strings.HasPrefix(entry, name) {
			told = append(told, entry)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.root
	if x := t.open[id]; x != nil {
		s = x.span
	}
	if s == nil {
		return slices.Clip(environ)
	}
	return append(told, name+link{trace: t.parent.trace, span: s.SpanID, sampled: t.parent.sampled}.String())
}

// beginSpan makes a span. The caller holds the lock.
func (t *Tracer) beginSpan(name string, parent *span, e event.Event) *span {
	s := &span{TraceID: t.parent.trace, SpanID: newSpanID(), Name: name, Kind: kindInternal, Start: unixNanos(time.Now())}
	if s.ParentSpanID = t.parent.span; parent != nil {
		s.ParentSpanID = parent.SpanID
	}
	s.addBeginning(e)
	return s
}

// endSpan hands a span to the exporter. The caller holds the lock.
func (t *Tracer) endSpan(s *span, e event.Event) {
	if s == nil {
		return
	}
	s.End = unixNanos(time.Now())
	s.addEnd(e)
	if t.out != nil {
		t.out.queueSpan(s)
	}
}

// parentSpan is the span in which an event's own is nested.
func (t *Tracer) parentSpan(e event.Event) *span {
	if b := t.branches[e.Branch]; b != nil && b.owner == e.Parent {
		return b.span
	}
	x := t.open[e.Parent]
	switch {
	case x == nil:
		return t.root
	case x.phase != nil:
		return x.phase
	}
	return x.span
}

// endAll ends what is under way when the script is over.
func (t *Tracer) endAll() {
	for id := range t.open {
		t.endExecution(id, event.Event{})
	}
	t.endSpan(t.root, event.Event{})
	t.root = nil
}

// endExecution ends the spans of an execution, and of the branches that it has.
func (t *Tracer) endExecution(id uint64, e event.Event) {
	for number, b := range t.branches {
		if b.owner == id {
			t.endSpan(b.span, event.Event{})
			delete(t.branches, number)
		}
	}
	if x := t.open[id]; x != nil {
		t.endSpan(x.phase, e)
		t.endSpan(x.span, e)
		delete(t.open, id)
	}
}

// scriptName names the span of a script.
func scriptName(e event.Event) string {
	if len(e.Command) == 0 {
		return "ftsh"
	}
	return filepath.Base(e.Command[0])
}
