package world

import (
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/server"
)

// period takes a time from and to, or for how long; what it is is told where it is wrong.
func (l *line) period(what string) (from, to time.Duration) {
	begin := l.first
	if !l.keyword("from") {
		l.wrong("`from` and a time")
		return 0, 0
	}
	from = l.time()
	switch {
	case l.keyword("to"):
		to = l.time()
	case l.keyword("for"):
		to = from + l.time()
	default:
		l.wrong("`to` and a time, or `for` and a time")
	}
	if !l.failed && to <= from {
		l.failed = true
		l.reader.wrong(begin, "this %s ends at %v, and begins at %v", what, to, from)
	}
	return from, to
}

// follows wants a period to begin after the one before it has ended.
func (l *line) follows(begin word, what string, from, before time.Duration) {
	if !l.failed && from < before {
		l.failed = true
		l.reader.wrong(begin, "this %s begins at %v, before the one in an earlier line ends at %v; "+
			"%ss stand in order and do not overlap", what, from, before, what)
	}
}

// outage takes: from 10 minutes to 15 minutes freeze.
func (l *line) outage(spec *server.Spec) {
	begin := l.first
	o := server.Outage{}
	o.From, o.To = l.period("outage")
	if len(l.rest) > 0 && !l.failed {
		mode, ok := server.ParseMode(l.rest[0].text)
		if !ok {
			l.wrong("refuse, hang, fail or freeze")
		}
		o.Mode = mode
		_, _ = l.take()
	}
	if n := len(spec.Outages); n > 0 {
		l.follows(begin, "outage", o.From, spec.Outages[n-1].To)
	}
	if !l.failed {
		spec.Outages = append(spec.Outages, o)
	}
}

// brownout takes: from 10 minutes to 15 minutes at 25 percent.
func (l *line) brownout(spec *server.Spec) {
	begin := l.first
	b := server.Brownout{}
	b.From, b.To = l.period("brownout")
	if !l.keyword("at") {
		l.wrong("`at` and the share of its speed that is left, such as at 25 percent")
		return
	}
	before := *l
	if b.Share = l.percent(); b.Share == 0 && !l.failed {
		*l = before
		l.wrong("more than 0 percent; a server that does nothing has an outage")
	}
	if n := len(spec.Brownouts); n > 0 {
		l.follows(begin, "brownout", b.From, spec.Brownouts[n-1].To)
	}
	if !l.failed {
		spec.Brownouts = append(spec.Brownouts, b)
	}
}

// units are times that stand without a number in a rate.
var units = []string{"second", "minute", "hour", "day"}

// rate takes: 100 per minute, or 5 per 30 s.
func (l *line) rate() server.Rate {
	rate := server.Rate{Requests: l.whole(0, 1e9)}
	if !l.keyword("per") {
		l.wrong("`per` and a time, such as per minute or per 30 s")
		return rate
	}
	before := *l
	if len(l.rest) > 0 && slices.Contains(units, l.rest[0].text) {
		l.rest = slices.Clone(l.rest)
		l.rest[0].text = "1" + l.rest[0].text
	}
	if rate.Per = l.time(); rate.Per <= 0 && !l.failed {
		*l = before
		l.wrong("a time of more than 0")
	}
	return rate
}

// somebody wants at least one of the rates of arrivals to be more than 0.
func (r *reader) somebody(w *World) {
	if len(w.Arrivals) > 0 && !slices.ContainsFunc(w.Arrivals, func(a Arrivals) bool { return a.Rate.Requests > 0 }) {
		r.wrong(r.coming, "at this rate nobody ever comes; write a rate of more than 0, such as arrivals 5 per second, "+
			"or leave the line out: then clients begin within --start")
	}
}

// arrivals reads: arrivals 5 per second from 10 minutes.
func (r *reader) arrivals(w *World) {
	r.coming = r.words[0]
	l := &line{reader: r, first: r.words[0], rest: r.words[1:]}
	a := Arrivals{Rate: l.rate()}
	if l.keyword("from") && !l.failed {
		a.From = l.time()
	}
	if n := len(w.Arrivals); n > 0 && !l.failed && a.From <= w.Arrivals[n-1].From {
		l.failed = true
		r.wrong(r.words[0], "these arrivals begin at %v, and those of an earlier line at %v; they stand in order",
			a.From, w.Arrivals[n-1].From)
	}
	l.done()
	w.Arrivals = append(w.Arrivals, a)
}
