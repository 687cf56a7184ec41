package durable

import (
	"context"
	"strconv"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// The keys of a unit: what a script does as a whole, so that it is known only whether
// it was begun and whether it has ended. What runs within leaves no records.
const (
	keyBegin = "begin"
	keyEnd   = "end"
	keyWait  = "wait" // of a wait: until when, in the script's time
)

const kindBegin = "begin" // of the record that a unit begins

// Unit is the journal's record of a unit that begins.
type Unit struct {
	Line     int32         `json:"line"`
	File     string        `json:"file,omitempty"`
	Text     string        `json:"text"`           // in the script: values of words may be secrets
	Item     Text          `json:"item,omitempty"` // of the innermost loop, for people
	Time     time.Duration `json:"time"`
	Apart    time.Duration `json:"apart,omitempty"`    // what the date was ahead of Time, if much
	Attempt  int           `json:"attempt,omitempty"`  // of the innermost try
	Captures bool          `json:"captures,omitempty"` // it sets variables
	Job      Text          `json:"job,omitempty"`      // the folder of its job, which outlives the shell
	Within   uint64        `json:"within,omitempty"`   // the inode of the folder that this lies in
}

// Past tells in which state an earlier run left a unit.
type Past uint8

// An earlier run has not come to the unit, or it is run again; has ended it; or left it under way.
const (
	NotBegun Past = iota
	HasEnded
	WasUnderWay
)

// Before tells what an earlier run left of the statement under way as a unit: how it ended, or its text.
func (p *Place) Before(ending any) (past Past, text string) {
	if !p.Resumed() {
		return NotBegun, ""
	}
	if p.script.read(p.Here(), keyEnd, ending) {
		return HasEnded, ""
	}
	var begun Unit
	if p.script.read(p.Here(), keyBegin, &begun) && !p.repeats {
		return WasUnderWay, begun.Text
	}
	return NotBegun, ""
}

// HasBegun reports whether an earlier run has begun the statement under way as a unit.
func (p *Place) HasBegun() bool { return p.Resumed() && p.script.read(p.Here(), keyBegin, new(Unit)) }

// HasEnded reports whether it has ended it.
func (p *Place) HasEnded() bool {
	return p.Resumed() && p.script.read(p.Here(), keyEnd, new(struct{}))
}

// Awaited is the job that the statement under way has begun for an earlier run; nil: none, or it has ended.
func (p *Place) Awaited() *Unit {
	var begun Unit
	if !p.Resumed() || p.HasEnded() || !p.script.read(p.Here(), keyBegin, &begun) || begun.Job == "" {
		return nil
	}
	return &begun
}

// Begin writes that a unit begins at that position of the script, and waits until that is on disk. If it
// cannot be written the script is suspended, and the unit must not begin.
func (p *Place) Begin(state State, pos ast.Pos, u Unit) error {
	s := p.script
	if s.dry {
		return errDry
	}
	u.Line, u.Time = pos.Line, s.ToScript(s.clock())
	u.File, u.Text = s.secrets.Hide(pos.SourceName()), s.secrets.Hide(pos.RestOfLine())
	if apart := s.wallNow() - u.Time; apart.Abs() > usuallyApart {
		u.Apart = apart
	}
	s.inputs.sample(p.Here(), false)
	changes := []Change{Set(p.Here(), keyBegin, u)}
	if p.resumed && s.read(p.Here(), keySaid, new(savedLine)) {
		changes = append(changes, Change{Path: p.Here(), Key: keySaid}) // in an earlier run
	}
	r := p.recordOf(state, kindBegin, changes...)
	r.Note = map[string]any{"line": u.Line, "text": u.Text}
	mark := s.write(r)
	p.below = true
	return s.sync(mark)
}

// usuallyApart is by how much the date and time may differ from the script's time although nobody has set them.
const usuallyApart = time.Millisecond

// Ending holds the end of a unit as the journal keeps it, and its status.
type Ending struct {
	Value  any
	Status int
}

// End writes that a unit has ended, with changes of its own.
func (p *Place) End(state State, pos ast.Pos, e Ending, own ...Change) journal.Mark {
	s := p.script
	s.Journal.SyncAll()
	s.inputs.order.Lock()
	defer s.inputs.order.Unlock()
	s.inputs.sample(p.Here(), true)
	own = append(append(own, Set(p.Here(), keyEnd, e.Value)), s.inputs.unwritten(p.Here())...)
	r := p.recordOf(state, "end", own...)
	text := pos.RestOfLine()
	r.Recent = s.secrets.Hide(pos.SourceName() + ":" + strconv.Itoa(int(pos.Line)) + ": " + text)
	mark := s.write(r)
	s.noteEnd(p.Here(), pos, text, e.Status, mark)
	return mark
}

// EndJob writes that a unit has ended which is a job, and then calls forget, if it is not nil and that is on disk.
func (p *Place) EndJob(state State, pos ast.Pos, e Ending, forget func(), own ...Change) {
	mark := p.End(state, pos, e, own...)
	if forget != nil && p.script.sync(mark) == nil {
		forget()
	}
}

// Lose notes how a unit has ended whose end is not written, since the script is suspended.
func (p *Place) Lose(pos ast.Pos, status int) {
	if p.script.Journal.Err() != nil {
		p.script.noteEnd(p.Here(), pos, pos.RestOfLine(), status, 0)
	}
}

// WaitUntil is the end of a wait that begins now and shall end at that moment on the clock, or that
// which an earlier run has begun. It is on disk before the wait. If it cannot be written the script is suspended.
func (p *Place) WaitUntil(ctx context.Context, state State, end time.Duration) (time.Duration, error) {
	if p == nil {
		return end, nil
	}
	s := p.script
	if s.dry {
		return end, errDry
	}
	var until time.Duration
	if p.resumed && s.read(p.Here(), keyWait, &until) {
		p.Abandoned()
		return s.ToClock(until), nil
	}
	if ctx.Err() != nil {
		return end, nil
	}
	mark := p.record(state, "wait", Set(p.Here(), keyWait, s.ToScript(end)))
	p.below = true
	return end, s.sync(mark)
}

// Sync writes where the script is before something waits that has told its end by [Decide].
func (p *Place) Sync(state State, kind string) {
	mark := p.record(state, kind)
	p.below = true
	if !p.script.dry {
		_ = p.script.sync(mark) // it has suspended the script
	}
}

// Note writes where the script is, with changes of its own.
func (p *Place) Note(state State, kind string, own ...Change) {
	p.record(state, kind, own...)
	p.below = true
}
