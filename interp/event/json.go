package event

import (
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// timeLayout is RFC 3339 with microseconds.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

func (l *Log) appendJSON(dst []byte, e Event) []byte {
	o := object{dst: dst, always: e.Kind.fields()}
	o.dst = append(o.dst, `{"time":"`...)
	o.dst = append(e.Time.AppendFormat(o.dst, timeLayout), `","event":"`...)
	o.dst = append(append(o.dst, e.Kind.String()...), `","level":`...)
	o.dst = strconv.AppendInt(o.dst, int64(e.Level()), 10)
	o.number(`,"shell":`, int64(l.config.Shell), hasNone)
	o.place(e)
	o.number(`,"id":`, int64(e.ID), hasNone)
	o.number(`,"parent":`, int64(e.Parent), hasNone)
	o.number(`,"branch":`, int64(e.Branch), hasNone)
	o.words(`,"command":`, e.Command)
	o.text(`,"name":`, e.Name, hasName)
	o.text(`,"value":`, e.Value, hasValue)
	o.number(`,"pid":`, int64(e.PID), hasNone)
	o.outcome(e)
	o.number(`,"attempt":`, int64(e.Attempt), hasAttempt)
	o.number(`,"limit":`, int64(e.Limit), hasNone)
	o.number(`,"count":`, int64(e.Count), hasCount)
	o.seconds(`,"wait":`, e.Wait, hasWait)
	o.seconds(`,"elapsed":`, e.Elapsed, hasElapsed)
	o.seconds(`,"remaining":`, e.Remaining, hasNone)
	return append(o.dst, '}', '\n')
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

// object is a JSON object under construction. Its methods append a member
// unless it is zero and not one of those that this kind of event has always.
// A key comes with the comma before it and the colon after it.
type object struct {
	dst    []byte
	always fields
}

// place appends where the statement stands.
func (o *object) place(e Event) {
	if !e.Pos.IsValid() || e.Pos.Source == nil {
		return
	}
	o.dst = append(o.dst, `,"script":`...)
	o.dst = appendString(o.dst, e.Pos.Source.Name)
	o.number(`,"line":`, int64(e.Pos.Line), hasNone)
	o.number(`,"column":`, int64(e.Pos.Column), hasNone)
}

// outcome appends how something ended.
func (o *object) outcome(e Event) {
	o.number(`,"status":`, int64(e.Status), hasStatus)
	if e.Signal != 0 {
		o.text(`,"signal":`, signalName(e.Signal), hasNone)
	}
	if e.Core {
		o.dst = append(o.dst, `,"core":true`...)
	}
	o.text(`,"failure":`, e.Failure, hasFailure)
	o.text(`,"reason":`, e.Reason, hasNone)
	o.text(`,"message":`, e.Message, hasNone)
	o.text(`,"stderr":`, e.Stderr, hasNone)
}

func (o *object) number(key string, n int64, member fields) {
	if n != 0 || o.always&member != 0 {
		o.dst = strconv.AppendInt(append(o.dst, key...), n, 10)
	}
}

func (o *object) text(key, value string, member fields) {
	if value != "" || o.always&member != 0 {
		o.dst = appendString(append(o.dst, key...), value)
	}
}

func (o *object) seconds(key string, d time.Duration, member fields) {
	if d != 0 || o.always&member != 0 {
		o.dst = appendSeconds(append(o.dst, key...), d)
	}
}

func (o *object) words(key string, words []string) {
	if len(words) == 0 && o.always&hasCommand == 0 {
		return
	}
	o.dst = append(append(o.dst, key...), '[')
	for i, word := range words {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = appendString(o.dst, word)
	}
	o.dst = append(o.dst, ']')
}

// appendSeconds appends a length of time in seconds, with at most six decimals.
func appendSeconds(dst []byte, d time.Duration) []byte {
	if d < 0 {
		dst, d = append(dst, '-'), -d
	}
	dst = strconv.AppendInt(dst, int64(d/time.Second), 10)
	micros := int(d % time.Second / time.Microsecond)
	if micros == 0 {
		return dst
	}
	dst = appendMicros(append(dst, '.'), micros)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendString appends a JSON string. A byte that is not part of valid UTF-8
// becomes U+FFFD, one for each, as JSON has no way to say it that all programs
// accept.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	begin := 0
	for i := 0; i < len(s); {
		if plain(s[i]) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if escape := mustEscape(r, size); escape {
			dst = append(dst, s[begin:i]...)
			dst = appendRune(dst, r)
			begin = i + size
		}
		i += size
	}
	return append(append(dst, s[begin:]...), '"')
}

// plain reports whether a byte is a character that a JSON string shows as it is.
func plain(c byte) bool { return ' ' <= c && c < 0x7f && c != '"' && c != '\\' }

// mustEscape reports whether a rune is invalid, not allowed in a JSON string, or
// one that does not print: it could move the cursor of a terminal, or turn the direction of writing.
func mustEscape(r rune, size int) bool {
	return r < 0xa0 || !printable(r, size) // what plain leaves of ASCII, and the C1 controls
}

// appendRune appends a rune that must not stand for itself.
func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendRune(appendRune(dst, high), low)
	}
	return append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
