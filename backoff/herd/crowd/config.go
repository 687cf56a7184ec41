package crowd

import (
	"time"

	"ftsh/backoff"
	"ftsh/backoff/herd/server"
	"ftsh/backoff/shared"
)

// Config says who the clients are and what they do. The zero value of each
// field works; without Clients and Rate there is nobody.
type Config struct {
	Clients int           // each does one piece of work after the other
	Rate    float64       // instead of Clients: pieces of work begun per second, whatever becomes of them
	Start   time.Duration // clients begin at random moments within this time
	Think   server.Spread // the pause of a client after a piece of work
	Once    bool          // each client has one piece of work only
	Timeout time.Duration // a request that was not answered by then has failed; 0: clients wait for ever
	Layers  []Layer       // outermost first; the last one sends the requests. None: one attempt
	Every   time.Duration // the interval of the series in the Tally; 0: 1 s
}

// Layer is one of the programs, one calling the next, that a request passes,
// and that try again.
type Layer struct {
	Limit    time.Duration // 0: no time limit
	Attempts int           // 0: no limit
	Backoff  backoff.Backoff
	// What all clients share in this layer; nil: nothing. Only the parameters
	// are used, the state is the crowd's.
	Budget   *shared.Budget
	Bucket   *shared.Bucket
	Breaker  *shared.Breaker
	Throttle *shared.Throttle
}

// plan is the plan of a try, without its deadline.
func (l *Layer) plan() backoff.Plan {
	p := backoff.Plan{Deadline: backoff.Never, Attempts: backoff.Unlimited, Backoff: l.Backoff}
	if l.Attempts > 0 {
		p.Attempts = l.Attempts
	}
	return p
}

// own returns a copy of the layer with a state of its own.
func (l Layer) own() Layer {
	l.Budget, l.Bucket, l.Breaker, l.Throttle = fresh(l.Budget), fresh(l.Bucket), fresh(l.Breaker), fresh(l.Throttle)
	if l.Breaker != nil {
		l.Breaker.Recent = nil
	}
	return l
}

func fresh[T any](state *T) *T {
	if state == nil {
		return nil
	}
	c := *state
	return &c
}
