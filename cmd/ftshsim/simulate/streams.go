package simulate

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// streams are the files, pipes and captured output of a client: texts. What a
// script writes to a file or to its own standard output goes nowhere.
type streams struct {
	texts []text // few at a time
	last  int
	heard response // the servers' last one
}

// response holds what headers tell of an answer.
type response struct {
	status uint16 // of HTTP; 0: there was no answer yet
	after  int32  // seconds; 0: nothing is said of it
}

type text struct {
	stream int
	holds  string
}

// nowhere is a stream that holds nothing and keeps nothing: 0, 1 and 2 of the
// script, and files.
const nowhere = 9

// Open implements [output.Streams]. Reading any file gives the headers of the
// last answer, for `retryafter -f`.
func (s *streams) Open(name string, write bool) (int, error) {
	if write || name == "/dev/null" {
		return nowhere, nil
	}
	return s.New(s.heard.headers()), nil
}

// New implements [output.Streams].
func (s *streams) New(holds string) int {
	s.last = max(s.last, nowhere) + 1
	s.texts = append(s.texts, text{s.last, holds})
	return s.last
}

// find returns a stream that holds a text; nil: it holds none.
func (s *streams) find(stream int) *text {
	for i := range s.texts {
		if s.texts[i].stream == stream {
			return &s.texts[i]
		}
	}
	return nil
}

// Read implements [output.Streams].
func (s *streams) Read(stream int) string {
	if t := s.find(stream); t != nil {
		return t.holds
	}
	return ""
}

// Line implements [output.Streams].
func (s *streams) Line(stream int) (line string, ok bool) {
	t := s.find(stream)
	if t == nil || t.holds == "" {
		return "", false
	}
	line, t.holds, _ = strings.Cut(t.holds, "\n")
	return line, true
}

// Write implements [output.Streams].
func (s *streams) Write(stream int, text string) {
	if t := s.find(stream); t != nil {
		t.holds += text
	}
}

// Close implements [output.Streams].
func (s *streams) Close(stream int) {
	s.texts = slices.DeleteFunc(s.texts, func(t text) bool { return t.stream == stream })
}

// responseOf returns what remains of an answer.
func responseOf(a server.Answer) response {
	r := response{http.StatusInternalServerError, int32(roundedSeconds(a.After))}
	switch {
	case a.OK:
		r.status = http.StatusOK
	case a.Limited:
		r.status = http.StatusTooManyRequests
	case a.Turned, a.After > 0:
		r.status = http.StatusServiceUnavailable
	}
	return r
}

// headers returns the text that `curl -D` would write.
func (r response) headers() string {
	if r.status == 0 {
		return ""
	}
	text := fmt.Sprintf("HTTP/1.1 %d %s\n", r.status, http.StatusText(int(r.status)))
	if r.after > 0 {
		text += fmt.Sprintf("Retry-After: %d\n", r.after)
	}
	return text
}

// roundedSeconds is a time as Retry-After has it: rounded up.
func roundedSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
