package durable

// A state is what a structure works with while it runs: the journal has it as it is, and a later run goes on with it.
type state interface {
	// name is the key of the state, of which a statement has one.
	name() string
	// changes adds how the state differs from what the journal has of it.
	changes(list []Change, path string) []Change
}

// live is a state, and what the journal has of it.
type live[T comparable] struct {
	key          string
	now, written T
}

func (l *live[T]) name() string { return l.key }

func (l *live[T]) changes(list []Change, path string) []Change {
	if l.now == l.written {
		return list
	}
	l.written = l.now
	return append(list, Set(path, l.key, l.now))
}

// Keep returns the state that the statement under way has under a key. What an earlier run had there is in it. From
// here on each record has it as it is by then, so a structure changes it and tells nobody. Its zero value, which is
// not written, says that nothing is decided yet: an earlier run may have been in the statement without deciding it.
// What a pointer in it leads to must not change. The type is a parameter so that states are compared without reflection.
func Keep[T comparable](p *Place, key string) *T {
	for _, s := range p.states {
		if s.name() == key {
			return &s.(*live[T]).now
		}
	}
	l := &live[T]{key: key}
	if p.resumed && p.script.read(p.Here(), key, &l.now) {
		l.written = l.now
	}
	p.states = append(p.states, l)
	return &l.now
}
