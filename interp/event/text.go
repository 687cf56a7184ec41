package event

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Config holds the settings of a log. Its zero value logs nothing.
type Config struct {
	Level   int  // the highest level logged: Nothing, Summary, Failures, Commands, Structures, Processes
	JSON    bool // one JSON object per event and line, for programs; the package comment describes the members
	Decimal bool // text: seconds since 1970 with a fraction instead of the date
	Shell   int  // the process id that lines show; 0 means this process
}

// Log writes one line per event, for people unless Config.JSON says otherwise:
//
//	2026-11-21T01:30:36+01:00 [1234] backup.ftsh:7 failed: cp a b: exit status 1, after 0.4 s
//
// It is safe for concurrent use.
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
		l.out.writeEvent(l, e)
	}
}

// appendLine appends an event, newline included.
func (l *Log) appendLine(dst []byte, e Event) []byte {
	if l.config.JSON {
		return l.appendJSON(dst, e)
	}
	return append(appendMessage(append(l.appendOrigin(l.appendDate(dst, e.Time), e), ' '), e), '\n')
}

// appendDate appends what alone may be different in two lines that are told once.
func (l *Log) appendDate(dst []byte, t time.Time) []byte {
	if l.config.Decimal {
		return appendDecimal(dst, t)
	}
	return t.AppendFormat(dst, time.RFC3339)
}

// appendOrigin appends where an event comes from: the process and the place in its script.
func (l *Log) appendOrigin(dst []byte, e Event) []byte {
	dst = append(dst, " ["...)
	dst = strconv.AppendInt(dst, int64(l.config.Shell), 10)
	return appendPlace(append(dst, "] "...), e)
}

// appendDecimal appends Unix time in seconds with six decimals.
func appendDecimal(dst []byte, t time.Time) []byte {
	dst = append(strconv.AppendInt(dst, t.Unix(), 10), '.')
	return appendMicros(dst, t.Nanosecond()/1000)
}

// appendMicros appends six digits.
func appendMicros(dst []byte, micros int) []byte {
	for unit := 100000; unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+micros/unit%10))
	}
	return dst
}

// appendPlace appends "script:line", or "ftsh" for the shell as a whole.
func appendPlace(dst []byte, e Event) []byte {
	if !e.Pos.IsValid() || e.Pos.Source == nil {
		return append(dst, "ftsh"...)
	}
	dst = append(appendWord(dst, e.Pos.Source.Name, scriptWidth), ':')
	return strconv.AppendInt(dst, int64(e.Pos.Line), 10)
}

// signalName is "SIGTERM", or "signal 34" for one without a name.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return "signal " + strconv.Itoa(int(s))
}

// appendDuration appends a length of time for people: "0.4 ms", "250 ms",
// "4.1 s", "12 min 5 s", "3 h 20 min", "5 d 3 h".
func appendDuration(dst []byte, d time.Duration) []byte {
	// A limit of 700 ms is looked at 0.1 ms after it was set.
	if d = max(d, 0); d >= 10*time.Millisecond {
		d = d.Round(time.Millisecond)
	}
	switch {
	case d < 10*time.Millisecond:
		return append(appendTenths(dst, d, time.Millisecond), " ms"...)
	case d < time.Second:
		return append(strconv.AppendInt(dst, d.Milliseconds(), 10), " ms"...)
	case d < 100*time.Second:
		return append(appendTenths(dst, d, time.Second), " s"...)
	case d < time.Hour:
		return appendTwo(dst, d, time.Minute, " min", time.Second, " s")
	case d < 48*time.Hour:
		return appendTwo(dst, d, time.Hour, " h", time.Minute, " min")
	}
	return appendTwo(dst, d, 24*time.Hour, " d", time.Hour, " h")
}

// appendTenths appends a number of units with one decimal, unless that is 0.
func appendTenths(dst []byte, d, unit time.Duration) []byte {
	tenths := int64(d / (unit / 10))
	dst = strconv.AppendInt(dst, tenths/10, 10)
	if tenths%10 == 0 {
		return dst
	}
	return append(dst, '.', byte('0'+tenths%10))
}

// appendTwo appends a length in a large and a small unit; the small one only if it counts.
func appendTwo(dst []byte, d, large time.Duration, largeName string, small time.Duration, smallName string) []byte {
	dst = append(strconv.AppendInt(dst, int64(d/large), 10), largeName...)
	if rest := int64(d % large / small); rest > 0 {
		dst = append(strconv.AppendInt(append(dst, ' '), rest, 10), smallName...)
	}
	return dst
}
