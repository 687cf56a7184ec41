package event

import (
	"bytes"
	"time"
)

// run is lines in a row that differ in their dates only. The first is written when it
// comes, so that a log read after a crash has it; how many followed, when they are over.
type run struct {
	first dateless
	next  dateless  // a line that has just come, and may belong to them
	more  int       // how many came after the first
	last  time.Time // when the last of them came
}

// dateless is a text line without its date.
type dateless struct {
	log    *Log // that it comes from; nil: there is none
	text   []byte
	origin int // how many bytes of it tell where it comes from
}

// countRepeat counts a line that differs from the one before in its date only. An object of a
// JSON log stands for itself.
func (o *Output) countRepeat(log *Log, e Event) bool {
	r := &o.run
	r.next.log = nil
	if log.config.JSON {
		return false
	}
	text := log.appendOrigin(r.next.text[:0], e)
	r.next = dateless{log: log, origin: len(text), text: appendMessage(append(text, ' '), e)}
	if r.first.log != log || !bytes.Equal(r.next.text, r.first.text) {
		return false
	}
	r.more++
	r.last = e.Time
	return true
}

// beginRun notes that the line which was asked about last was written.
func (o *Output) beginRun() { o.run.first, o.run.next = o.run.next, o.run.first }

// endRun writes how often the last line came again, if it did, and forgets it.
func (o *Output) endRun() error {
	first, more := o.run.first, o.run.more
	o.run.first.log, o.run.more = nil, 0
	if more == 0 {
		return nil
	}
	line := append(first.log.appendDate([]byte{'\n'}, o.run.last), first.text[:first.origin]...)
	return o.putLine(append(line, " the same "+countNoun(more, "more time")+"\n"...))
}
