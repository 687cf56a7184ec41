package interp

import (
	"errors"
	"sync"

	"ftsh/interp/event"
	"ftsh/interp/value"
)

// A statement `secret NAME…` holds for the whole script, from its beginning: so the line of the log that tells of an
// assignment before it is masked, too, and a durable script that goes on behind it has its secrets again.

// secrets is what must not be in a journal: the variables that a group `on start` has set, by their names, which are
// never written, with all values that they had; and the values of secret variables, wherever they have come to.
type secrets struct {
	mask        *event.Mask // of secret variables
	environment func(name string) (value string, given bool)

	mu    sync.RWMutex
	names map[string]bool
	start event.Mask // of a group on start
}

func (s *secrets) add(name string, value value.Value) {
	text, _ := value.Text()
	s.start.Add(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = make(map[string]bool)
	}
	s.names[name] = true
}

// Hide replaces the values in a message.
func (s *secrets) Hide(text string) string { return s.mask.Text(s.start.Text(text)) }

// hides reports whether a text holds one.
func (s *secrets) hides(text string) bool { return s.mask.Hides(text) || s.start.Hides(text) }

// Any reports whether there are any.
func (s *secrets) Any() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.names) > 0 || s.mask.Any()
}

func (s *secrets) has(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.names[name]
}

// errLostSecret stands for a secret in a continued script: who wants it fails.
var errLostSecret = errors.New("it was secret, and so is not in the journal; set it in a group  on start")

// lostName stands in the journal for the name of a file or directory with a secret in it; no file is called so.
const lostName = "\x00"

var errLostName = errors.New("its name has a secret in it, and so is not in the journal")
