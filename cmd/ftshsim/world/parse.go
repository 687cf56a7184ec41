package world

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// Parse reads the description of a world. The error is a diag.List of all that is wrong.
func Parse(source *ast.Source) (*World, error) {
	r := &reader{source: source, world: &World{Source: source}}
	w := r.world
	for r.nextLine() {
		switch r.words[0].text {
		case "server":
			r.readServer()
		case "command":
			r.readCommand()
		case "arrivals":
			r.readArrivals()
		case "seen":
			r.readSeen()
		default:
			r.reportWrong(r.words[0], "found %q, wanted `server`, `command` or `seen` to begin a block, "+
				"or `arrivals`", r.words[0].text)
		}
	}
	if len(r.errors) == 0 {
		r.connectServers()
		if len(w.Arrivals) > 0 && !slices.ContainsFunc(w.Arrivals, func(a Arrivals) bool { return a.Rate.Requests > 0 }) {
			r.reportWrong(r.coming, "at this rate nobody ever comes; write a rate of more than 0, such as arrivals 5 per "+
				"second, "+
				"or leave the line out: then clients begin within --start")
		}
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
	world   *World // what it has read
	offset  int    // of the next line
	line    int    // its number is one more
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

// entry is a line of a block, which is known by its first word, and stands there once, unless it may be repeated.
type entry struct {
	word   string
	read   func(l *line)
	repeat bool
}

// readBlock reads the lines of a block, up to its end.
func (r *reader) readBlock(entries ...entry) {
	opener := r.words[0]
	seen, names := map[string]word{}, ""
	for _, e := range entries {
		names += e.word + ", "
	}
	for r.nextLine() {
		first := r.words[0]
		if first.text == "end" {
			r.readLine(func(l *line) { l.first = word{} })
			return
		}
		at := slices.IndexFunc(entries, func(e entry) bool { return e.word == first.text })
		if at < 0 {
			r.reportWrong(first, "found %q, wanted one of %sor `end`", first.text, names)
			continue
		}
		if before, twice := seen[first.text]; twice {
			r.reportWrong(first, "%s stands here for the second time; it was in line %d", first.text, before.pos.Line)
			continue
		}
		if !entries[at].repeat {
			seen[first.text] = first
		}
		r.readLine(entries[at].read)
	}
	if len(r.errors) < maxErrors {
		r.reportWrong(opener, "this `%s` has no `end`", opener.text)
	}
}

// takeNames are the words after the first of a line: names of servers or commands.
func (l *line) takeNames() (names []string) {
	for _, word := range l.rest {
		names = append(names, word.text)
	}
	l.rest = nil
	return names
}

// takeCommands are names of commands; one is wanted.
func (l *line) takeCommands() []string {
	names := l.takeNames()
	if len(names) == 0 {
		l.report("the name of a command")
	}
	return names
}

func (r *reader) readServer() {
	s := Server{Error: Ending{Status: 1}, Refused: Ending{Status: 1}}
	limited, w, spec := Ending{}, r.world, &s.Spec
	r.readLine(func(l *line) { s.Names = l.takeNames() })
	for i := range w.Servers {
		if len(s.Names) == 0 && len(w.Servers[i].Names) == 0 {
			r.reportWrong(r.words[0], "this is the second server without a name; only one can take all that no other does")
		}
		taken := func(name string) bool { return slices.Contains(w.Servers[i].Names, name) }
		if n := slices.IndexFunc(s.Names, taken); n >= 0 {
			r.reportWrong(r.words[n+1], "there is a server %s already, and it takes all calls of that name; "+
				"write another name, or put the lines of both into one", s.Names[n])
		}
	}
	spec.Queue = server.Unlimited
	r.readBlock(
		entry{word: "slots", read: func(l *line) { l.takeSlots(spec) }},
		entry{word: "queue", read: func(l *line) { spec.Queue = l.takeQueue() }},
		entry{word: "takes", read: func(l *line) { spec.Response = l.takeSpread() }},
		entry{word: "slowdown", read: func(l *line) { spec.Slowdown = l.takeSlowdown() }},
		entry{word: "failure", read: func(l *line) { spec.Failure = l.takePercent() }},
		entry{word: "error", read: func(l *line) { s.Error = l.takeEnding() }},
		entry{word: "refused", read: func(l *line) { s.Refused = l.takeEnding() }},
		entry{word: "refusal", read: func(l *line) { spec.Refusal = l.takeTime() }},
		entry{word: "trip", read: func(l *line) { spec.Trip = l.takeTime() }},
		entry{word: "restart", read: func(l *line) { spec.Restart = l.takeTime() }},
		entry{word: "backlog", read: func(l *line) { spec.Backlog = l.takeWhole(1, 1e9) }},
		entry{word: "retryafter", read: func(l *line) { spec.After = l.takeTime() }},
		entry{word: "limit", read: func(l *line) { spec.Limit = l.takeRate() }},
		entry{word: "limited", read: func(l *line) { limited = l.takeEnding() }},
		entry{word: "outage", read: func(l *line) { l.takeOutage(spec) }, repeat: true},
		entry{word: "brownout", read: func(l *line) { l.takeBrownout(spec) }, repeat: true},
		entry{word: "hangup", read: func(l *line) { spec.HangupRemoves = l.takeHangup() }},
		entry{word: "waits", read: func(l *line) { spec.Waiting = l.takeWaits() }},
		entry{word: "calls", read: func(l *line) { r.readCall(l, spec) }, repeat: true},
		entry{word: "output", read: func(l *line) { s.Output = l.takeText() }},
		entry{word: "command", read: func(l *line) { r.readProgram(l, spec) }, repeat: true},
	)
	s.Limited = cmp.Or(limited, s.Error)
	for i := range spec.Programs { // the server's own lines may come after
		p := &spec.Programs[i]
		if p.Response == unsaid {
			p.Response = spec.Response
		}
		if p.Failure < 0 {
			p.Failure = spec.Failure
		}
	}
	w.Servers = append(w.Servers, s)
}

// takeOutage takes: from 10 minutes to 15 minutes freeze.
func (l *line) takeOutage(spec *server.Spec) {
	var o, before server.Outage
	if n := len(spec.Outages); n > 0 {
		before = spec.Outages[n-1]
	}
	o.From, o.To = l.takePeriod("outage", before.To, func() {
		if len(l.rest) > 0 {
			o.Mode = takeBy(l, "refuse, hang, fail or freeze", func() (server.Mode, bool) {
				return server.ParseMode(l.rest[0].text)
			})
			l.takeWord()
		}
	})
	spec.Outages = append(spec.Outages, o)
}

// takeBrownout takes: from 10 minutes to 15 minutes at 25 percent.
func (l *line) takeBrownout(spec *server.Spec) {
	var b, before server.Brownout
	if n := len(spec.Brownouts); n > 0 {
		before = spec.Brownouts[n-1]
	}
	b.From, b.To = l.takePeriod("brownout", before.To, func() {
		l.takeKeywords("`at` and the share of its speed that is left, such as at 25 percent", "at")
		b.Share = takeBy(l, "more than 0 percent; a server that does nothing has an outage", func() (float64, bool) {
			share := l.takePercent()
			return share, share > 0
		})
	})
	spec.Brownouts = append(spec.Brownouts, b)
}

// unsaid stands for the time that a server usually takes.
var unsaid = spread.Always(-1)

// readProgram reads a command that its server does not serve like others.
func (r *reader) readProgram(l *line, spec *server.Spec) {
	names := l.takeCommands()
	p := server.Program{Response: unsaid, Failure: -1}
	r.readBlock(
		entry{word: "takes", read: func(l *line) { p.Response = l.takeSpread() }},
		entry{word: "failure", read: func(l *line) { p.Failure = l.takePercent() }},
		entry{word: "output", read: func(l *line) { p.Output = l.takeText() }},
	)
	for _, name := range names {
		p.Name = name
		spec.Programs = append(spec.Programs, p)
	}
}

// readCommand reads a command that calls no server.
func (r *reader) readCommand() {
	c := Command{Error: Ending{Status: 1}}
	r.readLine(func(l *line) { c.Names = l.takeCommands() })
	r.readBlock(
		entry{word: "takes", read: func(l *line) { c.Takes = l.takeSpread() }},
		entry{word: "failure", read: func(l *line) { c.Failure = l.takePercent() }},
		entry{word: "error", read: func(l *line) { c.Error = l.takeEnding() }},
		entry{word: "output", read: func(l *line) { c.Output = l.takeText() }},
	)
	r.world.Commands = append(r.world.Commands, c)
}

// call is the name of a server that another calls, until all are known.
type call struct {
	from, number int // of the server, and of its call
	to           word
}

// unknown is the number of a server that is not found yet.
const unknown = -1

// readCall reads a call of another server.
func (r *reader) readCall(l *line, spec *server.Spec) {
	if len(l.rest) != 1 {
		l.want("the name of one server")
	}
	r.pending = append(r.pending, call{len(r.world.Servers), len(spec.Calls), l.rest[0]})
	c := server.Call{To: unknown}
	r.readBlock(
		entry{word: "attempts", read: func(l *line) { c.Attempts = l.takeWhole(1, 1e6) }},
		entry{word: "each", read: func(l *line) { c.Each = l.takeTime() }},
		entry{word: "backoff", read: func(l *line) { c.Backoff = l.takeBackoff() }},
	)
	spec.Calls = append(spec.Calls, c)
	l.rest = nil
}

func (r *reader) connectServers() {
	w := r.world
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

// readArrivals reads: arrivals 5 per second from 10 minutes.
func (r *reader) readArrivals() {
	r.coming = r.words[0]
	n, before := len(r.world.Arrivals), time.Duration(0)
	if n > 0 {
		before = r.world.Arrivals[n-1].From
	}
	r.world.Arrivals = append(r.world.Arrivals, Arrivals{})
	a := &r.world.Arrivals[n]
	r.readLine(func(l *line) {
		a.Rate = l.takeRate()
		if l.takeKeyword("from") {
			a.From = l.takeTime()
		}
		if n > 0 && a.From <= before {
			l.fail(r.coming, "these arrivals begin at %v, and those of an earlier line at %v; they stand in order",
				a.From, before)
		}
	})
}

func (r *reader) readSeen() {
	opener := r.words[0]
	if r.world.Seen != nil {
		r.reportWrong(opener, "this is the second `seen`; a SPEC has one")
	}
	s := &Seen{Finished: Unsaid}
	whole := func(word string, low int, n *int) entry {
		return entry{word: word, read: func(l *line) { *n = l.takeWhole(low, 1e9) }}
	}
	period := func(word string, d *time.Duration) entry {
		return entry{word: word, read: func(l *line) { *d = l.takeTime() }}
	}
	r.readBlock(whole("clients", 1, &s.Clients), period("start", &s.Start), period("period", &s.Period),
		whole("finished", 0, &s.Finished), period("median", &s.Median), period("p95", &s.P95),
		whole("requests", 0, &s.Requests), whole("good", 0, &s.Good))
	if len(r.errors) == 0 && (s.Clients == 0 || s.Period <= 0) {
		r.reportWrong(opener, "this `seen` wants `clients N` and `period T`")
	}
	r.world.Seen = s
}
