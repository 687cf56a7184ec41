package simulate

import (
	"math"
	"time"

	"ftsh/backoff/herd"
	"ftsh/backoff/herd/server"
	"ftsh/interp/simulate/world"
)

// Tally is what was counted.
type Tally struct {
	Begun    int            // scripts
	Finished int            // that succeeded
	Failed   map[string]int // by why the last try stopped, or else by kind
	Running  int            // that were cut off by the end of the simulation

	Requests int // sent to the servers
	Good     int // that were answered well, in time
	Refused  int // turned away: no slot, no room in the queue, or nobody there
	Errors   int // answered with an error
	TimedOut int // given up by the script before an answer came

	Took      []time.Duration // of the scripts that finished, in that order
	PerClient []uint32        // requests answered well
	PerServer []Served
	Recovered []recovery
	Used      map[string]string // the commands that were run: whom they called
	Until     time.Duration     // when the last script had ended, or the simulation
	Events    uint64

	Sent, Done, Ended herd.Series // requests, those answered well, scripts that finished
	InFlight          herd.Series // the most requests that were with the servers
}

// Served is what a server has done.
type Served struct {
	Requests int
	Useful   time.Duration // for answers that somebody waited for, and that were no errors
	Wasted   time.Duration // for the others
	Idle     time.Duration // while nothing was being served
}

// recovery is what follows an outage: how long it takes until nine tenths of
// those who were in trouble when it ended have got a good answer.
type recovery struct {
	end     time.Duration
	server  int  // its number
	reached bool // the end came, while clients still ran
	waiting int  // of them
	enough  int  // when so few still wait
	over    bool
	took    time.Duration
}

// Seconds is how long it took; NaN if it has not come to that.
func (r *recovery) Seconds() float64 {
	if !r.over {
		return math.NaN()
	}
	return r.took.Seconds()
}

// prepare makes room.
func (s *simulation) prepare() {
	for _, series := range []*herd.Series{&s.Sent, &s.Done, &s.Ended, &s.InFlight} {
		series.Every = s.every()
	}
	s.Failed, s.Used = map[string]int{}, map[string]string{}
	s.PerServer = make([]Served, len(s.World.Servers))
}

func (s *simulation) fails(why string) { s.Failed[why]++ }

// sent notes a request.
func (s *simulation) sent(number int) {
	if s.over {
		return
	}
	s.Requests++
	s.PerServer[number].Requests++
	s.Sent.Add(s.time(), 1)
}

// inFlight is how many requests are with the servers.
func (s *simulation) inFlight() int {
	n := 0
	for _, server := range s.servers {
		n += server.InFlight()
	}
	return n
}

// served notes what an answer has cost its server.
func (s *simulation) served(a server.Answer, number int, heard bool) {
	if s.over {
		return
	}
	if p := &s.PerServer[number]; heard && a.OK {
		p.Useful += a.Served
	} else {
		p.Wasted += a.Served
	}
}

// succeeded notes that a client got what it wanted.
func (s *simulation) succeeded(c *client) {
	if s.over {
		return
	}
	s.Good++
	s.Done.Add(s.time(), 1)
	c.got++
	c.trouble = false
	if c.outage == 0 {
		return
	}
	r := s.broken[c.outage-1]
	c.outage = 0
	if r.waiting--; r.waiting <= r.enough && !r.over {
		r.over, r.took = true, s.time()-r.end
	}
}

// failed notes that it did not.
func (s *simulation) failed(c *client, count *int) {
	if !s.over {
		*count++
		c.trouble = true
	}
}

// mended is the end of an outage.
func (s *simulation) mended(number int) {
	r := s.broken[number]
	if s.over {
		return
	}
	r.reached = true
	for i := range s.clients {
		c := &s.clients[i]
		if c.cancel != nil && (c.trouble || len(c.calls) > 0) {
			c.outage = number + 1
			r.waiting++
		}
	}
	r.enough = r.waiting / 10
	r.over = r.waiting == 0
}

// note keeps whom a command called.
func (s *simulation) note(name string, route world.Route) {
	if _, known := s.Used[name]; known {
		return
	}
	switch {
	case route.Server == nil:
		s.Used[name] = "called nobody"
	case len(route.Server.Names) == 0:
		s.Used[name] = "called the server"
	default:
		s.Used[name] = "called " + route.Server.Name()
	}
}
