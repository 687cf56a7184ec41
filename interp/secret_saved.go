package interp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
)

// secrets is what must not be in a journal: the variables that a group `on start` has set, by their names, which are
// never written, with all values that they had; and the values of secret variables, wherever they have come to.
type secrets struct {
	mask *event.Mask // of secret variables

	mu    sync.RWMutex
	names map[string]bool
	start event.Mask // of a group on start
}

func (s *secrets) add(name string, value expand.Value) {
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

// saveValue gives a value for the journal; of one that holds a secret, that it did.
func (r *Runner) saveValue(v expand.Value) durable.Value {
	if v.IsLost() {
		return durable.Value{Secret: true}
	}
	if r.Secrets.Any() {
		if text, err := v.Exact(); err == nil && r.Secrets.Hides(text) {
			return durable.Value{Secret: true}
		}
	}
	return plainValue(v)
}

// saveVariable gives a variable for the journal. A secret that is as the environment had it is so in a later run, too.
func (r *Runner) saveVariable(name string, v variable) savedVariable {
	saved := savedVariable{Unset: !v.set, Exported: v.exported, Declared: v.declared}
	if !v.set {
		return saved
	}
	saved.Value = r.saveValue(v.value)
	if v.secret {
		saved.Value = durable.Value{Secret: true}
	}
	if saved.Secret && !v.declared {
		text, err := v.value.Exact()
		inherited, given := r.inherited(name)
		saved.Inherited = err == nil && given && text == inherited
	}
	return saved
}

// restoreVariable gives the variable back.
func (f *frame) restoreVariable(name string, s savedVariable) variable {
	v := variable{set: !s.Unset, exported: s.Exported, declared: s.Declared, secret: f.run.isSecret(name)}
	if !v.set {
		return v
	}
	if v.value = restoreValue(s.Value, f); s.Inherited {
		if text, given := f.run.inherited(name); given {
			v.value = expand.String(text)
		}
	}
	if v.secret {
		f.keepSecret(&v)
	}
	return v
}

// saveArguments gives $1 … for the journal. Those that the script was given are there already.
func (r *Runner) saveArguments(p parameters) savedParameters {
	saved := savedParameters{Words: make([]durable.Value, 0, len(p.words))}
	for _, word := range p.words {
		value := plainValue(expand.String(word))
		if p.lost && word == lostName {
			value = durable.Value{Secret: true}
		} else if !slices.Contains(r.Args, word) {
			value = r.saveValue(expand.String(word))
		}
		saved.Words = append(saved.Words, value)
	}
	for _, value := range p.values {
		saved.Values = append(saved.Values, r.saveValue(value))
	}
	return saved
}

// lostName stands in the journal for the name of a file or directory with a secret in it; no file is called so.
const lostName = "\x00"

var errLostName = errors.New("its name has a secret in it, and so is not in the journal")

// saveName gives the name of a file for the journal.
func (r *Runner) saveName(name string) durable.Text {
	if r.secret.hides(name) {
		return lostName
	}
	return durable.Text(name)
}

// hiddenClauses returns the clauses of a try for the journal, without what holds a secret: a later run evaluates
// that again. A key that the script does not name was drawn, and stays.
func (t *try) hiddenClauses() header {
	r, saved := t.frame.run, t.header
	hides := func(c condition) bool { return r.secret.hides(c.Pattern) }
	if t.node.Key != nil && r.secret.hides(saved.Key) {
		saved.Key, saved.Anew = "", true
	}
	if slices.ContainsFunc(saved.Conditions, hides) || slices.ContainsFunc(saved.Unknown, hides) {
		saved.Conditions, saved.Unknown, saved.Anew = nil, nil, true
	}
	return saved
}

// evaluateAnew evaluates what was left out.
func (t *try) evaluateAnew(ctx context.Context) (err error) {
	n, h := t.node, &t.header
	if h.Key == "" {
		err = t.nameKey(ctx)
	}
	if err == nil && n.On != nil && h.Conditions == nil {
		err = t.selection(ctx)
	}
	if err == nil && n.Unknown != nil && h.Unknown == nil {
		err = t.conditions(ctx, n.Unknown, &h.Unknown)
	}
	return t.frame.failWith(err, t.pos)
}
