package interp_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/files"
	"ftsh/interp/local"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// at is this machine as the world of a script, but for its programs and its clock.
func at(programs local.Programs, clock backoff.Clock) world.World {
	return local.New(local.Config{Programs: programs, Clock: clock})
}

// findsAll is a world in which every program is there but missing.
type findsAll struct{ world.World }

func (findsAll) Find(name, _ string, _ files.Directory) (string, error) {
	if name == "missing" {
		return "", fs.ErrNotExist
	}
	return name, nil
}

// withBuiltins adds builtins to those of a configuration.
func withBuiltins(config *interp.Config, more map[string]interp.Builtin) {
	before := config.Builtin
	config.Builtin = func(words []string) interp.Builtin {
		if b := more[words[0]]; b != nil || before == nil {
			return b
		}
		return before(words)
	}
}

// gated is a world with another way to resources.
type gated struct {
	world.World
	gate world.Gate
}

func (g gated) Resource(string, func(string) (string, bool)) (world.Gate, error) { return g.gate, nil }

// texts are the files, pipes and captured output of a script as texts in memory, since a goroutine that
// waits for a pipe keeps the time of a test from going on. Files are empty, and hold nothing.
type texts struct {
	mu   sync.Mutex
	list map[int]string
	ends map[int]int // of pipes, that are not closed
	last int
}

const noText = 1000 // of what is kept nowhere; no descriptor has that number

func (s *texts) add(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list, s.ends, s.last = map[int]string{}, map[int]int{}, noText
	}
	s.last++
	s.list[s.last] = text
	return s.last
}

func (s *texts) text(stream int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list[stream]
}

func (s *texts) write(stream int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, is := s.list[stream]; is {
		s.list[stream] = before + text
	}
}

func (s *texts) Open(context.Context, files.Directory, string, int) (int, error) {
	return s.add(""), nil
}
func (s *texts) Named(files.Directory, string) (int, bool)            { return 0, false }
func (s *texts) Replace(files.Directory, string) (world.Draft, error) { return noDraft{}, nil }
func (s *texts) Hold(_, text string) value.Value                      { return value.Captured(text) }
func (s *texts) Followable() error                                    { return nil }
func (s *texts) Group(world.GroupConfig) (world.Grouped, error)       { return nil, nil }
func (s *texts) Branches() int64                                      { return 0 }
func (s *texts) Seek(int, int64, int) (int64, error)                  { return 0, errors.ErrUnsupported }

func (s *texts) Pipe() ([2]int, error) {
	between := s.add("")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends[between] = 2
	return [2]int{between, between}, nil
}

func (s *texts) Text(v value.Value, _ string, _ bool) (int, error) {
	text, err := v.Exact()
	return s.add(text), err
}

func (s *texts) Capture(_, text string) (world.Capture, error) { return heldText{s, s.add(text)}, nil }

func (s *texts) Apart(string, files.Directory, string, int) (world.Apart, error) {
	return heldText{s, s.add("")}, nil
}

func (s *texts) Follow(context.Context, int, func(string) bool) (world.Followed, error) {
	return heldText{s, s.add("")}, nil
}

func (s *texts) Write(_ context.Context, stream int, text string) error {
	s.write(stream, text)
	return nil
}

func (s *texts) ReadLine(_ context.Context, stream int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.list[stream]
	if text == "" {
		return "", io.EOF
	}
	line, rest, _ := strings.Cut(text, "\n")
	s.list[stream] = rest
	return line, nil
}

func (s *texts) Read(_ context.Context, stream int, _ int64) (string, error) {
	return s.text(stream), nil
}

func (s *texts) Close(streams []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range streams {
		if s.ends[stream]--; s.ends[stream] <= 0 {
			delete(s.list, stream)
		}
	}
}

// heldText is a text that somebody takes in the end.
type heldText struct {
	*texts
	stream int
}

func (h heldText) Stream() int                   { return h.stream }
func (h heldText) Drop()                         { h.Close([]int{h.stream}) }
func (h heldText) SoFar() (string, error)        { return h.text(h.stream), nil }
func (h heldText) Size() int64                   { return int64(len(h.text(h.stream))) }
func (h heldText) Complete() error               { return nil }
func (h heldText) Keep() error                   { return nil }
func (h heldText) Stop() (end string, torn bool) { return h.text(h.stream), false }

func (h heldText) Value() (value.Value, error) {
	defer h.Drop()
	return value.Captured(h.text(h.stream)), nil
}

func (h heldText) CutTo(size int64) error {
	text := h.text(h.stream)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list[h.stream] = text[:size]
	return nil
}

type noDraft struct{ world.Nothing }

func (noDraft) Stream() int { return noText }

// textWorld is a world whose streams are texts, and in which any directory is there.
type textWorld struct {
	restOfWorld
	*texts
}

// restOfWorld is what a textWorld has of another.
type restOfWorld interface {
	world.Time
	world.Programs
	world.Elsewhere
	world.Surroundings
}

func (textWorld) Enter(_ files.Directory, name string) (files.Directory, error) {
	return files.Directory{Name: name}, nil
}
