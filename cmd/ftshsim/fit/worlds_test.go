package fit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/cmd/ftshsim/fit"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
	"ftsh/interp/event"
	"ftsh/testdata/skip"
)

// truth is a world that was made up, and how many clients there were when its log was written.
type truth struct {
	text    string // of the server, without its outages
	outage  time.Duration
	clients int
	start   time.Duration
}

// script is run by all clients.
const script = "try for 20 minutes backoff full from 1 s to 1 minute\n    get\nend\n"

// generated is the world of that number: of few or many slots, quick or slow, and with little or much to do.
func generated(number int) truth {
	dice := rand.New(rand.NewPCG(uint64(number), 7))
	slots := []int{1, 2, 4, 8, 20}[dice.IntN(5)]
	mean := []float64{0.2, 0.5, 1, 2}[dice.IntN(4)]
	takes := []string{"%[1]v s", "exponential %[1]v s", "uniform %[2]v s %[3]v s", "normal %[1]v s %[4]v s"}[dice.IntN(4)]
	takes = fmt.Sprintf(takes, mean, mean/2, mean*1.5, mean/4)
	errors := []int{0, 0, 2, 5}[dice.IntN(4)]
	load := []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1.5}[number%6]
	start := 3 * time.Minute
	t := truth{clients: max(int(load*float64(slots)/mean*start.Seconds()), 20), start: start}
	t.clients = min(t.clients, 800)
	t.start = time.Duration(float64(t.clients) * mean / load / float64(slots) * float64(time.Second))
	if dice.IntN(2) == 0 {
		t.outage = 30 * time.Second
	}
	t.text = fmt.Sprintf("slots %d\ntakes %s\nfailure %d percent\n", slots, takes, errors)
	return t
}

// crowd are clients of a server with an outage.
func crowd(t *testing.T, text string, outage time.Duration, clients int, start time.Duration) simulate.Crowd {
	t.Helper()
	if outage > 0 {
		text = fmt.Sprintf("%soutage from %v for %v\n", text, start/2, outage)
	}
	w, err := world.Parse(&ast.Source{Name: "spec", Text: "server\n" + text + "end\n"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := simulate.Load("get.ftsh", script, nil)
	if err != nil {
		t.Fatal(err)
	}
	return simulate.Crowd{Who: simulate.All(s), World: w, Clients: clients, Start: start, Until: 3 * time.Hour}
}

// timed is the log of one client, in the time of the simulation.
type timed struct {
	*event.Log
	now func() time.Duration
}

func (w timed) Observe(e event.Event) {
	e.Time = time.Unix(1_000_000_000, int64(w.now()))
	w.Log.Observe(e)
}

// fitted simulates the truth, and makes a SPEC of what its clients log.
func (tr truth) fitted(t *testing.T) *world.World {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := crowd(t, tr.text, tr.outage, tr.clients, tr.start)
	c.Observe = func(client int, now func() time.Duration) event.Observer {
		return timed{event.NewLog(event.OutputTo(int(file.Fd())),
			event.Config{Level: event.Structures, JSON: true, Shell: client + 1}), now}
	}
	if _, err := simulate.Run(context.Background(), c, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	var log fit.Log
	if err := log.Read("log", file); err != nil {
		t.Fatal(err)
	}
	text, err := log.Spec(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tr, text)
	w, err := world.Parse(&ast.Source{Name: "fitted.spec", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// answer holds the mean of three simulations.
type answer struct{ finished, requests, median, mean float64 }

func ask(t *testing.T, c simulate.Crowd) (a answer, err error) {
	t.Helper()
	const runs = 3
	for seed := range uint64(runs) {
		tally, err := simulate.Run(context.Background(), c, 10+seed)
		if err != nil {
			return a, err
		}
		a.finished += float64(tally.Done) / runs
		a.requests += float64(tally.Requests) / runs
		a.median += tally.Percentile(50) / runs
		a.mean += tally.Took.Mean() / runs
	}
	return a, nil
}

// TestWorlds makes SPECs of the logs of 20 worlds, and asks them for what the logs have not shown: twice the clients in
// the same time, and a longer outage. What they say is near the truth, or they refuse.
func TestWorlds(t *testing.T) {
	skip.Simulation(t)
	worlds := []int{0, 1, 2, 6, 11, 18} // of low, middle and too high load
	if skip.Long() {
		worlds = nil
		for number := range 20 {
			worlds = append(worlds, number)
		}
	} else {
		skip.Say(t, "14 of 20 worlds: they take a quarter of a minute; FTSH_TEST=long runs them")
	}
	for _, number := range worlds {
		tr := generated(number)
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			t.Parallel()
			fitted := tr.fitted(t)
			spec := fitted.Servers[0].Spec
			for _, question := range []struct {
				name    string
				clients int
				outage  time.Duration
			}{{theSame, tr.clients, tr.outage}, {"twice the clients", 2 * tr.clients, tr.outage}, {"a longer outage",
				tr.clients, 3 * time.Minute}} {
				if question.name == theSame && !skip.Long() { // it is for who reads the log
					continue
				}
				want, err := ask(t, crowd(t, tr.text, question.outage, question.clients, tr.start))
				if err != nil {
					t.Fatal(err)
				}
				c := crowd(t, tr.text, question.outage, question.clients, tr.start)
				asked := *fitted
				asked.Arrivals, asked.Seen = nil, nil
				asked.Servers[0].Spec.Outages = c.World.Servers[0].Spec.Outages
				c.World = &asked
				got, err := ask(t, c)
				var unseen *simulate.Unseen
				switch {
				case errors.As(err, &unseen):
					t.Logf("%s: refused; slots %d, seen %d, truth %s", question.name, spec.Slots, spec.Seen, tr.text)
				case err != nil:
					t.Fatal(err)
				default:
					off := max(apart(got.finished, want.finished), apart(got.requests, want.requests),
						apart(got.median, want.median), apart(got.mean, want.mean))
					t.Logf("%s: %.0f %% off", question.name, 100*off)
					if off > 0.25 && question.name != theSame { // that stands beside what was seen anyway
						t.Errorf("%s: %+v, the truth is %+v; slots %d, seen %d, takes %v; %d clients within %v of\n%s", question.name,
							got, want, spec.Slots, spec.Seen, spec.Response, tr.clients, tr.start, tr.text)
					}
				}
			}
		})
	}
}

// theSame is the question that the log has answered.
const theSame = "the same"

// apart is by what share two numbers differ.
func apart(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got/want - 1)
}

// TestHalfLoad has a log of half the load that four slots bear, with errors and an outage, and asks for a crowd that
// they do not bear, and an outage ten times as long.
func TestHalfLoad(t *testing.T) {
	skip.Simulation(t)
	tr := truth{"slots 4\ntakes 1 s\nfailure 5 percent\n", 30 * time.Second, 360, 3 * time.Minute}
	fitted := tr.fitted(t)
	c := crowd(t, tr.text, 5*time.Minute, 1000, 10*time.Second)
	want, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	asked := *fitted
	asked.Arrivals, asked.Seen = nil, nil
	asked.Servers[0].Spec.Outages = c.World.Servers[0].Spec.Outages
	c.World = &asked
	got, err := ask(t, c)
	if _, ok := errors.AsType[*simulate.Unseen](err); ok {
		t.Logf("it refuses: %v", err)
		return
	}
	if err != nil || apart(got.finished, want.finished) > 0.25 || apart(got.requests, want.requests) > 0.25 ||
		apart(got.mean, want.mean) > 0.25 {
		t.Errorf("it says %+v, %v; the truth is %+v; %+v", got, err, want, asked.Servers[0].Spec)
	}
}
