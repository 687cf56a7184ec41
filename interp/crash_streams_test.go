package interp_test

import (
	"strings"
	"sync"
)

// texts are the pipes and captured output of a script as texts in memory, since a goroutine that
// waits for a pipe keeps the time of a test from going on. Files are empty, and hold nothing.
type texts struct {
	mu   sync.Mutex
	list map[int]string
	last int
}

const noText = 9 // of what is kept nowhere

func (s *texts) Open(string, bool) (int, error) { return noText, nil }

func (s *texts) New(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list, s.last = map[int]string{}, noText
	}
	s.last++
	s.list[s.last] = text
	return s.last
}

func (s *texts) Read(stream int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[stream]
}

func (s *texts) Line(stream int) (line string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.list[stream]
	line, rest, _ := strings.Cut(text, "\n")
	if text != "" {
		s.list[stream] = rest
	}
	return line, text != ""
}

func (s *texts) Write(stream int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, is := s.list[stream]; is {
		s.list[stream] = before + text
	}
}

func (s *texts) Close(stream int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.list, stream)
}
