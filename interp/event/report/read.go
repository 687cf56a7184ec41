package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
)

// record is a line of the log: the members that are needed here. The package event
// describes them.
type record struct {
	Time                                                         time.Time
	Event, Script, Name, Value, Failure, Reason, Message, Stderr string
	Level, Shell, Line, Status, Count, Attempt                   int
	ID, Parent, Branch                                           uint64
	Command, Asked                                               []string
	Elapsed, CPU                                                 float64
	Memory                                                       int64
}

// Read reads a log to its end: lines of JSON as --log-format json writes them, of several shells, too. Lines that are
// no events are passed over; it fails if none is one, or if in fails.
func Read(in io.Reader) (*Story, error) {
	b := newBuilder()
	lines := bufio.NewReaderSize(in, 64<<10)
	var err error
	for err == nil {
		var line []byte
		line, err = lines.ReadBytes('\n')
		b.readLine(line)
	}
	switch {
	case err != io.EOF:
		return nil, err
	case b.events == 0:
		return nil, errors.New("no line of it is an event: wanted a log that was written with --log-format json")
	}
	return b.finishStory(), nil
}

// readLine takes one line.
func (b *builder) readLine(line []byte) {
	line = bytes.TrimSpace(line)
	var r record
	switch err := json.Unmarshal(line, &r); {
	case len(line) == 0:
		return
	case err != nil || r.Event == "" || r.Time.IsZero():
		b.story.skipped++
		return
	}
	for _, text := range []*string{&r.Script, &r.Name, &r.Value, &r.Failure, &r.Reason, &r.Message} {
		*text = ast.OneLine(*text, math.MaxInt) // no line of a report is made by a name
	}
	b.events++
	b.takeRecord(&r)
}

// asDuration is a length of time as the log has it.
func asDuration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// scriptLine returns the place of a statement: SCRIPT:LINE.
func (r *record) scriptLine() string {
	if r.Script == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.Script, r.Line)
}

// whyFailed is the kind of a failure, its status, and the last line that the program wrote.
func (r *record) whyFailed() string {
	text := r.Failure
	if text == "exit" {
		text += " " + strconv.Itoa(r.Status)
	}
	last := r.lastWords()
	if last == "" && r.Failure != "exit" {
		last = r.Message
	}
	return strings.TrimSuffix(text+", "+last, ", ")
}

// lastWords returns the last line that the program wrote to standard error, as far as the log has it.
func (r *record) lastWords() string {
	text := strings.TrimSpace(r.Stderr)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
