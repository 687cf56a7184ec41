package fit

import (
	"context"
	"math"
	"slices"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
)

// replay sends calls to a simulated server, at the times at which they were made. It is a
// [herd.World].
type replay struct {
	sim     *herd.Sim
	server  *server.Server
	at      []time.Duration
	answers []time.Duration // how long each took; never: no answer
}

const never = time.Duration(math.MaxInt64)

// Events: a call, by its number; those of the server follow.
const (
	sends uint32 = iota
	serves
)

// newReplay sets up calls that begin at these times.
func newReplay(spec server.Spec, at []time.Duration) *replay {
	r := &replay{sim: herd.New(1), at: at, answers: make([]time.Duration, len(at))}
	r.server = server.New(r.sim, spec, serves, r.takeAnswer)
	for n, when := range at {
		r.answers[n] = never
		r.sim.At(when, herd.Event{Who: uint32(n), What: sends})
	}
	return r
}

// replayAnswers returns the times that a server takes to answer calls that begin at these times, if it does
// by then.
func replayAnswers(spec server.Spec, at []time.Duration, until time.Duration) []time.Duration {
	r := newReplay(spec, at)
	r.run(until)
	return r.answers
}

func (r *replay) run(until time.Duration) { _ = r.sim.Run(context.Background(), r, until) }

// A replay is asked so often, less once, how far off it is before its end.
const looks = 16

// distance replays, and gives the [answerDistance] from the calls. The replay ends early when that will be too far,
// whatever comes: then it is less than it would be, and too far.
func (r *replay) distance(calls []call, until time.Duration, tooFar func(float64) bool) float64 {
	for n := 1; n < looks; n++ {
		r.run(r.at[n*(len(r.at)-1)/looks])
		if least := answerDistance(calls, r.soonest(calls)); tooFar(least) {
			return least
		}
	}
	r.run(until)
	return answerDistance(calls, r.answers)
}

// soonest is the answers so far, and for each that has not come the time nearest to that of its call that it can take.
func (r *replay) soonest(calls []call) []time.Duration {
	list := slices.Clone(r.answers)
	for n, answer := range list {
		if answer == never {
			list[n] = max(calls[n].took, r.sim.Now()-r.at[n])
		}
	}
	return list
}

// Happen implements [herd.World].
func (r *replay) Happen(e herd.Event) {
	if e.What == sends {
		r.server.Send(server.Request{Who: e.Who})
		return
	}
	r.server.Happen(e)
}

func (r *replay) takeAnswer(a server.Answer) { r.answers[a.Who] = r.sim.Now() - r.at[a.Who] }

// worst is the distance of an answer that never came.
const worst = 3

// answerDistance returns how far answers are from those of the calls, in the mean of their logarithms.
// Of a call that was given up it is known only that its answer would have come later, and of
// one that failed nothing.
func answerDistance(calls []call, answers []time.Duration) float64 {
	sum, n := 0.0, 0
	for i, c := range calls {
		if c.outcome == bad || !c.timed {
			continue
		}
		n++
		switch ratio := math.Log(float64(max(answers[i], 1)) / float64(max(c.took, 1))); {
		case answers[i] == never && c.outcome == good:
			sum += worst
		case c.outcome == good || ratio < 0:
			sum += math.Min(math.Abs(ratio), worst)
		}
	}
	return sum / math.Max(float64(n), 1)
}
