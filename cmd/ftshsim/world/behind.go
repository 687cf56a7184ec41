package world

import (
	"cmp"
	"slices"
	"strings"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd/server"
)

// call is the name of a server that another calls, until all are known.
type call struct {
	from, number int // of the server, and of its call
	to           word
}

// calls reads a call of another server.
func (r *reader) calls(l *line, w *World, spec *server.Spec) {
	if len(l.rest) != 1 {
		l.wrong("the name of one server")
		return
	}
	r.pending = append(r.pending, call{len(w.Servers), len(spec.Calls), l.rest[0]})
	c := server.Call{To: unknown}
	r.block(map[string]func(*line){
		"attempts": func(l *line) { c.Attempts = l.whole(1, 1e6) },
		"each":     func(l *line) { c.Each = l.time() },
		"backoff":  func(l *line) { c.Backoff = l.backoff() },
	}, "attempts, each, backoff")
	spec.Calls = append(spec.Calls, c)
	l.rest = nil
}

// unknown is the number of a server that is not found yet.
const unknown = -1

// connect finds the servers that others call.
func (r *reader) connect(w *World) {
	for _, c := range r.pending {
		to := slices.IndexFunc(w.Servers, func(s Server) bool { return s.takes([]string{c.to.text}) })
		if to < 0 {
			r.wrong(c.to, "no server has the name %q", c.to.text)
			return
		}
		w.Servers[c.from].Spec.Calls[c.number].To = to
		if w.Reaches(to, c.from) {
			r.wrong(c.to, "this server would call itself by way of %q", c.to.text)
			return
		}
	}
}

// Reaches reports whether requests to a server come to another, or are for it.
func (w *World) Reaches(from, to int) bool {
	return from == to || slices.ContainsFunc(w.Servers[from].Spec.Calls, func(c server.Call) bool {
		return c.To != unknown && w.Reaches(c.To, to)
	})
}

// backoff takes: full from 100 ms to 10 s.
func (l *line) backoff() (b backoff.Backoff) {
	before := *l
	name, _ := l.take()
	policy, ok := backoff.ParsePolicy(name)
	if !ok {
		*l = before
		l.wrong("a policy: one of " + strings.Join(backoff.Policies(), ", "))
		return b
	}
	b.Policy = policy
	if l.keyword("from") {
		b.Initial = cmp.Or(l.time(), -1) // 0 would be the default
	}
	if l.keyword("to") {
		b.Max = l.time()
	}
	return b
}
