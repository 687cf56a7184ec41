package interp

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// The keys of a unit: what a script does as a whole, so that it is known only whether
// it was begun and whether it has ended. What runs within leaves no records.
const (
	keyBegin = "begin"
	keyEnd   = "end"
)

const kindBegin = "begin" // of the record that a unit begins

// begun is what the journal says of a unit that begins.
type begun struct {
	Line     int32         `json:"line"`
	File     string        `json:"file,omitempty"`
	Text     string        `json:"text"` // in the script: values of words may be secrets
	Time     time.Duration `json:"time"`
	Apart    time.Duration `json:"apart,omitempty"`    // what the date was ahead of Time, if much
	Attempt  int           `json:"attempt,omitempty"`  // of the innermost try
	Captures bool          `json:"captures,omitempty"` // it sets variables
	Job      journal.Text  `json:"job,omitempty"`      // the folder of its job, which outlives the shell
	Within   uint64        `json:"within,omitempty"`   // the inode of the folder that this lies in
}

// unit runs something as a unit. Its begin is on disk before it starts; if an earlier run has ended
// it, it ends so again, and if that has only begun it, it fails with kind unknown.
func (f *frame) unit(ctx context.Context, pos ast.Pos, captures bool, run func() error) error {
	if f.place == nil {
		return run()
	}
	if err, known := f.unitBefore(pos); known {
		return err
	}
	if ctx.Err() != nil {
		return f.cutOff(ctx, pos)
	}
	if err := f.beginUnit(ctx, pos, begun{Captures: captures}); err != nil {
		return err
	}
	place, unit := f.place, &said{durable: f.run.durable, path: f.place.here()}
	f.place, f.said = nil, unit
	var err error
	if around := f.run.durable.around; around != nil {
		err = around(f, place, pos, run)
	} else {
		err = run()
	}
	f.place, f.said = place, nil
	if f.run.durable.leavesOpen(err) {
		f.run.durable.noteLost(place.here(), pos, err)
		return err
	}
	f.endUnit(pos, err, unit.end()...)
	return err
}

// endUnit writes that a unit has ended.
func (f *frame) endUnit(pos ast.Pos, err error, own ...journal.Change) journal.Mark {
	d := f.run.durable
	changes := f.keepWritten(append(own, change(f.place.here(), keyEnd, d.saveEnding(err))))
	d.Journal.SyncAll()
	d.inputs.order.Lock()
	defer d.inputs.order.Unlock()
	d.inputs.sample(true)
	r := f.recordOf("end", append(changes, d.inputs.unwritten()...)...)
	r.Recent = fmt.Sprintf("%s:%d: %s", sourceName(pos), pos.Line, statementText(pos))
	mark := d.Journal.Write(r)
	d.noteEnd(f.place.here(), pos, err, mark)
	return mark
}

func sourceName(pos ast.Pos) string {
	if pos.Source == nil {
		return ""
	}
	return pos.Source.Name
}

// unitBefore is how a unit ended for an earlier run.
func (f *frame) unitBefore(pos ast.Pos) (err error, known bool) {
	if !f.place.resumed {
		return nil, false
	}
	var end savedEnding
	if f.resumed(keyEnd, &end) {
		return end.error(f), true
	}
	var begin begun
	if f.resumed(keyBegin, &begin) && !f.place.repeats {
		if f.abandoned() {
			return f.cutOff(f.run.durable.ctx, pos), true
		}
		failure := failed(KindUnknown, pos, "was under way when the shell ended; whether it did its work is unknown")
		failure.Command = begin.Text
		return f.announce(failure), true
	}
	return nil, false
}

// abandoned reports whether the script is to be abandoned, and has come to where it was: it is cut off there.
func (f *frame) abandoned() bool {
	d := f.run.durable
	if d.Abandon && !f.place.repeats {
		d.cancel(errAbandoned)
	}
	return d.Abandon && !f.place.repeats
}

// beginUnit writes that a unit begins.
func (f *frame) beginUnit(ctx context.Context, pos ast.Pos, b begun) error {
	d := f.run.durable
	b.Line, b.File, b.Text, b.Time = pos.Line, sourceName(pos), statementText(pos), d.toScript(f.run.clock.Now())
	if apart := d.wallNow() - b.Time; apart.Abs() > usuallyApart {
		b.Apart = apart
	}
	if f.try != nil {
		b.Attempt = f.try.number
	}
	d.inputs.sample(false)
	changes := []journal.Change{change(f.place.here(), keyBegin, b)}
	if f.resumed(keySaid, new(savedLine)) {
		changes = append(changes, journal.Change{Path: f.place.here(), Key: keySaid}) // in an earlier run
	}
	mark := f.record(kindBegin, map[string]any{"line": b.Line, "text": b.Text}, changes...)
	f.place.below = true
	if d.sync(mark) != nil {
		return f.cutOff(d.ctx, pos)
	}
	return nil
}

// usuallyApart is by how much the date and time may differ from the script's time although nobody has set them.
const usuallyApart = time.Millisecond

// statementText is the line of the script that a statement begins in, from there on.
func statementText(pos ast.Pos) string {
	if pos.Source == nil || int(pos.Offset) >= len(pos.Source.Text) {
		return ""
	}
	rest := pos.Source.Text[pos.Offset:]
	for i := range len(rest) {
		if rest[i] == '\n' || rest[i] == '\r' {
			rest = rest[:i]
			break
		}
	}
	return shortened(rest, mostSummary)
}

// suspicion is how long after the death of a unit by a signal one that the shell receives may
// explain it: a shutdown sends both at about the same time.
const suspicion = time.Second

// leavesOpen reports whether a unit that came back so counts as under way, since the script is
// suspended. One that a signal of a shutdown may have ended waits for that of the shell.
func (d *durable) leavesOpen(err error) bool {
	if d.Abandon {
		return false
	}
	if failure := asFailure(err); failure != nil && diesOfShutdown(failure) {
		late := make(chan struct{})
		timer := d.run.clock.AfterFunc(d.run.clock.Now()+suspicion, func() { close(late) })
		defer timer.Stop()
		select {
		case <-d.ctx.Done():
		case <-late:
		}
	}
	return d.ctx.Err() != nil
}

// diesOfShutdown reports whether a failure looks like that of a program which was told to end.
func diesOfShutdown(failure *Failure) bool {
	if failure.Kind != KindSignal && failure.Kind != KindExit {
		return false
	}
	switch syscall.Signal(failure.Status - 128) {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGKILL:
		return true
	}
	return false
}

// errAbandoned is the cause with which a script that is abandoned is cut off.
var errAbandoned = errors.New("the script was abandoned")

// blockUnit reports whether a block with those redirections is a unit: with anything but output to
// files it cannot go on in the middle.
func blockUnit(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.Out, ast.Append, ast.Both, ast.AppendBoth:
		default:
			return true
		}
	}
	return false
}

// captures reports whether redirections set variables.
func captures(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.ToVar, ast.AppendVar, ast.BothVar, ast.AppendBothVar:
			return true
		}
	}
	return false
}

// toFile reports whether redirections open a file.
func toFile(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.Out, ast.Append, ast.Both, ast.AppendBoth, ast.Atomic, ast.In:
			return true
		}
	}
	return false
}

// waitUntil is the end of a wait that begins now and shall end at that moment on the clock, or that
// which an earlier run has begun. It is on disk before the wait.
func (f *frame) waitUntil(ctx context.Context, pos ast.Pos, end time.Duration) (time.Duration, error) {
	if f.place == nil {
		return end, nil
	}
	d := f.run.durable
	var until time.Duration
	if f.resumed(keyWait, &until) {
		f.abandoned()
		return d.toClock(until), nil
	}
	if ctx.Err() != nil {
		return end, nil
	}
	mark := f.record("wait", nil, change(f.place.here(), keyWait, d.toScript(end)))
	f.place.below = true
	if d.sync(mark) != nil {
		return end, f.cutOff(d.ctx, pos)
	}
	return end, nil
}

const keyWait = "wait" // until when, in the script's time
