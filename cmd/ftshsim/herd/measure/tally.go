package measure

import (
	"math"
	"slices"
	"time"
)

// Tally is what was counted in one run. A piece of work is what a client wants done: an
// answer, perhaps after several requests, or a whole script.
type Tally struct {
	Wanted  int // pieces of work: those begun, or where each client has one, the clients
	Begun   int
	Done    int
	GivenUp int

	Requests int // sent to the servers
	Rejected int // attempts that a breaker or throttle kept from them
	Late     int // answers that came after the client had hung up

	Took      Times         // from the beginning of a piece of work until it was done
	PerClient []uint32      // what each client got done; empty if clients come and go
	PerServer []Server      // in their order
	Until     time.Duration // when the last piece of work had ended, or the simulation
	Events    uint64

	Started, Finished, Lost Series  // pieces of work begun, done and given up, by interval
	Sent, Answered          Series  // requests, and those answered well
	InFlight                Series  // the most requests that were with the servers
	Lacking                 Series  // client-seconds of having no answer, or no good one: see [Tally.Judge]
	Lack                    float64 // how many clients lack something at the end
	Ended                   bool    // all clients had come to their ends by Until
}

// Server is what one of them has done.
type Server struct {
	Requests int
	Useful   time.Duration // for answers that somebody waited for, and that were no errors
	Wasted   time.Duration // for the others, and for what is under way for clients that have left
	Open     time.Duration // for what is under way, and waited for
	Idle     time.Duration // while nothing was being served
	Answered Series        // requests answered well and in time
}

// New returns an empty Tally whose series have that interval.
func New(every time.Duration, servers int) Tally {
	t := Tally{PerServer: make([]Server, servers)}
	for _, s := range []*Series{&t.Started, &t.Finished, &t.Lost, &t.Sent, &t.Answered, &t.InFlight, &t.Lacking} {
		s.Every = every
	}
	for n := range t.PerServer {
		t.PerServer[n].Answered.Every = every
	}
	return t
}

// Send counts a request.
func (t *Tally) Send(server int, now time.Duration) {
	t.Requests++
	t.PerServer[server].Requests++
	t.Sent.Add(now, 1)
}

// Serve counts what an answer has cost its server; useful: it was a good one, and
// somebody waited for it.
func (t *Tally) Serve(server int, now, took time.Duration, useful bool) {
	s := &t.PerServer[server]
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
	}
}

// Load is the load multiplier: how many requests reached the servers for each piece of
// work that was begun.
func (t *Tally) Load() float64 { return float64(t.Requests) / float64(t.Begun) }

// PerSuccess is how many requests were made for each piece of work done; +Inf if none was.
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

// Times are how long things took.
type Times []time.Duration

// Percentile is in seconds, 0 to 100 percent, with so many that are later than all; +Inf
// among those.
func (t Times) Percentile(percent float64, later int) float64 {
	sorted := slices.Sorted(slices.Values(t))
	place := percent / 100 * float64(len(t)+later-1)
	low := max(int(place), 0)
	high := int(math.Ceil(place))
	if high >= len(sorted) {
		return math.Inf(1)
	}
	from, to := sorted[low].Seconds(), sorted[high].Seconds()
	return from + (place-float64(low))*(to-from)
}
