package measure

import (
	"math"
	"slices"
	"time"
)

// Tally holds what was counted in one run. A piece of work is one that a client wants done: an
// answer, perhaps after several requests, or a whole script.
type Tally struct {
	Wanted  int // pieces of work: those begun, or where each client has one, the clients
	Begun   int // of those
	Done    int // of those that were begun
	GivenUp int // likewise

	Requests int // sent to the servers
	Rejected int // attempts that a breaker or throttle kept from them
	Late     int // answers that came after the client had hung up

	Last    time.Duration // when the last piece of work was done
	Answers Histogram     // from a request to its good answer
	Rush    Rush          // the most requests in a second

	Took      Times         // from the beginning of a piece of work until it was done
	PerClient []uint32      // what each client got done; empty if clients come and go
	PerServer []Server      // in their order
	Until     time.Duration // when the last piece of work had ended, or the simulation
	Events    uint64        // of the simulation, for its speed

	Started, Finished, Lost Series // pieces of work begun, done and given up, by interval
	Sent, Answered          Series // requests, and those answered well
	InFlight                Series // the most requests that were with the servers
}

// Server holds what one of them has done.
type Server struct {
	Requests int           // that were sent to it
	Useful   time.Duration // for answers that somebody waited for, and that were no errors
	Wasted   time.Duration // for the others, and for what is under way for clients that have left
	Open     time.Duration // for what is under way, and waited for
	Vain     time.Duration // of what was wasted: for clients that had left, and for turning others away
	Idle     time.Duration // while nothing was being served
	Answered Series        // requests answered well and in time
	Work     Series        // seconds of work, for whatever, when it ended
	ForNone  Series        // of it, in vain

	Used    float64 // seconds that slots were taken, added up
	Line    float64 // seconds that requests waited for one, added up
	Longest int     // the most that waited at once
}

// New returns an empty Tally whose series have that interval.
func New(every time.Duration, servers int) Tally {
	t := Tally{PerServer: make([]Server, servers)}
	for _, s := range []*Series{&t.Started, &t.Finished, &t.Lost, &t.Sent, &t.Answered, &t.InFlight} {
		s.Every = every
	}
	for n := range t.PerServer {
		one := &t.PerServer[n]
		one.Answered.Every, one.Work.Every, one.ForNone.Every = every, every, every
	}
	return t
}

// Send counts a request.
func (t *Tally) Send(server int, now time.Duration) {
	t.Requests++
	t.PerServer[server].Requests++
	t.Sent.Add(now, 1)
	t.Rush.addRequest(now)
}

// InVain counts such work of a server as [Server] has under Vain; took is part of what Serve was told.
func (t *Tally) InVain(server int, now, took time.Duration) {
	t.PerServer[server].Vain += took
	t.PerServer[server].ForNone.Add(now, took.Seconds())
}

// Serve counts what an answer has cost its server; useful: it was a good one, and
// somebody waited for it.
func (t *Tally) Serve(server int, now, took time.Duration, useful bool) {
	s := &t.PerServer[server]
	s.Work.Add(now, took.Seconds())
	if !useful {
		s.Wasted += took
		return
	}
	s.Useful += took
	s.Answered.Add(now, 1)
	t.Answered.Add(now, 1)
}

// UnderWay counts what a server is busy with at the end.
func (t *Tally) UnderWay(server int, served time.Duration, waitedFor bool) {
	if waitedFor {
		t.PerServer[server].Open += served
	} else {
		t.PerServer[server].Wasted += served
		t.PerServer[server].Vain += served
	}
}

// Load is the load multiplier: how many requests reached the servers for each piece of
// work that was begun.
func (t *Tally) Load() float64 { return float64(t.Requests) / float64(t.Begun) }

// PerSuccess returns how many requests were made for each piece of work done; +Inf if none was.
func (t *Tally) PerSuccess() float64 { return float64(t.Requests) / float64(t.Done) }

// LoadBetween is the load multiplier of that time alone: it counts what was
// sent and what was begun then.
func (t *Tally) LoadBetween(from, to time.Duration) float64 {
	return t.Sent.Between(from, to) / t.Started.Between(from, to)
}

// Percentile is the time in seconds within which that share of the work that was wanted
// was done, 0 to 100; +Inf if so much was never done.
func (t *Tally) Percentile(percent float64) float64 {
	return t.Took.Percentile(percent, t.Wanted-t.Done)
}

// Waste is the share of a server's working time, 0 to 1, that was of no use; NaN if it
// did nothing.
func (s *Server) Waste() float64 {
	return float64(s.Wasted) / float64(s.Wasted+s.Useful+s.Open)
}

// InVainShare is the share of a server's working time, 0 to 1, that was in vain; NaN if it did nothing.
func (s *Server) InVainShare() float64 {
	return float64(s.Vain) / float64(s.Wasted+s.Useful+s.Open)
}

// Stay is the time that things must go well again before an outage counts as overcome; the first
// moment at which they do is looked for over a Window.
const (
	Stay   = 30 * time.Second
	Window = 5 * time.Second
)

// Recovery returns how many seconds after an outage a server's work done per second is back
// at nine tenths of what it was before, for [Stay]; NaN if that never happens, or if
// there was none before. The time before an outage counts without its first half.
func (t *Tally) Recovery(server int, from, to time.Duration) float64 {
	return t.firstWell(from, to, func(at, length time.Duration, share float64) bool {
		done := &t.PerServer[server].Answered
		return done.Between(at, at+length) >= 0.9*share*done.Between(from/2, from)
	})
}

// Settled returns how many seconds after an outage all servers together get at most a tenth
// more requests than before, and the work done is back at nine tenths, for [Stay]; NaN
// if that never happens.
func (t *Tally) Settled(from, to time.Duration) float64 {
	return t.firstWell(from, to, func(at, length time.Duration, share float64) bool {
		return t.Finished.Between(at, at+length) >= 0.9*share*t.Finished.Between(from/2, from) &&
			t.Sent.Between(at, at+length) <= 1.1*share*t.Sent.Between(from/2, from)
	})
}

// firstWell looks for the first moment after an outage at which all is well, for a Window and
// over all of Stay. well is told a moment, a length, and that as a share of the time
// before the outage.
func (t *Tally) firstWell(from, to time.Duration, well func(at, length time.Duration, share float64) bool) float64 {
	before := float64(from - from/2)
	if t.Sent.Between(from/2, from) == 0 {
		return math.NaN()
	}
	for at := to; at+Stay <= t.Until; at += t.Sent.Every {
		if well(at, Window, float64(Window)/before) && well(at, Stay, float64(Stay)/before) {
			return (at - to).Seconds()
		}
	}
	return math.NaN()
}

// Rush is the most that happened within a second. It looks at tenths.
type Rush struct {
	cells     [10]int
	last      time.Duration // the number of the newest cell
	sum, most int
}

// Most is their number.
func (r *Rush) Most() int { return r.most }

func (r *Rush) addRequest(now time.Duration) {
	cell := now / (100 * time.Millisecond)
	for gone := 0; r.last < cell; gone++ {
		if gone == len(r.cells) {
			r.last = cell
			break
		}
		r.last++
		r.sum -= r.cells[r.last%10]
		r.cells[r.last%10] = 0
	}
	r.cells[cell%10]++
	r.sum++
	r.most = max(r.most, r.sum)
}

// Times holds durations in the order in which they were counted.
type Times []time.Duration

// Percentile is in seconds, 0 to 100 percent, with so many that are later than all; +Inf
// among those, and if there are none at all.
func (t Times) Percentile(percent float64, later int) float64 {
	sorted := slices.Sorted(slices.Values(t))
	place := percent / 100 * float64(len(t)+later-1)
	low := max(int(place), 0)
	high := int(math.Ceil(place))
	if len(sorted) == 0 || high >= len(sorted) {
		return math.Inf(1)
	}
	from, to := sorted[low].Seconds(), sorted[high].Seconds()
	return from + (place-float64(low))*(to-from)
}

// Mean is in seconds; NaN if there are none.
func (t Times) Mean() float64 {
	sum := 0.0
	for _, took := range t {
		sum += took.Seconds()
	}
	return sum / float64(len(t))
}

// Between returns how many there are from one to before the other.
func (t Times) Between(from, to time.Duration) (n int) {
	for _, took := range t {
		if took >= from && took < to {
			n++
		}
	}
	return n
}
