package experiment

import (
	"time"

	"ftsh/backoff"
)

// discipline says how a client of Thain and Livny's experiments deals with
// failure.
type discipline int

const (
	fixed    discipline = iota // it tries again at once
	aloha                      // a plain try, with the shell's backoff
	ethernet                   // a try around a cheap probe, and the work
)

var disciplines = []discipline{fixed, aloha, ethernet}

func (d discipline) String() string { return [...]string{"fixed", "aloha", "ethernet"}[d] }

// tryPlan is the try that a client of this discipline runs.
func (d discipline) tryPlan(deadline time.Duration, b backoff.Backoff) backoff.Plan {
	if d == fixed {
		b = backoff.Backoff{Policy: backoff.Fixed, Initial: -1}
	}
	return backoff.Plan{Deadline: deadline, Attempts: backoff.Unlimited, Backoff: b}
}

// tries is the backoff of a plain try.
type tries struct {
	Policy backoff.Policy `help:"backoff of aloha and ethernet"`
	waits
}

// waits are the numbers of a backoff.
type waits struct {
	Initial time.Duration `long:"from" default:"1s" range:"0s 8760h" help:"first wait T"`
	Max     time.Duration `long:"to" default:"1h" range:"0s 8760h" help:"cap M of the waits"`
	Factor  float64       `long:"by" default:"2" range:"0 1000" help:"factor F"`
}

func (t *tries) backoffOf() backoff.Backoff { return t.backoffWith(t.Policy) }

// backoffWith is a backoff of these numbers.
func (w *waits) backoffWith(p backoff.Policy) backoff.Backoff {
	return backoff.Backoff{Policy: p, Initial: trueZero(w.Initial), Max: trueZero(w.Max), Factor: trueZero(w.Factor)}
}

// trueZero gives a true zero its name in a [backoff.Backoff].
func trueZero[N time.Duration | float64](n N) N {
	if n == 0 {
		return -1
	}
	return n
}
