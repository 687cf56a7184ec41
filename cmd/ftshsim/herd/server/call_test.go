package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/spread"
)

// chain is a server whose requests call another.
type chain struct {
	client
	back *Server
}

func (c *chain) Happen(e herd.Event) {
	if e.What > sends+Kinds {
		c.back.Happen(e)
		return
	}
	c.client.Happen(e)
}

// TestCalls has a server of 10 ms call one of 20 ms, up to three times, 30 ms each, with
// pauses of 5 ms.
func TestCalls(t *testing.T) {
	out := func(from, to time.Duration, mode Mode) []Outage { return []Outage{{from, to, mode}} }
	for _, c := range []struct {
		name        string
		front, back Spec
		at          []time.Duration
		want        []string
		called      int
	}{
		{"well", Spec{}, Spec{}, []time.Duration{0, 5 * ms}, []string{"0 ok at 30ms (30ms)", "1 ok at 35ms (30ms)"}, 2},
		{"a call keeps the slot", Spec{Slots: 1, Queue: Unlimited}, Spec{}, []time.Duration{0, 0},
			[]string{"0 ok at 30ms (30ms)", "1 ok at 60ms (30ms)"}, 2},
		{"errors", Spec{}, Spec{Failure: 1}, []time.Duration{0}, []string{"0 failed at 80ms (80ms)"}, 3},
		{"a second attempt", Spec{}, Spec{Outages: out(0, 20*ms, Fail)}, []time.Duration{0},
			[]string{"0 ok at 55ms (55ms)"}, 2},
		{"the other says when", Spec{}, Spec{Outages: out(0, 20*ms, Fail), After: 10 * ms}, []time.Duration{0},
			[]string{"0 ok at 60ms (60ms)"}, 2},
		{"a black hole behind", Spec{}, Spec{Outages: out(0, time.Hour, Hang)}, []time.Duration{0},
			[]string{"0 failed at 110ms (110ms)"}, 3},
		{"own error", Spec{Failure: 1}, Spec{}, []time.Duration{0}, []string{"0 failed at 10ms (10ms)"}, 0},
		{"goes down meanwhile", Spec{Outages: out(20*ms, 50*ms, Refuse)}, Spec{}, []time.Duration{0, 60 * ms},
			[]string{"0 failed at 20ms (20ms)", "1 ok at 90ms (30ms)"}, 2},
		{"stands still meanwhile", Spec{Outages: out(20*ms, 70*ms, Freeze)}, Spec{}, []time.Duration{0},
			[]string{"0 ok at 70ms (70ms)"}, 1},
		{"stands still, and has lost patience", Spec{Outages: out(20*ms, 70*ms, Freeze)},
			Spec{Outages: out(0, 50*ms, Hang)}, []time.Duration{0},
			[]string{"0 ok at 95ms (95ms)"}, 2},
		{"slower under load", Spec{Slowdown: Slowdown{Limit: 5, Factor: 2, Per: 1, Every: ms}}, Spec{}, []time.Duration{0},
			[]string{"0 ok at 30ms (30ms)"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, called := &chain{client: client{sim: herd.New(1)}}, 0
			c.front.Response, c.back.Response = spread.Always(10*ms), spread.Always(20*ms)
			c.front.Calls = []Call{{To: 1, Attempts: 3, Each: 30 * ms,
				Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 5 * ms}}}
			w.server = New(w.sim, c.front, sends+1, w.reply)
			w.back = New(w.sim, c.back, sends+1+Kinds, func(a Answer) { w.server.Called(a) })
			w.server.Forward = func(_ int, r Request) { called++; w.back.Send(r) }
			for who, at := range c.at {
				w.sim.At(at, herd.Event{Who: uint32(who), What: sends})
			}
			_ = w.sim.Run(context.Background(), w, time.Minute)
			if got := strings.Join(w.answers, "; "); got != strings.Join(c.want, "; ") || called != c.called ||
				w.server.InFlight() != 0 {
				t.Errorf("got  %v\nwant %v; %d calls, want %d; %d in flight", got, c.want, called, c.called, w.server.InFlight())
			}
		})
	}
}
