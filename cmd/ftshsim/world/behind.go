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

// readCall reads a call of another server.
func (r *reader) readCall(l *line, w *World, spec *server.Spec) {
	if len(l.rest) != 1 {
		l.wantInstead("the name of one server")
		return
	}
	r.pending = append(r.pending, call{len(w.Servers), len(spec.Calls), l.rest[0]})
	c := server.Call{To: unknown}
	r.readBlock(map[string]func(*line){
		"attempts": func(l *line) { c.Attempts = l.takeWhole(1, 1e6) },
		"each":     func(l *line) { c.Each = l.takeTime() },
		"backoff":  func(l *line) { c.Backoff = l.takeBackoff() },
	}, "attempts, each, backoff")
	spec.Calls = append(spec.Calls, c)
	l.rest = nil
}

// unknown is the number of a server that is not found yet.
const unknown = -1

// connectServers finds the servers that others call.
func (r *reader) connectServers(w *World) {
	for _, c := range r.pending {
		to := slices.IndexFunc(w.Servers, func(s Server) bool { return s.takesArguments([]string{c.to.text}) })
		if to < 0 {
			r.reportWrong(c.to, "no server has the name %q", c.to.text)
			return
		}
		w.Servers[c.from].Spec.Calls[c.number].To = to
		if w.Reaches(to, c.from) {
			r.reportWrong(c.to, "this server would call itself by way of %q", c.to.text)
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

// takeBackoff takes: full from 100 ms to 10 s.
func (l *line) takeBackoff() (b backoff.Backoff) {
	before := *l
	name, _ := l.takeWord()
	policy, ok := backoff.ParsePolicy(name)
	if !ok {
		*l = before
		l.wantInstead("a policy: one of " + strings.Join(backoff.Policies(), ", "))
		return b
	}
	b.Policy = policy
	if l.takeKeyword("from") {
		b.Initial = cmp.Or(l.takeTime(), -1) // 0 would be the default
	}
	if l.takeKeyword("to") {
		b.Max = l.takeTime()
	}
	return b
}
