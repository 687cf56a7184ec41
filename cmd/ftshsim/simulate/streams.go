package simulate

import (
	"strconv"
	"strings"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// streams are the files, pipes and captured output of a client: texts. What a
// script writes to a file or to its own standard output goes nowhere.
type streams struct {
	texts   map[int]string
	last    int
	headers string // what came with the server's last answer
}

// nowhere is a stream that holds nothing and keeps nothing: 0, 1 and 2 of the
// script, and files.
const nowhere = 9

// Open implements [interp.Streams]. Reading any file gives the headers of the
// last answer, for `retryafter -f`.
func (s *streams) Open(name string, write bool) (int, error) {
	if write || name == "/dev/null" {
		return nowhere, nil
	}
	return s.New(s.headers), nil
}

// New implements [interp.Streams].
func (s *streams) New(text string) int {
	if s.texts == nil {
		s.texts, s.last = map[int]string{}, nowhere
	}
	s.last++
	s.texts[s.last] = text
	return s.last
}

// Read implements [interp.Streams].
func (s *streams) Read(stream int) string { return s.texts[stream] }

// Line implements [interp.Streams].
func (s *streams) Line(stream int) (line string, ok bool) {
	text := s.texts[stream]
	if text == "" {
		return "", false
	}
	line, rest, _ := strings.Cut(text, "\n")
	s.texts[stream] = rest
	return line, true
}

// Write implements [interp.Streams].
func (s *streams) Write(stream int, text string) {
	if before, is := s.texts[stream]; is {
		s.texts[stream] = before + text
	}
}

// Close implements [interp.Streams].
func (s *streams) Close(stream int) { delete(s.texts, stream) }

// answered keeps the headers of an answer.
func (s *streams) answered(a server.Answer) {
	status := "500 Internal Server Error"
	switch {
	case a.OK:
		status = "200 OK"
	case a.Limited:
		status = "429 Too Many Requests"
	case a.Turned, a.After > 0:
		status = "503 Service Unavailable"
	}
	s.headers = "HTTP/1.1 " + status + "\n"
	if a.After > 0 {
		s.headers += "Retry-After: " + strconv.Itoa(seconds(a.After)) + "\n"
	}
}

// seconds is a time as Retry-After has it: rounded up.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
