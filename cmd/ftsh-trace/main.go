// Command ftsh-trace makes OpenTelemetry spans of what a script does: of the script, its tries, attempts, waits and
// commands, nested. ftsh --trace starts it and hands it its JSON events through a pipe:
//
//	ftsh-trace [--detach] TARGET VERSION SERVICE < events
//
// TARGET is the URL of a collector (http://localhost:4318) or a file, to which each message is written as a line of
// OTLP's JSON. SERVICE names the service where OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES do not. TRACEPARENT (W3C
// Trace Context) names the span around the script's, if there is one. On standard output it says in a line that it is
// ready, with the script's own span as TRACEPARENT writes one, or what is wrong; at the end, how many spans were lost,
// and why.
//
// With --detach it leaves that to a process that is no child of the shell, which looks for processes of its commands
// among its children.
//
// The SDK keeps what three promises need: a collector never delays a script, since events are read at once; memory is
// bounded, since the queue holds so many spans and a span so much text; and what is queued at the end is sent within
// two seconds, or lost.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const (
	mostQueued = 2048                   // spans that wait to be sent
	mostSent   = 256                    // spans in one message
	gather     = 500 * time.Millisecond // how long a span waits for others to go with
	farewell   = 2 * time.Second        // how long a message may take, and what is left at the end
	mostText   = 1024                   // bytes of an attribute
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--detach" {
		again := exec.Command("/proc/self/exe", args[1:]...)
		again.Stdin, again.Stdout, again.SysProcAttr = os.Stdin, os.Stdout, &syscall.SysProcAttr{Setsid: true}
		if err := again.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	if len(args) != 3 {
		fmt.Println("ftsh-trace is started by ftsh --trace; wanted TARGET VERSION SERVICE")
		os.Exit(2)
	}
	if err := run(args[0], args[1], args[2]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// run reads events until their end, and sends spans.
func run(target, version, service string) error {
	ctx := context.Background()
	sender, err := openTarget(ctx, target)
	if err != nil {
		return err
	}
	about, _ := resource.New(ctx, resource.WithHost(), resource.WithAttributes(attribute.String("service.name", service)),
		resource.WithFromEnv()) // a part of the environment that cannot be read is left out
	out := &exporter{SpanExporter: sender}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) // it is counted, and told at the end
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit = mostText
	around := propagation.TraceContext{}
	outside := around.Extract(ctx, propagation.MapCarrier{"traceparent": os.Getenv("TRACEPARENT")})
	self := newSpan(trace.SpanContextFromContext(outside))
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithIDGenerator(ids{self.TraceID()}),
		sdk.WithRawSpanLimits(limits), sdk.WithBatcher(out, sdk.WithMaxQueueSize(mostQueued),
			sdk.WithMaxExportBatchSize(mostSent), sdk.WithBatchTimeout(gather), sdk.WithExportTimeout(farewell)))
	t := &tree{tracer: provider.Tracer("ftsh", trace.WithInstrumentationVersion(version)), outside: outside, self: self,
		open: map[uint64]*execution{}, branches: map[uint64]*branch{}}
	ready := propagation.MapCarrier{}
	around.Inject(trace.ContextWithSpanContext(ctx, self), ready)
	fmt.Println("ready", ready["traceparent"])
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if err != nil {
			break
		}
		if json.Unmarshal(line, &e) == nil {
			t.observe(e)
		}
	}
	t.endAll()
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	err = provider.Shutdown(ctx)
	return out.tell(t.ended, err)
}

// exporter counts what is sent.
type exporter struct {
	sdk.SpanExporter
	sent atomic.Int64
	why  atomic.Pointer[string] // of the first message that was lost
}

// ExportSpans implements [sdk.SpanExporter].
func (x *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := x.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		x.sent.Add(int64(len(spans)))
	} else {
		x.why.CompareAndSwap(nil, new(err.Error()))
	}
	return err
}

// tell says how many of the spans that have ended were not sent, and why.
func (x *exporter) tell(ended int, err error) error {
	lost, why := ended-int(x.sent.Load()), "spans were made faster than they could be sent"
	switch first := x.why.Load(); {
	case first != nil:
		why = *first
	case err != nil:
		why = err.Error()
	}
	if lost > 0 {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"lost": lost, "why": why})
	}
	return nil
}
