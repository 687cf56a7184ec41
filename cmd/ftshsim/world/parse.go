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
	last    word   // of those that were taken
	rest    []word // those that are left
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
	read   func()
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
			r.readLine(func() {})
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
func (r *reader) takeNames() (names []string) {
	for _, word := range r.rest {
		names = append(names, word.text)
	}
	r.rest = nil
	return names
}

// takeCommands are names of commands; one is wanted.
func (r *reader) takeCommands() []string {
	names := r.takeNames()
	if len(names) == 0 {
		r.report("the name of a command")
	}
	return names
}

func (r *reader) readServer() {
	s := Server{Error: Ending{Status: 1}, Refused: Ending{Status: 1}}
	limited, w, spec := Ending{}, r.world, &s.Spec
	r.readLine(func() { s.Names = r.takeNames() })
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
		entry{word: "slots", read: func() { r.takeSlots(spec) }},
		entry{word: "queue", read: func() { spec.Queue = r.takeQueue() }},
		entry{word: "takes", read: func() { spec.Response = r.takeSpread() }},
		entry{word: "slowdown", read: func() { spec.Slowdown = r.takeSlowdown() }},
		entry{word: "failure", read: func() { spec.Failure = r.takePercent() }},
		entry{word: "error", read: func() { s.Error = r.takeEnding() }},
		entry{word: "refused", read: func() { s.Refused = r.takeEnding() }},
		entry{word: "refusal", read: func() { spec.Refusal = r.takeTime() }},
		entry{word: "trip", read: func() { spec.Trip = r.takeTime() }},
		entry{word: "restart", read: func() { spec.Restart = r.takeTime() }},
		entry{word: "backlog", read: func() { spec.Backlog = r.takeWhole(1, 1e9) }},
		entry{word: "retryafter", read: func() { spec.After = r.takeTime() }},
		entry{word: "limit", read: func() { spec.Limit = r.takeRate() }},
		entry{word: "limited", read: func() { limited = r.takeEnding() }},
		entry{word: "outage", read: func() { r.takeOutage(spec) }, repeat: true},
		entry{word: "brownout", read: func() { r.takeBrownout(spec) }, repeat: true},
		entry{word: "hangup", read: func() { spec.HangupRemoves = r.takeHangup() }},
		entry{word: "waits", read: func() { spec.Waiting = r.takeWaits() }},
		entry{word: "calls", read: func() { r.readCall(spec) }, repeat: true},
		entry{word: "output", read: func() { s.Output = r.takeText() }},
		entry{word: "command", read: func() { r.readProgram(spec) }, repeat: true},
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
func (r *reader) takeOutage(spec *server.Spec) {
	var o, before server.Outage
	if n := len(spec.Outages); n > 0 {
		before = spec.Outages[n-1]
	}
	o.From, o.To = r.takePeriod("outage", before.To, func() {
		if len(r.rest) > 0 {
			o.Mode = takeBy(r, "refuse, hang, fail or freeze", func() (server.Mode, bool) {
				return server.ParseMode(r.rest[0].text)
			})
			r.takeWord()
		}
	})
	spec.Outages = append(spec.Outages, o)
}

// takeBrownout takes: from 10 minutes to 15 minutes at 25 percent.
func (r *reader) takeBrownout(spec *server.Spec) {
	var b, before server.Brownout
	if n := len(spec.Brownouts); n > 0 {
		before = spec.Brownouts[n-1]
	}
	b.From, b.To = r.takePeriod("brownout", before.To, func() {
		r.takeKeywords("`at` and the share of its speed that is left, such as at 25 percent", "at")
		b.Share = takeBy(r, "more than 0 percent; a server that does nothing has an outage", func() (float64, bool) {
			share := r.takePercent()
			return share, share > 0
		})
	})
	spec.Brownouts = append(spec.Brownouts, b)
}

// unsaid stands for the time that a server usually takes.
var unsaid = spread.Always(-1)

// readProgram reads a command that its server does not serve like others.
func (r *reader) readProgram(spec *server.Spec) {
	names := r.takeCommands()
	p := server.Program{Response: unsaid, Failure: -1}
	r.readBlock(
		entry{word: "takes", read: func() { p.Response = r.takeSpread() }},
		entry{word: "failure", read: func() { p.Failure = r.takePercent() }},
		entry{word: "output", read: func() { p.Output = r.takeText() }},
	)
	for _, name := range names {
		p.Name = name
		spec.Programs = append(spec.Programs, p)
	}
}

// readCommand reads a command that calls no server.
func (r *reader) readCommand() {
	c := Command{Error: Ending{Status: 1}}
	r.readLine(func() { c.Names = r.takeCommands() })
	r.readBlock(
		entry{word: "takes", read: func() { c.Takes = r.takeSpread() }},
		entry{word: "failure", read: func() { c.Failure = r.takePercent() }},
		entry{word: "error", read: func() { c.Error = r.takeEnding() }},
		entry{word: "output", read: func() { c.Output = r.takeText() }},
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
func (r *reader) readCall(spec *server.Spec) {
	if len(r.rest) != 1 {
		r.want("the name of one server")
	}
	r.pending = append(r.pending, call{len(r.world.Servers), len(spec.Calls), r.rest[0]})
	r.rest = nil
	c := server.Call{To: unknown}
	r.readBlock(
		entry{word: "attempts", read: func() { c.Attempts = r.takeWhole(1, 1e6) }},
		entry{word: "each", read: func() { c.Each = r.takeTime() }},
		entry{word: "backoff", read: func() { c.Backoff = r.takeBackoff() }},
	)
	spec.Calls = append(spec.Calls, c)
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
	r.readLine(func() {
		a.Rate = r.takeRate()
		if r.takeKeyword("from") {
			a.From = r.takeTime()
		}
		if n > 0 && a.From <= before {
			r.fail(r.coming, "these arrivals begin at %v, and those of an earlier line at %v; they stand in order",
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
		return entry{word: word, read: func() { *n = r.takeWhole(low, 1e9) }}
	}
	period := func(word string, d *time.Duration) entry {
		return entry{word: word, read: func() { *d = r.takeTime() }}
	}
	r.readBlock(whole("clients", 1, &s.Clients), period("start", &s.Start), period("period", &s.Period),
		whole("finished", 0, &s.Finished), period("median", &s.Median), period("p95", &s.P95),
		whole("requests", 0, &s.Requests), whole("good", 0, &s.Good))
	if len(r.errors) == 0 && (s.Clients == 0 || s.Period <= 0) {
		r.reportWrong(opener, "this `seen` wants `clients N` and `period T`")
	}
	r.world.Seen = s
}
