package expand

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"sync"
)

// patternsKept limits the compiled patterns that are kept. Scripts have a handful; a
// script that makes patterns from its data must not fill the memory.
const patternsKept = 64

// Patterns keeps compiled regular expressions, up to 64 of them; then the oldest
// makes room. The zero Patterns is ready, a nil one keeps nothing. It is safe for
// concurrent use.
type Patterns struct {
	// Hides reports whether a text must not be shown, so that no piece of it is; nil: nothing is hidden.
	Hides func(text string) bool

	mu     sync.Mutex
	known  map[string]*regexp.Regexp
	recent []string // a ring once it is full: the oldest is at next
	next   int
}

// Get compiles an RE2 pattern, or finds it compiled.
func (p *Patterns) Get(pattern string) (*regexp.Regexp, error) {
	if p == nil {
		return regexp.Compile(pattern)
	}
	if re := p.findCompiled(pattern); re != nil {
		return re, nil
	}
	re, err := regexp.Compile(pattern)
	if wrong, ok := errors.AsType[*syntax.Error](err); ok && p.Hides != nil && p.Hides(pattern) {
		return nil, errors.New(string(wrong.Code))
	}
	if err != nil {
		return nil, err
	}
	p.keepCompiled(pattern, re)
	return re, nil
}

func (p *Patterns) findCompiled(pattern string) *regexp.Regexp {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[pattern]
}

func (p *Patterns) keepCompiled(pattern string, re *regexp.Regexp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[string]*regexp.Regexp)
	}
	if p.known[pattern] != nil {
		return // another branch was faster
	}
	p.known[pattern] = re
	if len(p.recent) < patternsKept {
		p.recent = append(p.recent, pattern)
		return
	}
	delete(p.known, p.recent[p.next])
	p.recent[p.next] = pattern
	p.next = (p.next + 1) % patternsKept
}
