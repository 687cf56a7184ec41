package server

import (
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd/spread"
)

// Spec says what a server is like. The zero Spec answers everything at once.
type Spec struct {
	Slots    int           // requests served at the same time; 0: no limit
	Queue    int           // requests that may wait for a slot; further ones are refused. Unlimited: any number
	Response spread.Time   // how long serving one takes
	Slowdown Slowdown      // by how much longer that is under load
	Failure  float64       // the share of answers that are errors, 0 to 1
	Refusal  time.Duration // what saying no costs the server: that much time of one slot
	Trip     time.Duration // how long a refusal takes to reach the client; 0: 1 ms
	Restart  time.Duration // how long after an outage requests are still refused
	Backlog  int           // connections that wait while the server stands still (Freeze); 0: 128.
	// Further ones are dropped, and come again after 1 s
	After    time.Duration // the Retry-After that errors and refusals carry; 0: none
	Limit    Rate          // of requests that are let in
	Outages  []Outage      // in order, not overlapping
	Programs []Program     // programs that are not served like others

	// HangupRemoves says that a request whose client has left loses its place in the line, or its slot; else it is
	// served all the same, for nobody. A server that stands still or calls another one sees it only once it goes on.
	HangupRemoves bool

	Waiting time.Duration // for a slot, at most; then a request is turned away. 0: any time
	Seen    int           // Slots are not known, only that there are so many; 0: they are. See [Use]

	Brownouts []Brownout // in order, not overlapping
	Calls     []Call     // of other servers, one after the other, once a request's own work is done
}

// Unlimited is a Queue without end.
const Unlimited = -1

// Slowdown is a response time that grows with the number of requests in
// flight c: by Factor for each Per of them above Limit. Each request
// looks again every Every, and leaves when it has been there for the time that
// is right by then. This is the server of smira 2013; the zero Slowdown is none.
type Slowdown struct {
	Limit  int           // requests in flight that slow nothing down
	Factor float64       // above 1
	Per    int           // at least 1
	Every  time.Duration // more than 0
}

func (s Slowdown) on() bool { return s.Factor > 0 }

// Delay is the response time when c requests are in flight; base is that of
// an idle server.
func (s Slowdown) Delay(base time.Duration, c int) time.Duration {
	if c <= s.Limit {
		return base
	}
	d := float64(base) * math.Pow(s.Factor, float64(c-s.Limit)/float64(s.Per))
	return time.Duration(min(d, math.MaxInt64/2))
}

// Rate says how many requests a server lets in within each window of that length; the first
// begins at time 0. Further ones are told when the next begins. The zero Rate is no limit.
type Rate struct {
	Requests int           // within Per
	Per      time.Duration // the length of a window; 0: there is no limit
}

// Outage is a time during which a server does not serve.
type Outage struct {
	From, To time.Duration // from From up to, but not at, To
	Mode     Mode
}

// Mode says what clients see of an outage.
type Mode uint8

const (
	Refuse Mode = iota // an error at once (the process is gone); what was under way is lost
	Hang               // no answer ever to what comes now or was under way: a black hole
	Fail               // an error after the usual time (its database is gone)
	Freeze             // nothing until it goes on (SIGSTOP); what has come meanwhile is served then
	works              // no outage
)

var modes = [...]string{Refuse: "refuse", Hang: "hang", Fail: "fail", Freeze: "freeze"}

// String is the mode as a SPEC has it.
func (m Mode) String() string { return modes[m] }

// Modes are the names of all modes.
func Modes() []string { return slices.Clone(modes[:]) }

// ParseMode returns the mode of that name; false if there is none.
func ParseMode(name string) (Mode, bool) {
	i := slices.Index(modes[:], name)
	return Mode(max(i, 0)), i >= 0
}

// Program is an exception: requests of that program take their own time and
// fail at their own rate.
type Program struct {
	Name     string // as [Request] has it
	Local    bool   // it does not concern the server: no slot, no outage
	Response spread.Time
	Failure  float64
	Output   string // what it writes to standard output when it succeeds
}

// outageAt returns the outage at that time; its Mode is works if there is none.
func (s *Spec) outageAt(now time.Duration) Outage {
	for _, o := range s.Outages {
		if now >= o.From && now < o.To {
			return o
		}
	}
	return Outage{Mode: works}
}

// restarting reports whether an outage has ended so lately that the server still
// refuses.
func (s *Spec) restarting(now time.Duration) bool {
	return slices.ContainsFunc(s.Outages, func(o Outage) bool { return now >= o.To && now < o.To+s.Restart })
}

// Brownout is a time during which a server works more slowly.
type Brownout struct {
	From, To time.Duration
	Share    float64 // of its speed that is left, above 0 and up to 1
}

// speedAt is the share of its speed that a server has at that time.
func (s *Spec) speedAt(now time.Duration) float64 {
	for _, b := range s.Brownouts {
		if now >= b.From && now < b.To {
			return b.Share
		}
	}
	return 1
}

// workLasts returns how long some work takes that begins then: longer as far as a brown-out covers it.
func (s *Spec) workLasts(begin, work time.Duration) time.Duration {
	now := begin
	for _, b := range s.Brownouts {
		if b.To <= now {
			continue
		}
		before := max(b.From-now, 0)
		within := time.Duration(float64(b.To-now-before) * b.Share)
		switch {
		case work <= before:
			return now + work - begin
		case work <= before+within:
			return now + before + time.Duration(float64(work-before)/b.Share) - begin
		}
		now, work = b.To, work-before-within
	}
	return now + work - begin
}
