package crowd

import (
	"context"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
)

// lives simulates a crowd.
func lives(config Config, spec server.Spec, until time.Duration) *measure.Tally {
	return New(herd.New(1), config, spec).Run(context.Background(), until)
}

// broken is a server that always fails, at once.
var broken = server.Spec{Failure: 1, After: 0}

// tries is a layer that makes so many attempts.
func tries(attempts int) Layer {
	return Layer{Attempts: attempts,
		Backoff: backoff.Backoff{Policy: backoff.Full, Initial: time.Millisecond, Max: 10 * time.Millisecond}}
}

func TestOnce(t *testing.T) {
	tally := lives(Config{Clients: 10, Once: true, Start: time.Second},
		server.Spec{Slots: 1, Queue: server.Unlimited, Response: spread.Always(time.Second)}, time.Hour)
	if tally.Begun != 10 || tally.Done != 10 || tally.Requests != 10 || tally.PerServer[0].Useful != 10*time.Second ||
		tally.PerServer[0].Wasted != 0 {
		t.Errorf("%d begun, %d done with %d requests in %v, %v wasted; want 10 of each in 10s", tally.Begun, tally.Done,
			tally.Requests, tally.PerServer[0].Useful, tally.PerServer[0].Wasted)
	}
	if f := measure.Fairness(tally.PerClient); f != 1 {
		t.Errorf("fairness is %v, want 1", f)
	}
}

// TestLayersMultiply holds that attempts of layers multiply.
func TestLayersMultiply(t *testing.T) {
	for _, layers := range [][]Layer{nil, {tries(4)}, {tries(4), tries(3)}, {tries(4), tries(3), tries(2)},
		{tries(4), tries(1), tries(4), tries(4)}} {
		want := 1
		for _, l := range layers {
			want *= l.Attempts
		}
		tally := lives(Config{Clients: 5, Once: true, Layers: layers}, broken, time.Hour)
		if tally.Begun != 5 || tally.GivenUp != 5 || tally.Requests != 5*want || tally.Load() != float64(want) {
			t.Errorf("%d layers: %d of %d given up after %d requests, want 5 after %d", len(layers), tally.GivenUp,
				tally.Begun, tally.Requests, 5*want)
		}
	}
}

// TestLimits holds that a layer begins nothing after its limit. What the layer
// below it has begun by then goes on: that is another program.
func TestLimits(t *testing.T) {
	endless := Layer{Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: 100 * time.Millisecond}}
	outer, deep := endless, endless
	outer.Limit, deep.Limit = 10*time.Second, time.Second
	tally := lives(Config{Clients: 20, Once: true, Layers: []Layer{outer, deep}}, broken, time.Hour)
	if tally.GivenUp != 20 {
		t.Errorf("%d given up, want all 20", tally.GivenUp)
	}
	if late := tally.Sent.Between(11*time.Second, time.Hour); late != 0 {
		t.Errorf("%v requests after both limits", late)
	}
	if each := tally.Load(); each != 11*11 { // ten a second, and the last attempts of both tries
		t.Errorf("%v requests each, want 121", each)
	}
}

// TestCut holds that a limit that cuts ends what is under way.
func TestCut(t *testing.T) {
	spec := server.Spec{Slots: 1, Queue: server.Unlimited, Response: spread.Always(time.Second)}
	for cut, done := range map[bool]int{false: 10, true: 4} {
		tally := lives(Config{Clients: 10, Once: true, Layers: []Layer{{Limit: 4500 * time.Millisecond, Cut: cut}}}, spec,
			time.Hour)
		if tally.Done != done || tally.GivenUp != 10-done {
			t.Errorf("cut %v: %d done, %d given up, want %d done", cut, tally.Done, tally.GivenUp, done)
		}
	}
}

// TestGuards holds what each guard lets through of 4 attempts, in a full
// outage.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		name     string
		guard    func(*Layer)
		low, top float64 // of the load
	}{
		{"none", func(*Layer) {}, 4, 4},
		{"budget of a tenth", func(l *Layer) {
			l.Rules = shared.Rules{Budgeted: true, Percent: 10, PerMinute: -1, Window: 10 * time.Second}
		}, 1.05, 1.12},
		{"bucket", func(l *Layer) { l.Bucket = Bucket{Size: 10, Ratio: 0.1} }, 1, 1.01},
		{"breaker", func(l *Layer) {
			l.Rules = shared.Rules{Failures: 5, Within: time.Second, Probe: time.Second}
		}, 0.005, 0.02},
		{"throttle", func(l *Layer) { l.Throttle = Throttle{K: 2, Window: 10 * time.Second} }, 0, 0.1},
	} {
		layer := tries(4)
		c.guard(&layer)
		if load := lives(Config{Rate: 100, Layers: []Layer{layer}}, broken, time.Minute).Load(); !(load >= c.low &&
			load <= c.top) {
			t.Errorf("%s: the load is %v, want %v to %v", c.name, load, c.low, c.top)
		}
	}
}

// TestGuardsKeepQuiet holds that guards let everything through to a server that
// works.
func TestGuardsKeepQuiet(t *testing.T) {
	layer := tries(4)
	layer.Rules = shared.Rules{Budgeted: true, Percent: 10, PerMinute: -1, Window: 10 * time.Second, Failures: 5,
		Within: time.Second, Probe: time.Second}
	layer.Bucket = Bucket{Size: 10, Ratio: 0.1}
	layer.Throttle = Throttle{K: 2, Window: 10 * time.Second}
	tally := lives(Config{Rate: 100, Layers: []Layer{layer, layer}},
		server.Spec{Response: spread.Always(time.Millisecond)}, time.Minute)
	if tally.GivenUp != 0 || tally.Rejected != 0 || tally.Load() != 1 {
		t.Errorf("%d given up, %d rejected, the load is %v; want none, and 1", tally.GivenUp, tally.Rejected, tally.Load())
	}
}

// TestRetryAfter holds that nobody comes back earlier than the server wants.
func TestRetryAfter(t *testing.T) {
	outer, deep := tries(3), tries(2)
	outer.Limit, deep.Limit = time.Minute, time.Minute // without limits, none would wait longer than its cap
	tally := lives(Config{Clients: 50, Once: true, Layers: []Layer{outer, deep}},
		server.Spec{Failure: 1, After: 10 * time.Second, Response: spread.Always(time.Millisecond)}, time.Hour)
	if early := tally.Sent.Between(time.Second, 10*time.Second); early != 0 {
		t.Errorf("%v requests came before 10 s had passed", early)
	}
	if second := tally.Sent.Between(10*time.Second, 11*time.Second); second != 50 {
		t.Errorf("%v requests came after 10 s, want 50", second)
	}
}

// TestTimeout holds that an answer that comes late is wasted.
func TestTimeout(t *testing.T) {
	tally := lives(Config{Clients: 3, Once: true, Timeout: time.Second, Layers: []Layer{tries(2)}},
		server.Spec{Response: spread.Always(3 * time.Second)}, time.Hour)
	if tally.GivenUp != 3 || tally.Late != 6 || tally.PerServer[0].Wasted != 18*time.Second ||
		tally.PerServer[0].Waste() != 1 || tally.PerServer[0].Useful != 0 {
		t.Errorf("%d given up, %d late, %v wasted; want 3, 6 and 18s", tally.GivenUp, tally.Late, tally.PerServer[0].Wasted)
	}
	tally = lives(Config{Clients: 3, Once: true, Timeout: time.Second},
		server.Spec{Response: spread.Always(3 * time.Second)}, 2*time.Second)
	if tally.Late != 0 || tally.PerServer[0].Wasted != 6*time.Second {
		t.Errorf("%d late, %v wasted of what is under way; want 0 and 6s", tally.Late, tally.PerServer[0].Wasted)
	}
}

// TestDroppedConnections holds that connections which a frozen server has dropped do not
// come back once their clients have closed them.
func TestDroppedConnections(t *testing.T) {
	frozen := server.Spec{Response: spread.Always(time.Millisecond), Backlog: 10,
		Outages: []server.Outage{{To: 10 * time.Second, Mode: server.Freeze}}}
	tally := lives(Config{Clients: 50, Once: true, Timeout: 900 * time.Millisecond}, frozen, time.Minute)
	if tally.GivenUp != 50 || tally.Late != 10 {
		t.Errorf("%d given up, %d answers for nobody; want 50, and the 10 of the backlog", tally.GivenUp, tally.Late)
	}
	tally = lives(Config{Clients: 50, Once: true, Timeout: time.Minute}, frozen, time.Minute)
	if tally.Done != 50 {
		t.Errorf("%d done of those who wait, want 50", tally.Done)
	}
}

// TestCancelled holds that a run that is cut short counts what there was.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tally := New(herd.New(1), Config{Clients: 10, Think: spread.Always(time.Second)}, server.Spec{}).Run(ctx, time.Hour)
	if tally.Until >= time.Hour || len(tally.PerClient) != 10 {
		t.Errorf("%d clients until %v, want 10 until it was cut", len(tally.PerClient), tally.Until)
	}
}

// TestAttempts holds that a crowd may do something else than ask a server, and that clients which a time has stopped
// are gone.
func TestAttempts(t *testing.T) {
	sim, ends := herd.New(1), []time.Duration(nil)
	attempt := func(c *Client) bool {
		c.Sleep(2 * time.Second)
		ends = append(ends, sim.Now())
		return len(ends)%2 == 0
	}
	layer := Layer{Until: 9 * time.Second, Backoff: backoff.Backoff{Policy: backoff.Fixed, Initial: -1}}
	tally := New(sim, Config{Clients: 1, Attempt: attempt, Layers: []Layer{layer}}).Run(t.Context(), time.Minute)
	if tally.Begun != 3 || tally.Done != 2 || tally.GivenUp != 1 || len(ends) != 5 || ends[4] != 10*time.Second {
		t.Errorf("%d begun, %d done, %d given up, attempts ended at %v; want 3, 2, 1, each 2 s up to 10 s", tally.Begun,
			tally.Done, tally.GivenUp, ends)
	}
}
