package world

import (
	"cmp"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
)

// Parse reads the description of a world. The error is a diag.List of all that is wrong.
func Parse(source *ast.Source) (*World, error) {
	r := &reader{source: source}
	w := &World{Source: source}
	for r.next() {
		switch r.words[0].text {
		case "server":
			r.server(w)
		case "command":
			r.command(w)
		case "arrivals":
			r.arrivals(w)
		case "seen":
			r.seen(w)
		default:
			r.wrong(r.words[0], "found %q, wanted `server`, `command` or `seen` to begin a block, "+
				"or `arrivals`", r.words[0].text)
		}
	}
	if len(r.errors) == 0 {
		r.connect(w)
		r.somebody(w)
	}
	if len(w.Servers) == 0 && len(r.errors) == 0 {
		start := ast.Pos{Source: source, Line: 1, Column: 1}
		r.errors = append(r.errors, diag.Errorf(start, "there is no server here; "+
			"the least is `server`, `takes 100 ms` and `end`, each on a line"))
	}
	return w, r.errors.Err()
}

// reader goes through a text line by line.
type reader struct {
	source  *ast.Source
	offset  int // of the next line
	line    int // its number is one more
	words   []word
	errors  diag.List
	pending []call
	coming  word // of the last line with arrivals
}

// maxErrors is how many errors of a text are reported.
const maxErrors = 10

// next goes to the next line that has words; false at the end.
func (r *reader) next() bool {
	for r.offset < len(r.source.Text) && len(r.errors) < maxErrors {
		text, _, _ := strings.Cut(r.source.Text[r.offset:], "\n")
		r.line++
		r.words = r.split(text)
		r.offset += len(text) + 1
		if len(r.words) > 0 {
			return true
		}
	}
	return false
}

func (r *reader) wrong(at word, format string, args ...any) {
	r.errors = append(r.errors, diag.Errorf(at.pos, format, args...))
}

// block reads the lines of a block, up to its end. A line is known by its first
// word, and stands there once, unless it may be repeated.
func (r *reader) block(lines map[string]func(*line), wanted string, repeated ...string) {
	opener := r.words[0]
	seen := map[string]word{}
	for r.next() {
		first := r.words[0]
		if first.text == "end" {
			(&line{reader: r, rest: r.words[1:]}).done()
			return
		}
		read := lines[first.text]
		if read == nil {
			r.wrong(first, "found %q, wanted one of %s, or `end`", first.text, wanted)
			continue
		}
		if before, twice := seen[first.text]; twice {
			r.wrong(first, "%s stands here for the second time; it was in line %d", first.text, before.pos.Line)
			continue
		}
		if !contains(repeated, first.text) {
			seen[first.text] = first
		}
		l := &line{reader: r, first: first, rest: r.words[1:]}
		read(l)
		l.done()
	}
	if len(r.errors) < maxErrors {
		r.wrong(opener, "this `%s` has no `end`", opener.text)
	}
}

func contains(list []string, text string) bool {
	return slices.Contains(list, text)
}

// server reads a server.
func (r *reader) server(w *World) {
	s := Server{Names: r.names(), Error: Ending{Status: 1}, Refused: Ending{Status: 1}}
	limited := Ending{}
	for i := range w.Servers {
		if len(s.Names) == 0 && len(w.Servers[i].Names) == 0 {
			r.wrong(r.words[0], "this is the second server without a name; only one can take all that no other does")
		}
		r.distinct(&s, &w.Servers[i])
	}
	s.Spec.Queue = server.Unlimited
	r.block(map[string]func(*line){
		"slots":      func(l *line) { l.slots(&s.Spec) },
		"queue":      func(l *line) { s.Spec.Queue = l.queue() },
		"takes":      func(l *line) { s.Spec.Response = l.spread() },
		"slowdown":   func(l *line) { s.Spec.Slowdown = l.slowdown() },
		"failure":    func(l *line) { s.Spec.Failure = l.percent() },
		"error":      func(l *line) { s.Error = l.ending() },
		"refused":    func(l *line) { s.Refused = l.ending() },
		"refusal":    func(l *line) { s.Spec.Refusal = l.time() },
		"trip":       func(l *line) { s.Spec.Trip = l.time() },
		"restart":    func(l *line) { s.Spec.Restart = l.time() },
		"backlog":    func(l *line) { s.Spec.Backlog = l.whole(1, 1e9) },
		"retryafter": func(l *line) { s.Spec.After = l.time() },
		"limit":      func(l *line) { s.Spec.Limit = l.rate() },
		"limited":    func(l *line) { limited = l.ending() },
		"outage":     func(l *line) { l.outage(&s.Spec) },
		"brownout":   func(l *line) { l.brownout(&s.Spec) },
		"hangup":     func(l *line) { s.Spec.Hangup = l.hangup() },
		"waits":      func(l *line) { s.Spec.Waiting = l.waits() },
		"calls":      func(l *line) { r.calls(l, w, &s.Spec) },
		"output":     func(l *line) { s.Output = l.text() },
		"command":    func(l *line) { r.program(l, &s.Spec) },
	}, "slots, queue, takes, slowdown, failure, error, refused, refusal, trip, restart, backlog, retryafter, "+
		"limit, limited, outage, brownout, hangup, waits, calls, output, command", "outage", "brownout", "calls", "command")
	s.Limited = cmp.Or(limited, s.Error)
	for i := range s.Spec.Programs { // the server's own lines may come after
		p := &s.Spec.Programs[i]
		if p.Response == unsaid {
			p.Response = s.Spec.Response
		}
		if p.Failure < 0 {
			p.Failure = s.Spec.Failure
		}
	}
	w.Servers = append(w.Servers, s)
}

// distinct wants no name to be that of a server before, which would take all of its calls.
func (r *reader) distinct(s, before *Server) {
	for n, name := range s.Names {
		if slices.Contains(before.Names, name) {
			r.wrong(r.words[n+1], "there is a server %s already, and it takes all calls of that name; "+
				"write another name, or put the lines of both into one", name)
			return
		}
	}
}

// names are the words after the first of a line.
func (r *reader) names() []string {
	var names []string
	for _, word := range r.words[1:] {
		names = append(names, word.text)
	}
	return names
}

// unsaid stands for the time that a server usually takes.
var unsaid = server.Always(-1)

// program reads a command that its server does not serve like others.
func (r *reader) program(l *line, spec *server.Spec) {
	names := r.names()
	if len(names) == 0 {
		l.wrong("the name of a command")
	}
	p := server.Program{Response: unsaid, Failure: -1}
	r.block(map[string]func(*line){
		"takes":   func(l *line) { p.Response = l.spread() },
		"failure": func(l *line) { p.Failure = l.percent() },
		"output":  func(l *line) { p.Output = l.text() },
	}, "takes, failure, output")
	for _, name := range names {
		p.Name = name
		spec.Programs = append(spec.Programs, p)
	}
	l.rest = nil
}

// command reads a command that calls no server.
func (r *reader) command(w *World) {
	c := Command{Names: r.names(), Error: Ending{Status: 1}}
	if len(c.Names) == 0 {
		(&line{reader: r, first: r.words[0]}).wrong("the name of a command")
	}
	r.block(map[string]func(*line){
		"takes":   func(l *line) { c.Takes = l.spread() },
		"failure": func(l *line) { c.Failure = l.percent() },
		"error":   func(l *line) { c.Error = l.ending() },
		"output":  func(l *line) { c.Output = l.text() },
	}, "takes, failure, error, output")
	w.Commands = append(w.Commands, c)
}
