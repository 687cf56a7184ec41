package event

import (
	"bytes"
	"time"
)

// run is lines in a row that differ in their dates only. The first was written when it
// came: a log that is read after a crash has it.
type run struct {
	log  *Log      // that the lines came from; nil: no line was written yet
	text []byte    // of each of them, after its date
	next []byte    // the same of a line that has just come, and may belong to them
	more int       // how many came after the first
	last time.Time // when the last of them came
}

// repeats counts a line that differs from the one before in its date only. An object of a
// JSON log stands for itself.
func (o *Output) repeats(log *Log, e Event) bool {
	if log.config.JSON {
		return false
	}
	r := &o.run
	r.next = log.appendRest(r.next[:0], e)
	if r.log == log && bytes.Equal(r.next, r.text) {
		r.more++
		r.last = e.Time
		return true
	}
	return false
}

// beginRun notes that the line which was asked about last is written, and begins a run.
func (o *Output) beginRun(log *Log) {
	r := &o.run
	r.text, r.next = r.next, r.text
	r.log = log
	if log.config.JSON {
		r.log = nil
	}
}

// endRun writes how often the last line came, if that was more than once, and forgets it.
func (o *Output) endRun() error {
	r := &o.run
	log, more := r.log, r.more
	r.log, r.more = nil, 0
	if more == 0 {
		return nil
	}
	line := log.appendDate([]byte{'\n'}, r.last)
	line = append(append(line, r.text...), " ("...)
	return o.put(append(appendCount(line, more, "more time"), ")\n"...))
}
