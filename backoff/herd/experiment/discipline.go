package experiment

import (
	"time"

	"ftsh/backoff"
)

// discipline is how a client of Thain and Livny's experiments deals with
// failure.
type discipline int

const (
	fixed    discipline = iota // it tries again at once
	aloha                      // a plain try, with the shell's backoff
	ethernet                   // a try around a cheap probe, and the work
)

var disciplines = []discipline{fixed, aloha, ethernet}

func (d discipline) String() string { return [...]string{"fixed", "aloha", "ethernet"}[d] }

// plan is the try that a client of this discipline runs.
func (d discipline) plan(deadline time.Duration, b backoff.Backoff) backoff.Plan {
	if d == fixed {
		b = backoff.Backoff{Policy: backoff.Fixed, Initial: -1}
	}
	return backoff.Plan{Deadline: deadline, Attempts: backoff.Unlimited, Backoff: b}
}

// tries is the backoff of a plain try, as parameters.
type tries struct {
	policy       backoff.Policy
	initial, max time.Duration
	factor       float64
}

func (t *tries) backoff() backoff.Backoff {
	return backoff.Backoff{Policy: t.policy, Initial: zero(t.initial), Max: zero(t.max), Factor: zero(t.factor)}
}

// zero gives a true zero its name in a [backoff.Backoff].
func zero[N time.Duration | float64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}

func (t *tries) parameters() []Parameter {
	return []Parameter{
		{"policy", "backoff of aloha and ethernet", Policy(&t.policy)},
		{"from", "first wait T", Time(&t.initial, 0, forever)},
		{"to", "cap M of the waits", Time(&t.max, 0, forever)},
		{"by", "factor F", Real(&t.factor, 0, 1000)},
	}
}
