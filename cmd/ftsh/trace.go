package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/interp/event/trace"
	"ftsh/interp/inject"
	"ftsh/interp/process"
)

// followTrace makes spans of what happens, too.
func (l *log) followTrace(o *options) (err error) {
	host, _ := os.Hostname() // "": it is not told
	script := ""
	if o.text == nil && o.try == nil && len(o.args) > 0 && o.args[0] != "-" {
		script = filepath.Base(o.args[0])
	}
	l.tracer, err = trace.Open(trace.Config{
		Target: o.trace, Parent: os.Getenv("TRACEPARENT"), Version: version, Script: script, Host: host,
		ServiceName: os.Getenv("OTEL_SERVICE_NAME"), Attributes: os.Getenv("OTEL_RESOURCE_ATTRIBUTES"),
	})
	if err != nil {
		l.closeLogs()
		return err
	}
	l.observer = joinObservers(l.observer, l.tracer)
	return nil
}

// endTrace sends what is left of the trace. What it has lost is logged.
func (l *log) endTrace() {
	if lost, err := l.tracer.Close(); lost > 0 {
		l.tellShell(event.Event{Kind: event.TraceLost, Count: lost, Message: err.Error()})
	}
	l.tracer = nil
}

// leaveTrace is called before the shell becomes another program, which the trace does not
// see: it is told of the script's span, the trace ends, and nothing is held back.
func (l *log) leaveTrace(c *process.Command) {
	l.flushLog()
	if l.tracer != nil {
		c.Env = l.tracer.Environ(c.Env, c.ID)
		l.endTrace()
	}
}

// wrapEngine is the engine behind what the options put before it: faults, and spans that
// programs are told of.
func (l *log) wrapEngine(o *options, clock backoff.Clock, local interp.Engine) interp.Engine {
	if len(o.faults) > 0 {
		l.faults = inject.New(inject.Config{Runner: local, Clock: clock, Rules: o.faults, Seed: o.seed, Observe: l.tellShell})
		local = l.faults
	}
	if l.tracer != nil {
		local = &traced{Engine: local, tracer: l.tracer}
	}
	return local
}

// checkFaults names the rules of --inject that never fired. A test that tested nothing has not passed: of
// a script that succeeded it returns another status.
func (l *log) checkFaults(status int) int {
	if l.faults == nil {
		return status
	}
	for _, rule := range l.faults.Unfired() {
		missed := refuseToRun(errors.New("--inject "+rule), "")
		if status == statusSuccess {
			status = missed
		}
	}
	return status
}

// traced is an engine that tells programs of the span that they are in.
type traced struct {
	interp.Engine
	tracer *trace.Tracer
}

// Run runs a program; see [interp.Engine].
func (t *traced) Run(ctx context.Context, c *process.Command) (process.Status, error) {
	told := *c
	told.Env = t.tracer.Environ(c.Env, c.ID)
	return t.Engine.Run(ctx, &told)
}

// both is two observers of the same events.
type both struct{ first, second event.Observer }

// joinObservers is both observers; the first may be nil.
func joinObservers(first, second event.Observer) event.Observer {
	if first == nil {
		return second
	}
	return both{first, second}
}

// Enabled implements [event.Observer].
func (b both) Enabled(level int) bool { return b.first.Enabled(level) || b.second.Enabled(level) }

// Observe implements [event.Observer].
func (b both) Observe(e event.Event) {
	for _, one := range []event.Observer{b.first, b.second} {
		if one.Enabled(e.Level()) {
			one.Observe(e)
		}
	}
}
