package event

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
)

// Config holds the settings of a log. Its zero value logs nothing.
type Config struct {
	Level   int  // the highest level logged: Nothing, Summary, Failures, Commands, Structures, Processes
	JSON    bool // one JSON object per event and line, for programs; the package comment describes the members
	Decimal bool // text: seconds since 1970 with a fraction instead of the date
	Shell   int  // the process id that lines show; 0 means this process
}

// Log writes one line per event, for people unless Config.JSON says otherwise. It is safe for concurrent use.
type Log struct {
	out    *Output
	config Config
}

// NewLog makes a log that writes to out.
func NewLog(out *Output, c Config) *Log {
	if c.Shell == 0 {
		c.Shell = os.Getpid()
	}
	return &Log{out: out, config: c}
}

// Enabled reports whether events of that level are logged.
func (l *Log) Enabled(level int) bool { return level <= l.config.Level }

// Observe writes the event's line.
func (l *Log) Observe(e Event) {
	if e.Level() <= l.config.Level {
		e.terse = l.config.Level < Structures
		l.out.writeEvent(l, e)
	}
}

// appendLine appends an event, newline included.
func (l *Log) appendLine(dst []byte, e Event) []byte {
	if l.config.JSON {
		return l.appendJSON(dst, e)
	}
	return append(appendMessage(append(l.appendOrigin(l.appendDate(dst, e.Time), e.Pos), ' '), e), '\n')
}

// appendDate appends what alone may be different in two lines that are told once.
func (l *Log) appendDate(dst []byte, t time.Time) []byte {
	if l.config.Decimal {
		return fmt.Appendf(dst, "%d.%06d", t.Unix(), t.Nanosecond()/1000)
	}
	return t.AppendFormat(dst, time.RFC3339)
}

// appendOrigin appends where an event comes from: the process and the place in its script, or "ftsh" for the shell as
// a whole.
func (l *Log) appendOrigin(dst []byte, pos ast.Pos) []byte {
	dst = strconv.AppendInt(append(dst, " ["...), int64(l.config.Shell), 10)
	dst = append(dst, "] "...)
	if !pos.IsValid() || pos.Source == nil {
		return append(dst, "ftsh"...)
	}
	dst = append(appendWord(dst, pos.Source.Name, scriptWidth), ':')
	return strconv.AppendInt(dst, int64(pos.Line), 10)
}

// signalName is "SIGTERM", or "signal 34" for one without a name.
func signalName(s syscall.Signal) string {
	return cmp.Or(unix.SignalName(s), "signal "+strconv.Itoa(int(s)))
}
