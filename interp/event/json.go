package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// timeLayout is RFC 3339 with microseconds.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// object has the members of a line, in their order. Those that are pointers here have to be
// there for some kinds even if they are zero or empty.
type object struct {
	Time  string `json:"time"`
	Event string `json:"event"`
	Level int    `json:"level"`
	Shell int    `json:"shell,omitempty"`
	*statement
	ID        uint64   `json:"id,omitempty"`
	Parent    uint64   `json:"parent,omitempty"`
	Branch    uint64   `json:"branch,omitempty"`
	Command   []string `json:"command,omitzero"`
	Name      *string  `json:"name,omitempty"`
	Value     *string  `json:"value,omitempty"`
	PID       int      `json:"pid,omitempty"`
	Status    *int     `json:"status,omitempty"`
	Signal    string   `json:"signal,omitempty"`
	Core      bool     `json:"core,omitempty"`
	Failure   *string  `json:"failure,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	Message   string   `json:"message,omitempty"`
	Stderr    string   `json:"stderr,omitempty"`
	Attempt   *int     `json:"attempt,omitempty"`
	Limit     int      `json:"limit,omitempty"`
	Count     *int     `json:"count,omitempty"`
	Wait      *float64 `json:"wait,omitempty"`
	Elapsed   *float64 `json:"elapsed,omitempty"`
	Remaining *float64 `json:"remaining,omitempty"`
	Asked     []string `json:"asked,omitempty"`
	CPU       *float64 `json:"cpu,omitempty"`
	Memory    int64    `json:"memory,omitempty"`
	Left      int      `json:"left,omitempty"`
	Items     []string `json:"items,omitempty"`
}

// statement has the members that say where a statement stands.
type statement struct {
	Script string `json:"script"`
	Line   int32  `json:"line,omitempty"`
	Column int32  `json:"column,omitempty"`
}

// appendJSON appends an event as one object, newline included.
func (l *Log) appendJSON(dst []byte, e Event) []byte {
	always := e.Kind.alwaysThere()
	o := object{
		Time: e.Time.Format(timeLayout), Event: e.Kind.String(), Level: e.Level(), Shell: l.config.Shell,
		ID: e.ID, Parent: e.Parent, Branch: e.Branch,
		Name: jsonMember(e.Name, always&hasName), Value: jsonMember(e.Value, always&hasValue),
		PID: e.PID, Status: jsonMember(e.Status, always&hasStatus), Core: e.Core,
		Failure: jsonMember(e.Failure, always&hasFailure), Reason: e.Reason, Message: e.Message, Stderr: e.Stderr,
		Attempt: jsonMember(e.Attempt, always&hasAttempt), Limit: e.Limit, Count: jsonMember(e.Count, always&hasCount),
		Wait: jsonSeconds(e.Wait, always&hasWait), Elapsed: jsonSeconds(e.Elapsed, always&hasElapsed),
		Remaining: jsonSeconds(e.Remaining, hasNone), Left: e.Left, Items: e.Items,
	}
	if e.Pos.IsValid() && e.Pos.Source != nil {
		o.statement = &statement{e.Pos.Source.Name, e.Pos.Line, e.Pos.Column}
	}
	if len(e.Command) > 0 || always&hasCommand != 0 {
		o.Command = append([]string{}, e.Command...)
	}
	if e.Signal != 0 {
		o.Signal = signalName(e.Signal)
	}
	if e.Job != nil {
		o.Asked, o.CPU, o.Memory = e.Job.Asked, jsonSeconds(e.Job.CPU, hasElapsed), e.Job.Memory
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(o) // of strings and numbers that JSON has
	return appendPrintable(dst, line.Bytes())
}

// fields is a set of members.
type fields uint16

// The members that some kinds have always, even if they are zero or empty.
const (
	hasCommand fields = 1 << iota
	hasName
	hasValue
	hasStatus
	hasFailure
	hasAttempt
	hasCount
	hasWait
	hasElapsed

	hasNone fields = 0
)

// jsonMember returns a pointer to a value, or nil if it is zero and not always there.
func jsonMember[T comparable](value T, always fields) *T {
	var zero T
	if value == zero && always == hasNone {
		return nil
	}
	return &value
}

// jsonSeconds returns a length of time in seconds, in whole microseconds.
func jsonSeconds(d time.Duration, always fields) *float64 {
	if d == 0 && always == hasNone {
		return nil
	}
	s := float64(d.Microseconds()) / 1e6
	return &s
}

// appendPrintable appends a line of JSON, and escapes the characters that JSON allows but that do not
// print: they could move the cursor of a terminal, or turn the direction of writing.
func appendPrintable(dst, line []byte) []byte {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case r == '\\':
			size = 2
			dst = appendEscaping(dst, line[i+1])
		case r == '\n' || printable(r, size):
			dst = append(dst, line[i:i+size]...)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
		}
		i += size
	}
	return dst
}

// appendEscaping appends what encoding/json has escaped; the log has two of them by number.
func appendEscaping(dst []byte, c byte) []byte {
	switch c {
	case 'b':
		return append(dst, `\u0008`...)
	case 'f':
		return append(dst, `\u000c`...)
	}
	return append(dst, '\\', c)
}
