package crowd

import (
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd/spread"
)

// Config says who the clients are and what they do. The zero value of each
// field works; without Clients and Rate there is nobody.
type Config struct {
	Clients int           // each does one piece of work after the other
	Rate    float64       // instead of Clients: pieces of work begun per second, whatever becomes of them
	Start   time.Duration // clients begin at random moments within this time
	Think   spread.Time   // the pause of a client after a piece of work
	Once    bool          // each client has one piece of work only
	Timeout time.Duration // a request that was not answered by then has failed; 0: clients wait for ever
	Layers  []Layer       // outermost first; the last one sends the requests. None: one attempt
	Every   time.Duration // the interval of the series in the Tally; 0: 1 s
}

// Layer is one of the programs, one calling the next, that a request passes,
// and that try again.
type Layer struct {
	Limit    time.Duration // 0: no time limit
	Cut      bool          // the limit also ends a request under way, as that of a script's try does
	Attempts int           // 0: no limit
	Backoff  backoff.Backoff
	Last     backoff.Last
	// What all clients share in this layer; the zero values: nothing.
	Rules    shared.Rules // without slots: nobody waits for another
	Bucket   Bucket
	Throttle Throttle
}

// tryPlan is the plan of a try that begins then.
func (l *Layer) tryPlan(began time.Duration) backoff.Plan {
	p := backoff.Plan{Deadline: backoff.Never, Limit: l.Limit, Attempts: backoff.Unlimited,
		Backoff: l.Backoff, Last: l.Last}
	if l.Limit > 0 {
		p.Deadline = began + l.Limit
	}
	if l.Attempts > 0 {
		p.Attempts = l.Attempts
	}
	return p
}
