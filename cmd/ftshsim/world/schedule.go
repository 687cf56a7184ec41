package world

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// takePeriod takes a time from and to, or for how long; what it is is told where it is wrong.
func (l *line) takePeriod(what string) (from, to time.Duration) {
	begin := l.first
	if !l.takeKeyword("from") {
		l.wantInstead("`from` and a time")
		return 0, 0
	}
	from = l.takeTime()
	switch {
	case l.takeKeyword("to"):
		to = l.takeTime()
	case l.takeKeyword("for"):
		to = from + l.takeTime()
	default:
		l.wantInstead("`to` and a time, or `for` and a time")
	}
	if !l.failed && to <= from {
		l.failed = true
		l.reader.reportWrong(begin, "this %s ends at %v, and begins at %v", what, to, from)
	}
	return from, to
}

// wantAfter wants a period to begin after the one before it has ended.
func (l *line) wantAfter(begin word, what string, from, before time.Duration) {
	if !l.failed && from < before {
		l.failed = true
		l.reader.reportWrong(begin, "this %s begins at %v, before the one in an earlier line ends at %v; "+
			"%ss stand in order and do not overlap", what, from, before, what)
	}
}

// takeOutage takes: from 10 minutes to 15 minutes freeze.
func (l *line) takeOutage(spec *server.Spec) {
	begin := l.first
	o := server.Outage{}
	o.From, o.To = l.takePeriod("outage")
	if len(l.rest) > 0 && !l.failed {
		mode, ok := server.ParseMode(l.rest[0].text)
		if !ok {
			l.wantInstead("refuse, hang, fail or freeze")
		}
		o.Mode = mode
		_, _ = l.takeWord()
	}
	if n := len(spec.Outages); n > 0 {
		l.wantAfter(begin, "outage", o.From, spec.Outages[n-1].To)
	}
	if !l.failed {
		spec.Outages = append(spec.Outages, o)
	}
}

// takeBrownout takes: from 10 minutes to 15 minutes at 25 percent.
func (l *line) takeBrownout(spec *server.Spec) {
	begin := l.first
	b := server.Brownout{}
	b.From, b.To = l.takePeriod("brownout")
	if !l.takeKeyword("at") {
		l.wantInstead("`at` and the share of its speed that is left, such as at 25 percent")
		return
	}
	before := *l
	if b.Share = l.takePercent(); b.Share == 0 && !l.failed {
		*l = before
		l.wantInstead("more than 0 percent; a server that does nothing has an outage")
	}
	if n := len(spec.Brownouts); n > 0 {
		l.wantAfter(begin, "brownout", b.From, spec.Brownouts[n-1].To)
	}
	if !l.failed {
		spec.Brownouts = append(spec.Brownouts, b)
	}
}

// units are times that stand without a number in a rate.
var units = []string{"second", "minute", "hour", "day"}

// takeRate takes: 100 per minute, or 5 per 30 s.
func (l *line) takeRate() server.Rate {
	rate := server.Rate{Requests: l.takeWhole(0, 1e9)}
	if !l.takeKeyword("per") {
		l.wantInstead("`per` and a time, such as per minute or per 30 s")
		return rate
	}
	before := *l
	if len(l.rest) > 0 && slices.Contains(units, l.rest[0].text) {
		l.rest = slices.Clone(l.rest)
		l.rest[0].text = "1" + l.rest[0].text
	}
	if rate.Per = l.takeTime(); rate.Per <= 0 && !l.failed {
		*l = before
		l.wantInstead("a time of more than 0")
	}
	return rate
}

// wantSomebody wants at least one of the rates of arrivals to be more than 0.
func (r *reader) wantSomebody(w *World) {
	if len(w.Arrivals) > 0 && !slices.ContainsFunc(w.Arrivals, func(a Arrivals) bool { return a.Rate.Requests > 0 }) {
		r.reportWrong(r.coming, "at this rate nobody ever comes; write a rate of more than 0, such as arrivals 5 per "+
			"second, "+
			"or leave the line out: then clients begin within --start")
	}
}

// readArrivals reads: arrivals 5 per second from 10 minutes.
func (r *reader) readArrivals(w *World) {
	r.coming = r.words[0]
	l := &line{reader: r, first: r.words[0], rest: r.words[1:]}
	a := Arrivals{Rate: l.takeRate()}
	if l.takeKeyword("from") && !l.failed {
		a.From = l.takeTime()
	}
	if n := len(w.Arrivals); n > 0 && !l.failed && a.From <= w.Arrivals[n-1].From {
		l.failed = true
		r.reportWrong(r.words[0], "these arrivals begin at %v, and those of an earlier line at %v; they stand in order",
			a.From, w.Arrivals[n-1].From)
	}
	l.wantEnd()
	w.Arrivals = append(w.Arrivals, a)
}
