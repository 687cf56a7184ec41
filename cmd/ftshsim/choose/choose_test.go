package choose_test

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/cmd/ftshsim/choose"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
	"ftsh/testdata/skip"
)

func TestMain(m *testing.M) {
	skip.Collections()
	m.Run()
}

// ask makes a question of a crowd that has no resources but memory. Clauses are backoffs that are tried.
func ask(t *testing.T, clients int, script, spec string, options choose.Options, clauses ...string) *choose.Question {
	t.Helper()
	loaded, err := simulate.Load("script.ftsh", script, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.Parse(&ast.Source{Name: "spec", Text: spec})
	if err != nil {
		t.Fatal(err)
	}
	crowd := simulate.Crowd{World: w, Clients: clients,
		Backoff: backoff.Backoff{Initial: time.Second, Max: time.Hour, Factor: 2}}
	return &choose.Question{Crowd: crowd, Script: loaded, Options: options, Settings: settings(clauses...)}
}

func settings(clauses ...string) (list []choose.Setting) {
	for _, clause := range clauses {
		list = append(list, choose.Setting{Backoff: clause})
	}
	return list
}

// find answers a question.
func find(t *testing.T, q *choose.Question, seeds int) *experiment.Report {
	t.Helper()
	r, err := q.Find(context.Background(), herd.Runs{Seeds: seeds, First: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// says wants a note that contains all of that.
func says(t *testing.T, r *experiment.Report, parts ...string) {
	t.Helper()
	for _, note := range slices.Concat(r.Answer, r.Notes) {
		rest, all := note, true
		for _, part := range parts {
			var found bool
			if _, rest, found = strings.Cut(rest, part); !found {
				all = false
			}
		}
		if all {
			return
		}
	}
	t.Errorf("no note says %q:\n%s", parts, strings.Join(slices.Concat(r.Answer, r.Notes), "\n"))
}

// seldom has an outage of 100 s, and none. Waits are fixed and take no chances, so all can
// be counted: who waits for 150 s asks twice, at 0 s and 150 s, and once if there is no
// outage: a load of 2 at worst. 90 s need 3 requests, 40 s 4, 10 s 11, and 300 s is after the
// deadline of 200 s.
func seldom(t *testing.T) *choose.Question {
	return ask(t, 20, "try for 1 hour\nget\nend", "server\ntakes 1 s\nend",
		choose.Options{Deadline: 200 * time.Second, Share: 95, Outages: []time.Duration{0, 100 * time.Second}},
		"fixed from 300 s", "fixed from 150 s", "fixed from 90 s", "fixed from 40 s", "fixed from 10 s")
}

func TestSeldom(t *testing.T) {
	r := find(t, seldom(t), 2)
	says(t, r, "Answer: fixed from 150 s. At worst 100 % of the clients are done within 3m20s (after an outage of "+
		"1m40s)", "the load is at most 2 ")
	says(t, r, "Second: fixed from 90 s; its load is 50 % higher (3)")
	says(t, r, "Write:", "# script.ftsh:1\n    try for 1 hour backoff fixed from 150 seconds")
	for _, row := range r.Tables[1].Rows {
		switch row.Labels[0] {
		case "fixed from 300 s":
			if row.Labels[2] != "misses" && row.Labels[2] != "stopped" || row.Values[0].Mean() != 0 {
				t.Errorf("%v", row)
			}
		case "fixed from 40 s":
			if row.Values[1].Mean() != 4 {
				t.Errorf("the load is %v, want 4", row.Values[1])
			}
		}
	}
}

// TestQuick has so many requests at most, and wants to be quick: 40 s make 4 requests,
// 10 s would make 11.
func TestQuick(t *testing.T) {
	q := seldom(t)
	q.Load = 4.1
	says(t, find(t, q, 2), "Answer: fixed from 40 s", "the load is at most 4 ")
}

// TestMargin counts how much worse it may be: who asks at 0 s and 150 s comes after an outage of 150 s, and not of
// 200 s; a server without a limit does not mind how many they are, and 3 s of work are done in time.
func TestMargin(t *testing.T) {
	says(t, find(t, seldom(t), 2), "Margin, each alone: it holds up to the outage (+50 %, 2m30s), the load (+200 %, "+
		"60 clients) and more, "+
		"the slowness (+200 %) and more. With all of them 30 % more 100 % of the clients are done in time, with all 30 % "+
		"less 100 %.")
}

// TestPrefers has two settings that ask as often. The quicker one asks at 101 s, too early for an outage of 130 s,
// and then after the deadline; the other one bears that.
func TestPrefers(t *testing.T) {
	q := seldom(t)
	q.Settings = settings("fixed from 101 s", "fixed from 150 s")
	says(t, find(t, q, 2), "Answer: fixed from 150 s.", "the load is at most 2 ")
}

// TestAddsUp says what the slots of all machines are together.
func TestAddsUp(t *testing.T) {
	q := seldom(t)
	q.World.Servers[0].Spec.Slots, q.Machines = 50, 200
	q.Settings = []choose.Setting{{Resource: "slots 1"}}
	says(t, find(t, q, 1), "A resource is shared by the clients of each of 200 machines: slots 1 on each add up to "+
		"200 at the same time, against the server's 50.")
}

// TestLivelock has 100 clients come at once to a server with two slots, which spends
// a tenth of a second on each refusal: 20 in a second keep it from all else. At 2 s at most
// 100 clients ask about 100 times in a second, at 4 s 50 times; only at 60 s it is 3, and the
// server can work.
func TestLivelock(t *testing.T) {
	skip.Simulation(t)
	q := ask(t, 100, "try for 1 hour backoff full from 1 s to 1 s\nget\nend",
		"server\nslots 2\nqueue 0\ntakes 100 ms\nrefusal 100 ms\nend",
		choose.Options{Deadline: 3 * time.Minute, Share: 95, Outages: []time.Duration{0}},
		"full from 2 s to 2 s", "full from 4 s to 4 s", "full from 60 s to 60 s")
	r := find(t, q, 2)
	says(t, r, "Answer: full from 60 s to 60 s")
	says(t, r, "Warning: livelock with the script as it is: with no outage up to ",
		"at 100ms for turning one away 20/s keep all of its 2 slots busy")
	says(t, r, "Livelock with 2 other settings")
}

// TestSlots has 100 clients come at once to a server with 4 slots that refuses the
// others. Whoever waits in line for one of 4 slots is never refused: 100 requests for
// 100 clients, after 25 s. Any backoff, alone or with a budget, is refused 96 times at first.
func TestSlots(t *testing.T) {
	skip.Simulation(t)
	q := ask(t, 100, "try for 1 hour\nget\nend", "server\nslots 4\nqueue 0\ntakes 1 s\nend",
		choose.Options{Deadline: 2 * time.Minute, Share: 95, Outages: []time.Duration{0},
			Policies: []backoff.Policy{backoff.Full, backoff.Fixed}, From: []time.Duration{5 * time.Second},
			Resources: []string{"none", "slots", "budget", "breaker", "slots+breaker"}})
	q.AddSettings()
	r := find(t, q, 2)
	says(t, r, "Answer: ", "; slots 4", "the load is at most 1 ")
	says(t, r, "Write:", "resource server\n        slots 4\n", " via server")
	says(t, r, "The best without a resource: full from 5 s")
	says(t, r, "A resource is shared by all 100 clients, as on one machine")
	for _, row := range r.Tables[1].Rows {
		if load := row.Values[1].Mean(); row.Labels[1] == "" && load < 1.9 {
			t.Errorf("%v has a load of %v", row.Labels, load)
		}
	}
}

// TestNone tells of a deadline that nobody can meet.
func TestNone(t *testing.T) {
	q := seldom(t)
	q.Deadline = 105 * time.Second
	q.Settings = settings("fixed from 90 s")
	q.Script, _ = q.Script.WithBackoff("fixed from 80 s")
	says(t, find(t, q, 1), "No setting gets 95 % of the clients through within 1m45s. The nearest is ")
}

// TestNotEnough holds that nothing is recommended where all are too late, and that it is said
// which outages were not tried.
func TestNotEnough(t *testing.T) {
	q := seldom(t)
	q.Deadline, q.Settings = 105*time.Second, settings("fixed from 300 s")
	q.Script, _ = q.Script.WithBackoff("fixed from 80 s")
	q.World.Servers[0].Spec.Outages = []server.Outage{{To: time.Second}}
	r := find(t, q, 1)
	says(t, r, "Nothing that was tried is enough, so there is nothing to write")
	says(t, r, "Tried: ", "(refuse, beginning at 0s), and not with what SPEC says of outages of its first server.")
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "can stay") ||
		strings.Contains(notes, "backoff fixed") {
		t.Error(notes)
	}
}

// TestUsual holds that the price of patience is told for the usual night, too. A fixed wait of
// 150 s costs nothing when there is no outage.
func TestUsual(t *testing.T) {
	says(t, find(t, seldom(t), 2), "Compared with the script as it is: ",
		"; without an outage after 1 s instead of after 1 s.")
}

// TestAnyProcessors holds that the answer does not depend on how many there are.
func TestAnyProcessors(t *testing.T) {
	q := seldom(t)
	q.Settings = settings("full from 20 s to 60 s", "ethernet from 5 s to 60 s", "full from 1 s to 2 s",
		"equal from 1 s to 60 s", "fixed from 1 s")
	all := runtime.GOMAXPROCS(1)
	one := find(t, q, 4)
	runtime.GOMAXPROCS(max(all, 4))
	many := find(t, q, 4)
	runtime.GOMAXPROCS(all)
	if !reflect.DeepEqual(one, many) {
		t.Errorf("%v\n%v", one.Notes, many.Notes)
	}
}

// TestOpen has 20 clients come one after the other, 100 s apart, long after the outage: none
// meets it, and all are waited for.
func TestOpen(t *testing.T) {
	q := seldom(t)
	q.World.Arrivals = []world.Arrivals{{From: 200 * time.Second, Rate: server.Rate{Requests: 1, Per: 100 * time.Second}}}
	says(t, find(t, q, 1), "Answer: ", "At worst 100 % of the clients are done", "the load is at most 1 ")
}

// TestFrontier holds that no setting is better in both than one of the frontier.
func TestFrontier(t *testing.T) {
	q := seldom(t)
	q.Settings = settings("full from 100 s to 200 s", "full from 20 s to 60 s", "equal from 1 s to 60 s")
	f := find(t, q, 1).Figures[0]
	every, frontier := f.Lines[0], f.Lines[1]
	for i, x := range frontier.X {
		for j := range every.X {
			if every.X[j] <= x && every.Y[j].Mean() > frontier.Y[i].Mean() {
				t.Errorf("%v, %v is better than %v, %v", every.X[j], every.Y[j], x, frontier.Y[i])
			}
		}
	}
	if len(every.X) < 2 || math.IsNaN(every.Y[0].Mean()) {
		t.Errorf("%d settings", len(every.X))
	}
}

func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	q, runs := seldom(t), herd.Runs{Seeds: 2, First: 1}
	runs.Progress = func(done, _ int) {
		if done == 2 {
			stop()
		}
	}
	r, err := q.Find(ctx, runs)
	if err != nil || !r.Interrupted {
		t.Errorf("%v, %+v", err, r)
	}
	if _, err := q.Find(ctx, runs); err == nil {
		t.Error("a report although nothing was run")
	}
}

func TestWrong(t *testing.T) {
	q := seldom(t)
	for script, want := range map[string]string{
		"get":                       "no try that waits as its backoff says",
		"try for 1 hour\ntrue\nend": "calls no server",
	} {
		q.Script, _ = simulate.Load("script.ftsh", script, nil)
		if _, err := q.Find(context.Background(), herd.Runs{Seeds: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", script, err, want)
		}
	}
}
