package event

import (
	"bytes"
	"time"

	"ftsh/ast"
)

// run is lines in a row that differ in their dates only. The first is written when it
// comes, so that a log read after a crash has it; how many followed, when they are over.
type run struct {
	log   *Log      // that they come from; nil: there are none
	pos   ast.Pos   // of their events
	first []byte    // the first of them, without its date
	next  []byte    // a line that has just come, and may belong to them
	more  int       // how many came after the first
	last  time.Time // when the last of them came
}

// countRepeat counts a line that differs from the one before in its date only. An object of a
// JSON log stands for itself.
func (o *Output) countRepeat(log *Log, e Event) bool {
	if log.config.JSON {
		return false
	}
	r := &o.run
	r.next = appendMessage(append(log.appendOrigin(r.next[:0], e.Pos), ' '), e)
	if r.log != log || !bytes.Equal(r.next, r.first) {
		return false
	}
	r.more++
	r.last = e.Time
	return true
}

// beginRun notes the line that countRepeat was asked about last, which was written.
func (o *Output) beginRun(log *Log, e Event) {
	if !log.config.JSON {
		o.run = run{log: log, pos: e.Pos, first: o.run.next, next: o.run.first}
	}
}

// endRun writes how often the last line came again, if it did, and forgets it.
func (o *Output) endRun() error {
	r := &o.run
	log, more := r.log, r.more
	r.log, r.more = nil, 0
	if more == 0 {
		return nil
	}
	line := log.appendOrigin(log.appendDate([]byte{'\n'}, r.last), r.pos)
	return o.putLine(append(line, " the same "+countNoun(more, "more time")+"\n"...))
}
