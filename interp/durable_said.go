package interp

import (
	"sync"
	"time"

	"ftsh/interp/journal"
)

// keySaid is, of a unit under way, what it has written to standard error last.
const keySaid = "said"

const (
	// saidEvery is how much time lies between two such lines in the journal, at least.
	saidEvery = time.Second
	// mostSaid is how many characters of a line are kept.
	mostSaid = 200
)

// savedLine is that line as JSON.
type savedLine struct {
	Text string        `json:"text"`
	Time time.Duration `json:"time"` // when it was seen
}

// said keeps in the journal the last line that a unit has written to standard error, for the person who may have
// to decide about the unit. What runs in it at the same time shares it; nil: nobody keeps it.
type said struct {
	durable *durable
	path    string // of the unit

	mu    sync.Mutex
	next  time.Duration // when another line may be written
	kept  bool          // the journal has one
	ended bool
}

// tell has a line kept, and reports whether it was: false means to try again later. What a group on start knows may
// come in pieces, which nothing could hide: beside such a group no line is kept.
func (s *said) tell(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.durable
	now := d.run.clock.Now()
	if line == "" || s.ended || now < s.next || d.secret.any() {
		return false
	}
	s.next, s.kept = now+saidEvery, true
	saved := savedLine{shortened(line, mostSaid), d.toScript(now)}
	d.Journal.Write(journal.Record{Kind: keySaid, Changes: []journal.Change{change(s.path, keySaid, saved)}, Casual: true})
	return true
}

// end gives the changes that remove the line, as the unit has ended. None is kept after that.
func (s *said) end() []journal.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	if !s.kept {
		return nil
	}
	return []journal.Change{{Path: s.path, Key: keySaid}}
}
