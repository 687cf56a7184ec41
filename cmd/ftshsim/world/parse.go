package world

import (
	"cmp"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// Parse reads the description of a world. The error is a diag.List of all that is wrong.
func Parse(source *ast.Source) (*World, error) {
	r := &reader{source: source}
	w := &World{Source: source}
	for r.nextLine() {
		switch r.words[0].text {
		case "server":
			r.readServer(w)
		case "command":
			r.readCommand(w)
		case "arrivals":
			r.readArrivals(w)
		case "seen":
			r.readSeen(w)
		default:
			r.reportWrong(r.words[0], "found %q, wanted `server`, `command` or `seen` to begin a block, "+
				"or `arrivals`", r.words[0].text)
		}
	}
	if len(r.errors) == 0 {
		r.connectServers(w)
		r.wantSomebody(w)
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

// maxErrors limits how many errors of a text are reported.
const maxErrors = 10

// nextLine goes to the next line that has words; false at the end.
func (r *reader) nextLine() bool {
	for r.offset < len(r.source.Text) && len(r.errors) < maxErrors {
		text, _, _ := strings.Cut(r.source.Text[r.offset:], "\n")
		r.line++
		r.words = r.splitLine(text)
		r.offset += len(text) + 1
		if len(r.words) > 0 {
			return true
		}
	}
	return false
}

func (r *reader) reportWrong(at word, format string, args ...any) {
	r.errors = append(r.errors, diag.Errorf(at.pos, format, args...))
}

// readBlock reads the lines of a block, up to its end. A line is known by its first
// word, and stands there once, unless it may be repeated.
func (r *reader) readBlock(lines map[string]func(*line), wanted string, repeated ...string) {
	opener := r.words[0]
	seen := map[string]word{}
	for r.nextLine() {
		first := r.words[0]
		if first.text == "end" {
			(&line{reader: r, rest: r.words[1:]}).wantEnd()
			return
		}
		read := lines[first.text]
		if read == nil {
			r.reportWrong(first, "found %q, wanted one of %s, or `end`", first.text, wanted)
			continue
		}
		if before, twice := seen[first.text]; twice {
			r.reportWrong(first, "%s stands here for the second time; it was in line %d", first.text, before.pos.Line)
			continue
		}
		if !slices.Contains(repeated, first.text) {
			seen[first.text] = first
		}
		l := &line{reader: r, first: first, rest: r.words[1:]}
		read(l)
		l.wantEnd()
	}
	if len(r.errors) < maxErrors {
		r.reportWrong(opener, "this `%s` has no `end`", opener.text)
	}
}

// readServer reads a server.
func (r *reader) readServer(w *World) {
	s := Server{Names: r.restOfLine(), Error: Ending{Status: 1}, Refused: Ending{Status: 1}}
	limited := Ending{}
	for i := range w.Servers {
		if len(s.Names) == 0 && len(w.Servers[i].Names) == 0 {
			r.reportWrong(r.words[0], "this is the second server without a name; only one can take all that no other does")
		}
		r.wantDistinct(&s, &w.Servers[i])
	}
	s.Spec.Queue = server.Unlimited
	r.readBlock(map[string]func(*line){
		"slots":      func(l *line) { l.takeSlots(&s.Spec) },
		"queue":      func(l *line) { s.Spec.Queue = l.takeQueue() },
		"takes":      func(l *line) { s.Spec.Response = l.takeSpread() },
		"slowdown":   func(l *line) { s.Spec.Slowdown = l.takeSlowdown() },
		"failure":    func(l *line) { s.Spec.Failure = l.takePercent() },
		"error":      func(l *line) { s.Error = l.takeEnding() },
		"refused":    func(l *line) { s.Refused = l.takeEnding() },
		"refusal":    func(l *line) { s.Spec.Refusal = l.takeTime() },
		"trip":       func(l *line) { s.Spec.Trip = l.takeTime() },
		"restart":    func(l *line) { s.Spec.Restart = l.takeTime() },
		"backlog":    func(l *line) { s.Spec.Backlog = l.takeWhole(1, 1e9) },
		"retryafter": func(l *line) { s.Spec.After = l.takeTime() },
		"limit":      func(l *line) { s.Spec.Limit = l.takeRate() },
		"limited":    func(l *line) { limited = l.takeEnding() },
		"outage":     func(l *line) { l.takeOutage(&s.Spec) },
		"brownout":   func(l *line) { l.takeBrownout(&s.Spec) },
		"hangup":     func(l *line) { s.Spec.HangupRemoves = l.takeHangup() },
		"waits":      func(l *line) { s.Spec.Waiting = l.takeWaits() },
		"calls":      func(l *line) { r.readCall(l, w, &s.Spec) },
		"output":     func(l *line) { s.Output = l.takeText() },
		"command":    func(l *line) { r.readProgram(l, &s.Spec) },
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

// wantDistinct wants no name to be that of a server before, which would take all of its calls.
func (r *reader) wantDistinct(s, before *Server) {
	for n, name := range s.Names {
		if slices.Contains(before.Names, name) {
			r.reportWrong(r.words[n+1], "there is a server %s already, and it takes all calls of that name; "+
				"write another name, or put the lines of both into one", name)
			return
		}
	}
}

// restOfLine are the words after the first of a line.
func (r *reader) restOfLine() []string {
	var names []string
	for _, word := range r.words[1:] {
		names = append(names, word.text)
	}
	return names
}

// unsaid stands for the time that a server usually takes.
var unsaid = spread.Always(-1)

// readProgram reads a command that its server does not serve like others.
func (r *reader) readProgram(l *line, spec *server.Spec) {
	names := r.restOfLine()
	if len(names) == 0 {
		l.wantInstead("the name of a command")
	}
	p := server.Program{Response: unsaid, Failure: -1}
	r.readBlock(map[string]func(*line){
		"takes":   func(l *line) { p.Response = l.takeSpread() },
		"failure": func(l *line) { p.Failure = l.takePercent() },
		"output":  func(l *line) { p.Output = l.takeText() },
	}, "takes, failure, output")
	for _, name := range names {
		p.Name = name
		spec.Programs = append(spec.Programs, p)
	}
	l.rest = nil
}

// readCommand reads a command that calls no server.
func (r *reader) readCommand(w *World) {
	c := Command{Names: r.restOfLine(), Error: Ending{Status: 1}}
	if len(c.Names) == 0 {
		(&line{reader: r, first: r.words[0]}).wantInstead("the name of a command")
	}
	r.readBlock(map[string]func(*line){
		"takes":   func(l *line) { c.Takes = l.takeSpread() },
		"failure": func(l *line) { c.Failure = l.takePercent() },
		"error":   func(l *line) { c.Error = l.takeEnding() },
		"output":  func(l *line) { c.Output = l.takeText() },
	}, "takes, failure, error, output")
	w.Commands = append(w.Commands, c)
}
