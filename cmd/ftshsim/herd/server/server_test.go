package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/spread"
)

const ms = time.Millisecond

// client sends requests to a server at given times and writes down the answers.
type client struct {
	sim     *herd.Sim
	server  *Server
	program map[uint32]string
	answers []string
}

const sends = 1 << 10 // an event of the client's; the server's come after it

func (c *client) Happen(e herd.Event) {
	if e.What == sends {
		c.server.Send(Request{Who: e.Who, Program: c.program[e.Who]})
		return
	}
	c.server.Happen(e)
}

func (c *client) reply(a Answer) {
	outcome := "failed"
	if a.OK {
		outcome = "ok"
	}
	if a.After > 0 {
		outcome += fmt.Sprintf(", after %v", a.After)
	}
	c.answers = append(c.answers, fmt.Sprintf("%d %s at %v (%v)", a.Who, outcome, c.sim.Now().Round(ms),
		a.Served.Round(ms)))
}

// talk sends a request at each of these times and returns the answers.
func talk(spec Spec, program map[uint32]string, at ...time.Duration) (*client, []string) {
	c := &client{sim: herd.New(1), program: program}
	c.server = New(c.sim, spec, sends+1, c.reply)
	for who, at := range at {
		c.sim.At(at, herd.Event{Who: uint32(who), What: sends})
	}
	_ = c.sim.Run(context.Background(), c, time.Hour)
	return c, c.answers
}

func TestServer(t *testing.T) {
	out := func(mode Mode) []Outage { return []Outage{{From: 100 * ms, To: 200 * ms, Mode: mode}} }
	for _, c := range []struct {
		name string
		spec Spec
		at   []time.Duration
		want []string
	}{
		{"at once", Spec{}, []time.Duration{0, 5 * ms}, []string{"0 ok at 0s (0s)", "1 ok at 5ms (0s)"}},
		{"no limit", Spec{Response: spread.Always(10 * ms)}, []time.Duration{0, 0},
			[]string{"0 ok at 10ms (10ms)", "1 ok at 10ms (10ms)"}},
		{"one slot, all wait", Spec{Slots: 1, Queue: Unlimited, Response: spread.Always(10 * ms)},
			[]time.Duration{0, 0, 3 * ms},
			[]string{"0 ok at 10ms (10ms)", "1 ok at 20ms (10ms)", "2 ok at 30ms (10ms)"}},
		{"one slot, one waits", Spec{Slots: 1, Queue: 1, Response: spread.Always(10 * ms), After: time.Second},
			[]time.Duration{0, 0, 3 * ms},
			[]string{"2 failed, after 1s at 4ms (0s)", "0 ok at 10ms (10ms)", "1 ok at 20ms (10ms)"}},
		{"refusing costs time", Spec{Slots: 1, Response: spread.Always(10 * ms), Refusal: 3 * ms, Trip: 5 * ms},
			[]time.Duration{0, 0, 0},
			[]string{"1 failed at 5ms (3ms)", "2 failed at 5ms (3ms)", "0 ok at 16ms (16ms)"}},
		{"always fails", Spec{Response: spread.Always(10 * ms), Failure: 1, After: time.Minute}, []time.Duration{0},
			[]string{"0 failed, after 1m0s at 10ms (10ms)"}},
		{"gone", Spec{Response: spread.Always(20 * ms), Outages: out(Refuse)},
			[]time.Duration{90 * ms, 150 * ms, 199 * ms, 200 * ms},
			[]string{"0 failed at 100ms (10ms)", "1 failed at 151ms (0s)", "2 failed at 200ms (0s)", "3 ok at 220ms (20ms)"}},
		{"gone, and starts slowly", Spec{Response: spread.Always(20 * ms), Outages: out(Refuse), Restart: 50 * ms},
			[]time.Duration{220 * ms, 250 * ms},
			[]string{"0 failed at 221ms (0s)", "1 ok at 270ms (20ms)"}},
		{"black hole", Spec{Slots: 1, Queue: 1, Response: spread.Always(20 * ms), Outages: out(Hang)},
			[]time.Duration{90 * ms, 95 * ms, 150 * ms, 200 * ms},
			[]string{"3 ok at 220ms (20ms)"}},
		{"errors", Spec{Response: spread.Always(20 * ms), Outages: out(Fail)},
			[]time.Duration{90 * ms, 150 * ms, 190 * ms, 200 * ms},
			[]string{"0 ok at 110ms (20ms)", "1 failed at 170ms (20ms)", "2 failed at 210ms (20ms)", "3 ok at 220ms (20ms)"}},
		{"stopped", Spec{Response: spread.Always(20 * ms), Backlog: 1, Outages: out(Freeze)},
			[]time.Duration{90 * ms, 150 * ms, 160 * ms},
			[]string{"0 ok at 210ms (120ms)", "1 ok at 220ms (20ms)", "2 ok at 1.18s (20ms)"}},
		{"a quarter of its speed", Spec{Slots: 1, Queue: Unlimited, Response: spread.Always(20 * ms),
			Brownouts: []Brownout{{10 * ms, 50 * ms, 0.25}, {60 * ms, 80 * ms, 0.5}}},
			[]time.Duration{0, 0, 0}, []string{"0 ok at 50ms (50ms)", "1 ok at 80ms (30ms)", "2 ok at 100ms (20ms)"}},
		{"two in 100 ms", Spec{Response: spread.Always(10 * ms), Limit: Rate{2, 100 * ms}},
			[]time.Duration{0, 5 * ms, 20 * ms, 99 * ms, 100 * ms, 299 * ms, 300 * ms},
			[]string{"0 ok at 10ms (10ms)", "1 ok at 15ms (10ms)", "2 failed, after 79ms at 21ms (0s)",
				"3 failed at 100ms (0s)", "4 ok at 110ms (10ms)",
				"5 ok at 309ms (10ms)", "6 ok at 310ms (10ms)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := talk(c.spec, nil, c.at...); strings.Join(got, "; ") != strings.Join(c.want, "; ") {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}

// TestPrograms holds that a program has its own time and failures, and a local
// one nothing to do with the server.
func TestPrograms(t *testing.T) {
	spec := Spec{Slots: 1, Response: spread.Always(10 * ms), Outages: []Outage{{From: 0, To: 50 * ms}}}
	spec.Programs = []Program{
		{Name: "tar", Local: true, Response: spread.Always(5 * ms)},
		{Name: "put", Response: spread.Always(30 * ms)},
		{Name: "rm", Response: spread.Always(time.Second), Failure: 1},
	}
	_, got := talk(spec, map[uint32]string{0: "tar", 1: "put", 2: "put", 3: "rm", 4: "get"}, 0, 0, 60*ms, 200*ms,
		2*time.Second)
	want := []string{"1 failed at 1ms (0s)", "0 ok at 5ms (0s)", "2 ok at 90ms (30ms)", "3 failed at 1.2s (1s)",
		"4 ok at 2.01s (10ms)"}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestIdle(t *testing.T) {
	c, _ := talk(Spec{Slots: 1, Queue: Unlimited, Response: spread.Always(10 * ms)}, nil, 0, 5*ms, 100*ms)
	if got := time.Hour - c.server.Use().Idle; got != 30*ms {
		t.Errorf("it was busy for %v, want 30ms", got)
	}
	if n := c.server.InFlight(); n != 0 {
		t.Errorf("%d requests are left", n)
	}
}

// TestSlowdown compares with the formula: 1.05 for each 15 requests above 30,
// looked at every 50 ms.
func TestSlowdown(t *testing.T) {
	spec := Spec{Response: spread.Always(100 * ms), Slowdown: Slowdown{Limit: 30, Factor: 1.05, Per: 15, Every: 50 * ms}}
	for c, want := range map[int]time.Duration{0: 100 * ms, 30: 100 * ms, 45: 105 * ms, 60: 110250 * time.Microsecond} {
		if got := spec.Slowdown.Delay(100*ms, c); got != want {
			t.Errorf("with %d in flight the delay is %v, want %v", c, got, want)
		}
	}
	if early, late := spec.Slowdown.Delay(100*ms, 951), spec.Slowdown.Delay(100*ms, 952); early >= 2*time.Second ||
		late < 2*time.Second {
		t.Errorf("the delay passes 2 s elsewhere: %v with 951 in flight, %v with 952", early, late)
	}
	for n, want := range map[int]string{1: "0 ok at 100ms (100ms)", 100: "99 ok at 150ms (150ms)"} {
		_, got := talk(spec, nil, make([]time.Duration, n)...)
		if len(got) != n || got[n-1] != want {
			t.Errorf("%d requests: the last of %d answers is %s, want %s", n, len(got), got[len(got)-1], want)
		}
	}
}

// TestServing holds that what is being served is told.
func TestServing(t *testing.T) {
	c := &client{sim: herd.New(1)}
	c.server = New(c.sim, Spec{Slots: 2, Queue: 5, Response: spread.Always(time.Minute)}, sends+1, c.reply)
	for who := range 4 {
		c.sim.At(time.Duration(who)*time.Second, herd.Event{Who: uint32(who), What: sends})
	}
	_ = c.sim.Run(context.Background(), c, 10*time.Second)
	var got []string
	c.server.Serving(func(r Request, served time.Duration) { got = append(got, fmt.Sprint(r.Who, " ", served)) })
	if want := "0 10s, 1 9s"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestModes(t *testing.T) {
	for _, m := range []Mode{Refuse, Hang, Fail, Freeze} {
		if got, ok := ParseMode(m.String()); got != m || !ok {
			t.Errorf("%s is read as %v, %v", m, got, ok)
		}
	}
	if m, ok := ParseMode("sleep"); ok {
		t.Errorf("sleep is read as %v", m)
	}
}
