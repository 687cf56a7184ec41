package event

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// appendJSON appends an event as one object, newline included.
func (l *Log) appendJSON(dst []byte, e Event) []byte {
	o := object{line: append(dst, '{'), always: strings.Fields(e.Kind.row().always)}
	o.text("time", e.Time.Format("2006-01-02T15:04:05.000000Z07:00"))
	o.text("event", e.Kind.String())
	o.number("level", int64(e.Level()))
	o.number("shell", int64(l.config.Shell))
	if e.Pos.IsValid() && e.Pos.Source != nil {
		o.always = append(o.always, "script")
		o.text("script", e.Pos.Source.Name)
		o.number("line", int64(e.Pos.Line))
		o.number("column", int64(e.Pos.Column))
	}
	o.number("id", int64(e.ID))
	o.number("parent", int64(e.Parent))
	o.number("branch", int64(e.Branch))
	o.list("command", e.Command)
	o.text("name", e.Name)
	o.text("value", e.Value)
	o.number("pid", int64(e.PID))
	o.number("status", int64(e.Status))
	if e.Signal != 0 {
		o.text("signal", signalName(e.Signal))
	}
	if o.has("core", e.Core) {
		o.line = append(o.line, "true"...)
	}
	o.text("failure", e.Failure)
	o.text("reason", e.Reason)
	o.text("message", e.Message)
	o.text("stderr", e.Stderr)
	o.number("attempt", int64(e.Attempt))
	o.number("limit", int64(e.Limit))
	o.number("count", int64(e.Count))
	o.seconds("wait", e.Wait)
	o.seconds("elapsed", e.Elapsed)
	o.seconds("remaining", e.Remaining)
	if e.Job != nil {
		o.always = append(o.always, "cpu")
		o.list("asked", e.Job.Asked)
		o.seconds("cpu", e.Job.CPU)
		o.number("memory", e.Job.Memory)
	}
	o.number("left", int64(e.Left))
	o.list("items", e.Items)
	return append(o.line, "}\n"...)
}

// object is a JSON object that is being written. What is zero or empty is left out, unless the kind has it always.
type object struct {
	line   []byte
	always []string
}

// has reports whether a member is to be written, and begins it then.
func (o *object) has(name string, present bool) bool {
	if !present && !slices.Contains(o.always, name) {
		return false
	}
	if o.line[len(o.line)-1] != '{' {
		o.line = append(o.line, ',')
	}
	o.line = append(appendQuoted(o.line, name), ':')
	return true
}

func (o *object) text(name, value string) {
	if o.has(name, value != "") {
		o.line = appendQuoted(o.line, value)
	}
}

func (o *object) number(name string, n int64) {
	if o.has(name, n != 0) {
		o.line = strconv.AppendInt(o.line, n, 10)
	}
}

// seconds writes a length of time in whole microseconds.
func (o *object) seconds(name string, d time.Duration) {
	if o.has(name, d != 0) {
		o.line = strconv.AppendFloat(o.line, float64(d.Microseconds())/1e6, 'f', -1, 64)
	}
}

func (o *object) list(name string, values []string) {
	if !o.has(name, len(values) > 0) {
		return
	}
	o.line = append(o.line, '[')
	for i, value := range values {
		if i > 0 {
			o.line = append(o.line, ',')
		}
		o.line = appendQuoted(o.line, value)
	}
	o.line = append(o.line, ']')
}

// appendQuoted appends a string of JSON. Characters that JSON allows but that do not print are escaped, too: they could
// move the cursor of a terminal, or turn the direction of writing.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n' || r == '\r' || r == '\t':
			dst = appendEscape(dst, r, "")
		case printable(r, size):
			dst = append(dst, text[i:i+size]...)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
		}
		i += size
	}
	return append(dst, '"')
}
