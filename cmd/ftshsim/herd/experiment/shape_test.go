package experiment

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/crowd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/testdata/skip"
)

// changed returns a preset with some of its parameters set.
func changed(t *testing.T, p *Preset, settings map[string]string) *Preset {
	t.Helper()
	for name, text := range settings {
		found := false
		for _, parameter := range p.Parameters {
			if parameter.Name == name {
				found = true
				if err := parameter.Value.Set(text); err != nil {
					t.Fatalf("%s: --%s %s: %v", p.Name, name, text, err)
				}
			}
		}
		if !found {
			t.Fatalf("%s has no parameter %s", p.Name, name)
		}
	}
	return p
}

// named returns a preset.
func named(name string) *Preset {
	list := Presets()
	return list[slices.IndexFunc(list, func(p *Preset) bool { return p.Name == name })]
}

// ran is the report of a preset with some parameters set.
func ran(t *testing.T, p *Preset, seeds int, settings map[string]string) *Report {
	t.Helper()
	return changed(t, p, settings).Run(context.Background(), herd.Runs{Seeds: seeds, First: 1})
}

// cell is the mean of a value in a table of a report.
func cell(t *testing.T, r *Report, table, row, column string) float64 {
	t.Helper()
	for _, one := range r.Tables {
		for _, line := range one.Rows {
			for i, c := range one.Columns {
				if one.Name == table && line.Labels[0] == row && c.Name == column && !c.Published {
					return line.Values[i].Mean()
				}
			}
		}
	}
	t.Fatalf("%s: no row %q and column %q in table %q", r.Name, row, column, table)
	return 0
}

func TestSubmitShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("submit"), 5, map[string]string{"clients": "400,500", "watch": "0s"})
	for _, n := range []string{"400", "500"} {
		f, a, e := cell(t, r, "jobs", n, "fixed"), cell(t, r, "jobs", n, "aloha"), cell(t, r, "jobs", n, "ethernet")
		if !(e > a && a > f && f < 0.05*e) {
			t.Errorf("%s submitters: %v jobs with ethernet, %v with aloha, %v with fixed; want them to fall, to near 0", n,
				e, a, f)
		}
	}
}

func TestBufferShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("buffer"), 10, nil)
	for _, n := range []string{"20", "25", "30", "35", "40", "45", "50"} {
		f, a, e := cell(t, r, "files", n, "fixed"), cell(t, r, "files", n, "aloha"), cell(t, r, "files", n, "ethernet")
		if !(e >= a && a >= f) {
			t.Errorf("%s producers: %v files with ethernet, %v with aloha, %v with fixed; want them not to grow", n, e, a, f)
		}
		if c := cell(t, r, "collisions", n, "ethernet"); c >= 10 {
			t.Errorf("%s producers: %v collisions with ethernet, want single digits", n, c)
		}
	}
}

func TestReplicaShape(t *testing.T) {
	skip.Simulation(t)
	for _, aside := range []string{"true", "false"} {
		r := ran(t, named("replica"), 100, map[string]string{"aside": aside})
		if gap := cell(t, r, "fetches", "longest gap (s)", "ethernet"); gap > 25 {
			t.Errorf("aside %s: ethernet's longest gap is %v s, want 25 at most", aside, gap)
		}
		if gap := cell(t, r, "fetches", "longest gap (s)", "aloha"); gap < 50 {
			t.Errorf("aside %s: aloha's longest gap is %v s, want 50 at least", aside, gap)
		}
	}
}

func TestOverloadShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("overload"), 2, map[string]string{"watch": "100s"})
	if v := cell(t, r, "aftermath", "recovery (s after the outage)", "fixed"); !math.IsNaN(v) {
		t.Errorf("fixed recovers after %v s, want never", v)
	}
	if v := cell(t, r, "aftermath", "recovery (s after the outage)", "normal"); !(v < 30) {
		t.Errorf("normal recovers after %v s, want less than 30", v)
	}
}

// TestContentionShape also holds what we measure to the article's table.
func TestContentionShape(t *testing.T) {
	skip.Simulation(t)
	few := ran(t, named("contention"), 100, map[string]string{"policies": "exact,equal,full,decorrelated",
		"clients": "10"})
	many := ran(t, named("contention"), 10,
		map[string]string{"policies": "exact,equal,full,decorrelated", "clients": "50,100,150,190,200"})
	for _, c := range slices.Concat(few.Comparisons, many.Comparisons) {
		if ratio := c.Ratio(); math.Abs(ratio-1) > 0.15 {
			t.Errorf("%s: %.0f, published %v", c.What, c.Ours.Mean(), c.Published)
		}
	}
	for _, n := range []string{"50", "100", "150", "190", "200"} {
		for _, table := range []string{"writes", "time"} {
			if full, exact := cell(t, many, table, "full", n), cell(t, many, table, "exact", n); full >= exact {
				t.Errorf("%s writers, %s: full %v, exact %v; want full to need less", n, table, full, exact)
			}
		}
	}
}

func TestRecoverShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("recover"), 2, map[string]string{"clients": "100,2000", "outages": "100s", "limit": "30s"})
	if few, many := cell(t, r, "throughput", "fixed", "100"), cell(t, r, "throughput", "fixed", "2000"); many > 0.15*few {
		t.Errorf("fixed: %v a second with 100 clients, %v with 2000; want it to fall to near 0", few, many)
	}
	if few, many := cell(t, r, "throughput", "ethernet", "100"), cell(t, r, "throughput", "ethernet",
		"2000"); many < 0.7*few {
		t.Errorf("ethernet: %v a second with 100 clients, %v with 2000; want it to hold", few, many)
	}
	if slow, fast := cell(t, r, "recovery", "T 1s, F 2, M 1h", "1m40s"), cell(t, r, "recovery", "M 10s",
		"1m40s"); !(fast < 15 && slow > 50) {
		t.Errorf("recovery takes %v s with a cap of 10 s and %v s without, want the cap to help", fast, slow)
	}
	if v := cell(t, r, "step", "thain", "M 1·T"); v != intervals {
		t.Errorf("at the cap %v times the average come at once, want all clients in one of %d intervals", v, intervals)
	}
	for _, policy := range []string{"ethernet", "full"} {
		if silent := cell(t, r, "silence", policy, "M 2·T"); silent > 1 {
			t.Errorf("%s is silent %v %% of the time, want it spread out", policy, silent)
		}
	}
	if silent := cell(t, r, "silence", "thain", "M 2·T"); silent < 40 {
		t.Errorf("thain is silent %v %% of the time, want half of it", silent)
	}
}

func TestLayersShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("layers"), 2, map[string]string{"rate": "50", "slots": "3", "queue": "20", "at": "10s",
		"outage": "24s", "watch": "20s"})
	for _, c := range r.Comparisons {
		if math.Abs(c.Ratio()-1) > 0.05 {
			t.Errorf("%s: %v, published %v", c.What, c.Ours.Mean(), c.Published)
		}
	}
	for _, variant := range []string{"budgets", "bucket", "breaker"} {
		if load := cell(t, r, "load", variant, "load in the outage"); load > 1.5 {
			t.Errorf("%s: the load is %v, want at most 1.5", variant, load)
		}
	}
}

// TestRecoveryOfFixed shows where the point of no return of smira's server is:
// an outage too short to gather so many requests is overcome.
func TestRecoveryOfFixed(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("overload"), 2, map[string]string{"policies": "fixed", "outage": "500ms", "watch": "1m"})
	if v := cell(t, r, "aftermath", "recovery (s after the outage)", "fixed"); math.IsNaN(v) {
		t.Error("fixed does not recover from half a second")
	}
}

// TestDeadlineShape holds why the shell tries last late, and caps waits at a quarter of
// the limit: nearly all get through a long outage, and a slow server is not flooded.
func TestDeadlineShape(t *testing.T) {
	skip.Simulation(t)
	r := ran(t, named("deadline"), 4, map[string]string{"outages": "50,70,90"})
	for row, want := range map[string][2]float64{
		"in the first half, 1h": {0, 5}, "late, 1h": {60, 80}, "in the first half, limit/4": {80, 92},
		"late, limit/4": {99, 100},
	} {
		if got := cell(t, r, "cheap", row, "90 %"); got < want[0] || got > want[1] {
			t.Errorf("%s: %.1f %% get through an outage of 90 %%, want %v to %v", row, got, want[0], want[1])
		}
	}
	if quarter, sixteenth := cell(t, r, "slow", "late, limit/4", "50 %"), cell(t, r, "slow", "late, limit/16",
		"50 %"); quarter < 99 || sixteenth > 85 {
		t.Errorf("the slow server: %.1f %% with a cap of a quarter, %.1f %% with a sixteenth; want all, and a livelock",
			quarter, sixteenth)
	}
	for _, row := range r.Tables[0].Rows {
		if v := row.Values[2].Mean(); v > 100 {
			t.Errorf("%s: %v %%", row.Labels[0], v)
		}
	}
}

// TestCrowdCounts holds that what is begun is done, given up or under way.
func TestCrowdCounts(t *testing.T) {
	for seed := range uint64(5) {
		const clients = 50
		e := crowd.New(herd.New(seed), crowd.Config{
			Clients: clients, Think: spread.Exponential(time.Second), Timeout: time.Second,
			Layers: []crowd.Layer{{Attempts: 3, Limit: time.Minute, Backoff: backoff.Backoff{Policy: backoff.Full}}},
		}, server.Spec{Slots: 2, Queue: 5, Response: spread.Exponential(100 * time.Millisecond),
			Failure: 0.1}).Run(t.Context(), 5*time.Minute)
		if open := e.Begun - e.Done - e.GivenUp; open < 0 || open > clients {
			t.Errorf("seed %d: %d begun, %d done, %d given up", seed, e.Begun, e.Done, e.GivenUp)
		}
		if sum := e.Sent.Between(0, e.Until+time.Second); sum != float64(e.Requests) {
			t.Errorf("seed %d: the series has %v requests, want %d", seed, sum, e.Requests)
		}
		if load := e.Load(); load < 1 || load > 3 {
			t.Errorf("seed %d: the load is %v, want 1 to 3", seed, load)
		}
		if busy := e.Until - e.PerServer[0].Idle; e.PerServer[0].Useful+e.PerServer[0].Wasted > 2*busy+
			time.Duration(e.Requests)*time.Millisecond {
			t.Errorf("seed %d: two slots worked %v in %v", seed, e.PerServer[0].Useful+e.PerServer[0].Wasted, busy)
		}
	}
}
