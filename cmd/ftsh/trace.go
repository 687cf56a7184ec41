package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ftsh/interp/event"
	"ftsh/interp/files"
	"ftsh/interp/process"
	"ftsh/interp/world"
)

// trace is the shell's side of ftsh-trace, which makes spans of the events in a pipe.
type trace struct {
	events, answer *os.File
	output         *event.Output // to events
	id, flags      string        // of TRACEPARENT, as ftsh-trace has made it
	span           uint64        // the script's own
}

// followTrace starts ftsh-trace, and hands it what happens. It is called before the shell takes in orphans, among which
// it would be taken for a command's.
func (l *log) followTrace(o *options) error {
	t, err := startTracer(o)
	if err != nil {
		l.closeLogs()
		return err
	}
	l.trace = t
	l.observer = joinObservers(l.observer, event.NewLog(t.output, event.Config{Level: event.Structures, JSON: true}))
	return nil
}

func startTracer(o *options) (*trace, error) {
	program, err := findTracer()
	if err != nil {
		return nil, err
	}
	service := "ftsh"
	if o.text == nil && o.try == nil && len(o.args) > 0 && o.args[0] != "-" {
		service = filepath.Base(o.args[0])
	}
	events, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = events.Close() }()
	answer, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	detach, err := os.StartProcess(program, []string{program, "--detach", o.trace, version, service},
		&os.ProcAttr{Files: []*os.File{events, theirs, nil}})
	if err == nil {
		_, err = detach.Wait()
	}
	_ = theirs.Close()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", program, unwrapped(err))
	}
	t := &trace{events: ours, answer: answer, output: event.OutputTo(int(ours.Fd()))}
	line, _ := bufio.NewReader(io.LimitReader(answer, 4096)).ReadString('\n')
	if _, err := fmt.Sscanf(line, "ready 00-%32s-%16x-%2s\n", &t.id, &t.span, &t.flags); err != nil {
		if line = strings.TrimSpace(line); line == "" {
			line = program + " does not know what this shell asks of it: is it of another version?"
		}
		return nil, errors.New(line)
	}
	return t, nil
}

// findTracer finds ftsh-trace, beside this program or on PATH.
func findTracer() (string, error) {
	self, _ := os.Executable() // "": only PATH is searched
	path := filepath.Dir(self) + ":" + os.Getenv("PATH")
	program, err := process.Find("ftsh-trace", path, files.Directory{})
	if err != nil {
		return "", errors.New("--trace needs the program ftsh-trace, beside ftsh or on PATH; " +
			"it is in the packages, and in cmd/ftsh-trace of the sources")
	}
	return program, nil
}

// environ returns the environment of a program that an execution runs: its TRACEPARENT names the span that ftsh-trace
// gives the execution, whose id it makes of the number in the same way.
func (t *trace) environ(environ []string, execution uint64) []string {
	isOuter := func(entry string) bool { return strings.HasPrefix(entry, "TRACEPARENT=") }
	return append(slices.DeleteFunc(slices.Clone(environ), isOuter),
		fmt.Sprintf("TRACEPARENT=00-%s-%016x-%s", t.id, max(t.span^execution*0x9e3779b97f4a7c15, 1), t.flags))
}

// endTrace ends the trace, and waits until what is left of it was sent, but no longer than ftsh-trace promises. What
// was lost is logged.
func (l *log) endTrace() {
	const patience = 3 * time.Second
	t := l.trace
	l.trace = nil
	lost, why := t.output.Lost()
	end := struct {
		Lost int
		Why  string
	}{Lost: lost, Why: fmt.Sprint(why)}
	_ = t.events.Close()
	_ = t.answer.SetReadDeadline(time.Now().Add(patience))
	text, err := io.ReadAll(t.answer)
	if err != nil {
		end.Lost, end.Why = max(end.Lost, 1), "ftsh-trace did not end"
	} else if len(text) > 0 && json.Unmarshal(text, &end) != nil {
		end.Lost, end.Why = max(end.Lost, 1), strings.TrimSpace(string(text))
	}
	_ = t.answer.Close()
	if end.Lost > 0 {
		l.tellShell(event.Event{Kind: event.TraceLost, Count: end.Lost, Message: end.Why})
	}
}

// leaveTrace ends the trace and writes what the log holds back before the shell becomes another program, whose
// environment names the script's span.
func (l *log) leaveTrace(c *world.Command) {
	l.flushLog()
	if l.trace != nil {
		c.Env = l.trace.environ(c.Env, c.ID)
		l.endTrace()
	}
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

// traced is a world that tells programs of the span that they are in.
type traced struct {
	world.World
	trace *trace
}

// Run runs a program; see [world.Programs].
func (t *traced) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	told := *c
	told.Env = t.trace.environ(c.Env, c.ID)
	return t.World.Run(ctx, &told)
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
