package durable

// Kept is what a structure works with while it runs: the journal has it as it is, and a later run goes on with it.
// Its zero value, which is not written, says that nothing is decided yet: an earlier run may have been in the statement
// without deciding it. What a pointer in it leads to must not change.
type Kept interface {
	comparable // without reflection, which each record would pay for
	// JournalKey is the key of the state, of which a statement has one. It is asked of nil, too.
	JournalKey() string
}

// entry is a state of the statement under way.
type entry interface {
	key() string
	// changes adds how the state differs from what the journal has of it.
	changes(list []Change, path string) []Change
}

// live is a state, and what the journal has of it.
type live[T Kept] struct{ now, written T }

func (l *live[T]) key() string { return l.now.JournalKey() }

func (l *live[T]) changes(list []Change, path string) []Change {
	if l.now == l.written {
		return list
	}
	l.written = l.now
	return append(list, Set(path, l.key(), l.now))
}

// Keep returns a state of the statement under way. What an earlier run had there is in it. From here on each record has
// it as it is by then, so a structure changes it and tells nobody.
func Keep[T Kept](p *Place) *T {
	for _, k := range p.states {
		if l, is := k.(*live[T]); is {
			return &l.now
		}
	}
	l := &live[T]{}
	if p.resumed && p.script.read(p.Here(), l.key(), &l.now) {
		l.written = l.now
	}
	p.states = append(p.states, l)
	return &l.now
}
