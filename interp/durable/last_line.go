package durable

import (
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// keySaid is, of a unit under way, what it has written to standard error last.
const keySaid = "said"

const (
	// saidEvery is the least time between two such lines in the journal.
	saidEvery = time.Second
	// mostSaid limits the characters of a line that are kept.
	mostSaid = 200
)

// savedLine is that line as JSON.
type savedLine struct {
	Text string        `json:"text"`
	Time time.Duration `json:"time"` // when it was seen
}

// LastLine keeps in the journal the last line that a unit has written to standard error, for the person who may have
// to decide about the unit. It is safe for concurrent use.
type LastLine struct {
	script *Script
	path   string // of the unit

	mu    sync.Mutex
	next  time.Duration // when another line may be written
	kept  bool          // the journal has one
	ended bool
}

// LastLine is for the unit that is the statement under way.
func (p *Place) LastLine() *LastLine { return &LastLine{script: p.script, path: p.Here()} }

// Keep has a line kept, and reports whether it was: false means to try again later. What a group on start knows may
// come in pieces, which nothing could hide: beside such a group no line is kept.
func (l *LastLine) Keep(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.script
	now := s.clock()
	if line == "" || l.ended || now < l.next || s.secrets.Any() {
		return false
	}
	l.next, l.kept = now+saidEvery, true
	saved := savedLine{ast.OneLine(line, mostSaid), s.ToScript(now)}
	s.write(journal.Record{Kind: keySaid, Changes: []Change{Set(l.path, keySaid, saved)}, Casual: true})
	return true
}

// End gives the changes that remove the line, as the unit has ended. None is kept after that.
func (l *LastLine) End() []Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if !l.kept {
		return nil
	}
	return []Change{{Path: l.path, Key: keySaid}}
}
