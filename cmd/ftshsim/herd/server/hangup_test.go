package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/spread"
)

// leaver is a client whose requests are given up after a while.
type leaver struct {
	client
	patience time.Duration
	left     map[uint32]bool
	answered map[uint32]bool
}

const leaves = sends + 1 + Kinds

func (l *leaver) Happen(e herd.Event) {
	switch {
	case e.What == leaves && !l.answered[e.Who]:
		l.left[e.Who] = true
		l.server.Left(Request{Who: e.Who})
	case e.What == leaves:
	default:
		if e.What == sends {
			l.sim.At(l.sim.Now()+l.patience, herd.Event{Who: e.Who, What: leaves})
		}
		l.client.Happen(e)
	}
}

var slowedDown = Slowdown{Limit: 100, Factor: 2, Per: 1, Every: ms}

var frozen = []Outage{{From: 30 * ms, To: 60 * ms, Mode: Freeze}}

var hangupCases = []struct {
	name string
	spec Spec
	at   []time.Duration
	want string
	lost time.Duration
	used float64 // seconds
}{
	{"served all the same", Spec{}, []time.Duration{0, 0, 0},
		"0 ok at 20ms (20ms); 1 ok at 40ms (20ms); 2 ok at 60ms (20ms)", 0, 0.06},
	{"removed from slot and line", Spec{HangupRemoves: true}, []time.Duration{0, 0, 0, 21 * ms},
		"0 ok at 20ms (20ms); 3 ok at 45ms (20ms)", 5 * ms, 0.045},
	{"room for another", Spec{HangupRemoves: true, Queue: 1, Response: spread.Always(30 * ms)},
		[]time.Duration{0, 10 * ms, 30 * ms, 32 * ms},
		"3 failed at 33ms (0s)", 55 * ms, 0.055},
	{"its tick comes later", Spec{HangupRemoves: true, Slots: 1, Slowdown: slowedDown, Response: spread.Always(40 * ms)},
		[]time.Duration{0, 10 * ms}, "", 50 * ms, 0.05},
	{"seen when it goes on", Spec{HangupRemoves: true, Outages: frozen},
		[]time.Duration{25 * ms, 31 * ms, 32 * ms, 71 * ms},
		"0 ok at 75ms (50ms); 3 ok at 95ms (20ms)", 0, 0.07},
	{"no longer than that in line", Spec{Waiting: 30 * ms}, []time.Duration{0, 0, 0, 25 * ms},
		"0 ok at 20ms (20ms); 2 failed at 31ms (0s); 1 ok at 40ms (20ms); 3 ok at 60ms (20ms)", 0, 0.06},
	{"nor while it stands still", Spec{Waiting: 5 * ms, Outages: frozen}, []time.Duration{25 * ms, 31 * ms},
		"1 failed at 61ms (0s); 0 ok at 75ms (50ms)", 0, 0.05},
	{"no longer, and room for another", Spec{Waiting: 5 * ms, Queue: 1}, []time.Duration{0, 1 * ms, 10 * ms},
		"1 failed at 7ms (0s); 2 failed at 16ms (0s); 0 ok at 20ms (20ms)", 0, 0.02},
}

// TestHangup has clients hang up after 25 ms, with a server of one slot that takes 20 ms.
func TestHangup(t *testing.T) {
	for _, c := range hangupCases {
		t.Run(c.name, func(t *testing.T) {
			if c.spec.Queue == 0 {
				c.spec.Queue = Unlimited
			}
			if c.spec.Response == (spread.Time{}) {
				c.spec.Response = spread.Always(20 * ms)
			}
			if c.spec.Slots = 1; c.spec.Slowdown.on() {
				c.spec.Slots = 0
			}
			l := &leaver{client: client{sim: herd.New(1)}, patience: 25 * ms, left: map[uint32]bool{},
				answered: map[uint32]bool{}}
			l.server = New(l.sim, c.spec, sends+1, func(a Answer) { l.answered[a.Who] = true; l.reply(a) })
			l.server.Waits = func(r Request) bool { return !l.left[r.Who] }
			for who, at := range c.at {
				l.sim.At(at, herd.Event{Who: uint32(who), What: sends})
			}
			_ = l.sim.Run(context.Background(), l, time.Hour)
			use := l.server.Use()
			if got := strings.Join(l.answers, "; "); got != c.want || l.server.Use().Lost != c.lost || use.Slots < c.used-1e-9 ||
				use.Slots > c.used+1e-9 {
				t.Errorf("got  %s, lost %v, used %v s\nwant %s, lost %v, used %v s", got, l.server.Use().Lost, use.Slots, c.want,
					c.lost, c.used)
			}
			stale := 0 // what the line or the pace has still to come by
			for n := range l.server.requests {
				if l.server.requests[n].state == lost {
					stale++
				}
			}
			if l.server.InFlight() != 0 || len(l.server.free)+stale != len(l.server.requests) || len(l.server.numbers) > 0 {
				t.Errorf("%d are still there, %d of %d numbers are free, %d names are known",
					l.server.InFlight(), len(l.server.free), len(l.server.requests), len(l.server.numbers))
			}
		})
	}
}

// TestUse counts slot-time and the line, by hand.
func TestUse(t *testing.T) {
	c, _ := talk(Spec{Slots: 3, Queue: Unlimited, Response: spread.Always(20 * ms), Seen: 1}, nil, 0, 0, 0, 0, 0, 100*ms)
	want := Use{Slots: 0.12, Line: 0.04, Longest: 2, Served: 6, Unseen: 3}
	if got := c.server.Use(); got.Longest != want.Longest || got.Served != want.Served || got.Unseen != want.Unseen ||
		int(got.Slots*1e6+0.5) != 120000 || int(got.Line*1e6+0.5) != 40000 {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}
