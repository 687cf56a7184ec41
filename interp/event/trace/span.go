package trace

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ftsh/interp/event"
)

// The messages of OTLP that a span needs, as JSON has them.
type (
	span struct {
		TraceID      string      `json:"traceId"`
		SpanID       string      `json:"spanId"`
		ParentSpanID string      `json:"parentSpanId,omitempty"`
		Name         string      `json:"name"`
		Kind         int         `json:"kind"`
		Start        string      `json:"startTimeUnixNano"`
		End          string      `json:"endTimeUnixNano"`
		Attributes   []attribute `json:"attributes,omitempty"`
		Status       status      `json:"status"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"` // int64 is a string in JSON
		Array  *array  `json:"arrayValue,omitempty"`
	}
	array struct {
		Values []value `json:"values"`
	}
	status struct {
		Message string `json:"message,omitempty"`
		Code    int    `json:"code,omitempty"`
	}
)

const (
	kindInternal = 1 // SPAN_KIND_INTERNAL
	codeError    = 2 // STATUS_CODE_ERROR
)

// The most text that one attribute holds, in bytes, and the most words of a command.
const (
	mostText  = 1024
	mostWords = 32
)

// addBeginning adds what an event tells at the beginning.
func (s *span) addBeginning(e event.Event) {
	if e.Pos.IsValid() && e.Pos.Source != nil {
		s.addText("code.file.path", e.Pos.Source.Name)
		s.addNumber("code.line.number", int(e.Pos.Line))
	}
	if len(e.Command) > 0 {
		words := &array{}
		for _, word := range e.Command[:min(len(e.Command), mostWords)] {
			words.Values = append(words.Values, textValue(word))
		}
		s.Attributes = append(s.Attributes, attribute{"process.command_args", value{Array: words}})
	}
	if e.Attempt > 0 {
		s.addNumber("ftsh.attempt", e.Attempt)
	}
	if e.Wait > 0 {
		s.addText("ftsh.wait", e.Wait.String())
	}
}

// addEnd adds what an event tells at the end.
func (s *span) addEnd(e event.Event) {
	switch e.Kind {
	case event.CommandEnd, event.CommandFailed, event.ShellEnd:
		s.addNumber("process.exit.code", e.Status)
	}
	if e.Failure == "" {
		return
	}
	s.addText("ftsh.failure", e.Failure)
	if e.Reason != "" {
		s.addText("ftsh.reason", e.Reason)
	}
	s.Status = status{Code: codeError, Message: shortText(e.Message)}
}

func (s *span) addText(key, text string) {
	s.Attributes = append(s.Attributes, attribute{key, textValue(text)})
}

func (s *span) addNumber(key string, n int) {
	text := strconv.Itoa(n)
	s.Attributes = append(s.Attributes, attribute{key, value{Int: &text}})
}

func textValue(text string) value {
	text = shortText(text)
	return value{String: &text}
}

// shortText is a text that is valid and not long.
func shortText(text string) string {
	if len(text) > mostText {
		end := mostText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

func unixNanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// link holds TRACEPARENT (W3C Trace Context): a trace, and a span in it.
type link struct {
	trace, span string // in hex
	sampled     bool   // it is recorded
}

// newLink reads TRACEPARENT; what is not valid begins a new trace.
func newLink(text string) link {
	form := regexp.MustCompile(`^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$`)
	match := form.FindStringSubmatch(text)
	valid := match != nil && !strings.HasPrefix(text, "ff") &&
		strings.Trim(match[1], "0") != "" && strings.Trim(match[2], "0") != "" &&
		(match[4] == "" || !strings.HasPrefix(text, "00"))
	if !valid {
		return link{trace: fmt.Sprintf("%016x%016x", rand.Uint64()|1, rand.Uint64()), sampled: true}
	}
	flags, _ := strconv.ParseUint(match[3], 16, 8)
	return link{trace: match[1], span: match[2], sampled: flags&1 != 0}
}

// String is the link as TRACEPARENT has it.
func (l link) String() string {
	flags := "00"
	if l.sampled {
		flags = "01"
	}
	return "00-" + l.trace + "-" + l.span + "-" + flags
}

func newSpanID() string { return fmt.Sprintf("%016x", rand.Uint64()|1) }
