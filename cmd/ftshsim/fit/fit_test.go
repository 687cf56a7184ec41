package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/server"
	"ftsh/cmd/ftshsim/herd/spread"
	"ftsh/cmd/ftshsim/world"
	"ftsh/testdata/skip"
)

func TestMain(m *testing.M) {
	skip.Collections()
	m.Run()
}

// epoch is when logs begin.
var epoch = time.Date(2026, 11, 21, 1, 30, 36, 0, time.UTC)

// event is a line of a shell's log.
func event(shell int, at time.Duration, name, more string) string {
	return fmt.Sprintf(`{"time":%q,"event":%q,"level":20,"shell":%d%s}`+"\n", epoch.Add(at).Format(time.RFC3339Nano),
		name, shell, more)
}

// ran is the end of a program.
func ran(shell int, began, took time.Duration, words, failure string) string {
	command, name := `,"command":["`+strings.ReplaceAll(words, " ", `","`)+`"]`, "command.end"
	more := fmt.Sprintf(`%s,"status":0,"elapsed":%v`, command, took.Seconds())
	if failure != "" {
		name, more = "command.failed", fmt.Sprintf(`%s,"status":7,"failure":%q,"elapsed":%v`, command, failure,
			took.Seconds())
	}
	return event(shell, began+took, name, more)
}

// spec makes a SPEC of logs, and reads it.
func spec(t *testing.T, programs []string, takes *spread.Time, logs ...string) (string, *world.World) {
	t.Helper()
	var l Log
	for n, text := range logs {
		if err := l.Read(fmt.Sprint("log", n), strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := l.Spec(programs, takes)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.Parse(&ast.Source{Name: "spec", Text: text})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return text, w
}

const ms = time.Millisecond

// TestShells has two shells: one that succeeds after 10 s, and one that fails. Who called
// which server is told by the words, and what is no server's is a command.
func TestShells(t *testing.T) {
	text, w := spec(t, nil, nil,
		event(1, 0, "shell.start", "")+ran(1, 0, 2*time.Second, "curl https://a.example.org/x", "")+
			ran(1, 2*time.Second, time.Second, "tar -x", "")+
			ran(1, 3*time.Second, 4*time.Second, "curl https://a.example.org/x", "timeout")+
			ran(1, 8*time.Second, ms, "echo https://a.example.org", "")+
			event(1, 10*time.Second, "shell.end", `,"status":0`),
		event(2, time.Second, "shell.start", "")+ran(2, time.Second, 3*time.Second, "curl -f http://b:80/", "")+
			event(2, 5*time.Second, "shell.end", `,"status":1`))
	for _, want := range []string{
		"seen\n    clients   2\n    start     1s\n    period    10s\n    finished  1\n    requests  3\n" +
			"    good      2\nend\n",
		"server a.example.org\n    slots unknown at least 1\n    takes measured 2s 8s\nend\n",
		"server b\n    slots unknown at least 1\n    takes 3s\nend\n", "command tar\n    takes 1s\nend\n", "log0, log1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(w.Servers) != 2 || len(w.Commands) != 1 || w.Seen.Median != 0 {
		t.Errorf("%+v", w)
	}
}

func TestCalls(t *testing.T) {
	log := ran(1, 0, time.Second, "get x", "") + ran(1, time.Second, 2*time.Second, "tool", "")
	if text, _ := spec(t, []string{"get"}, nil, log); !strings.Contains(text,
		"\nserver\n    slots unknown at least 1\n    takes 1s\nend\n\ncommand tool\n") {
		t.Error(text)
	}
	if text, _ := spec(t, nil, nil, log); !strings.Contains(text,
		"\nserver\n    slots unknown at least 1\n    takes measured 1s 2s\nend\n") || strings.Contains(text, "command") {
		t.Error(text)
	}
}

// TestShortTimes has times below 1 ms, which SPEC writes as parts of it.
func TestShortTimes(t *testing.T) {
	text, w := spec(t, nil, nil, ran(1, 0, 350*time.Microsecond, "get", "")+ran(1, ms, 0, "get", "exit"))
	if !strings.Contains(text, "takes 0.35ms\n") || w.Servers[0].Spec.Trip != time.Microsecond {
		t.Error(text)
	}
}

// served is a [herd.World] with a server: calls come at these times, and have the answers.
type served struct {
	*herd.Sim
	server *server.Server
}

// The events: a call, by its number; those of the server follow.
const (
	sends uint32 = iota
	serves
)

// Happen implements [herd.World].
func (s *served) Happen(e herd.Event) {
	if e.What == sends {
		s.server.Send(server.Request{Who: e.Who})
		return
	}
	s.server.Happen(e)
}

// crowd is the log of clients that call a simulated server at random moments, and wait for
// its answers.
func crowd(spec server.Spec, clients int, within time.Duration) string {
	dice := rand.New(rand.NewPCG(1, 2))
	s, at, text := served{Sim: herd.New(1)}, make([]time.Duration, clients), ""
	for n := range at {
		at[n] = time.Duration(dice.Float64() * float64(within))
		s.At(at[n], herd.Event{Who: uint32(n), What: sends})
	}
	s.server = server.New(s.Sim, spec, serves, func(a server.Answer) {
		text += ran(int(a.Who), at[a.Who], s.Now()-at[a.Who], "get", "")
	})
	if err := s.Run(context.Background(), &s, time.Hour); err != nil {
		panic(err)
	}
	return text
}

// TestCapacity finds what a server is like that was made so: which limit it has, and how long
// it takes. Where times scatter it is sure only how much the server does in all: more slots
// that are slower are much the same.
func TestCapacity(t *testing.T) {
	skip.Simulation(t)
	fixed := spread.Always(200 * ms)
	scattered, _ := spread.Parse([]string{"uniform", "200ms", "500ms"})
	for name, c := range map[string]struct {
		served server.Spec
		rate   int // calls per second
		holds  func(got server.Spec) bool
	}{
		"no limit": {server.Spec{Response: spread.Exponential(300 * ms)}, 40,
			func(got server.Spec) bool {
				return got.Slots == 0 && got.Seen >= 12 && got.Slowdown.Factor == 0 && near(got.Response.Mean(), 300*ms, 0.15)
			}},
		"slots": {server.Spec{Slots: 5, Queue: server.Unlimited, Response: fixed}, 40,
			func(got server.Spec) bool { return got.Slots == 5 && near(got.Response.Mean(), 200*ms, 0.05) }},
		"scattered slots": {server.Spec{Slots: 10, Queue: server.Unlimited, Response: scattered}, 40,
			func(got server.Spec) bool {
				return near(got.Response.Mean()/time.Duration(got.Slots), 35*ms, 0.1) && got.Slots > 5
			}},
		"slowdown": {server.Spec{Response: fixed,
			Slowdown: server.Slowdown{Limit: 2, Factor: 1.02, Per: 1, Every: 50 * ms}}, 60,
			func(got server.Spec) bool {
				d := got.Slowdown
				return d.Factor > 0 && near(d.Delay(got.Response.Mean(), 16), 264*ms, 0.2)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			text, w := spec(t, nil, nil, crowd(c.served, 200, 200*time.Second/time.Duration(c.rate)))
			if got := w.Servers[0].Spec; !c.holds(got) {
				t.Errorf("%s", text)
			}
		})
	}
}

// near reports whether a time is another, but for a share of it.
func near(got, want time.Duration, within float64) bool {
	return (got - want).Abs() <= time.Duration(within*float64(want))
}

// TestArrivals has 60 shells: 50 in the first minute, and 10 in the second.
func TestArrivals(t *testing.T) {
	log := ""
	for n := range 60 {
		at := time.Duration(n) * 1200 * ms
		if n >= 50 {
			at = time.Minute + time.Duration(n-49)*6*time.Second
		}
		log += event(n, at, "shell.start", "") + ran(n, at, 100*ms, "get", "") + event(n, at+200*ms, "shell.end", "")
	}
	text, w := spec(t, nil, nil, log)
	if len(w.Arrivals) != 6 {
		t.Fatal(text)
	}
	early, late := 0, 0
	for n, a := range w.Arrivals {
		if n < 3 {
			early += a.Rate.Requests
		} else {
			late += a.Rate.Requests
		}
	}
	if early != 50 || late != 10 || !near(w.Arrivals[3].From, time.Minute, 0.01) {
		t.Errorf("%d and %d\n%s", early, late, text)
	}
	if at := w.Next(0, 55); !near(at, 90*time.Second, 0.05) {
		t.Errorf("the 55th comes at %v", at)
	}
}

// TestOutage has calls each 100 ms, which fail from 2 s to 5 s, and one besides.
func TestOutage(t *testing.T) {
	log := ""
	for at := time.Duration(0); at < 10*time.Second; at += 100 * ms {
		switch {
		case at >= 2*time.Second && at < 5*time.Second, at == 7*time.Second:
			log += ran(1, at, 5*ms, "get", "exit")
		default:
			log += ran(1, at, 40*ms, "get", "")
		}
	}
	text, w := spec(t, nil, nil, log)
	o := w.Servers[0].Spec.Outages
	if len(o) != 1 || !near(o[0].From, 2*time.Second, 0.05) || !near(o[0].To, 5*time.Second, 0.05) ||
		o[0].Mode != server.Refuse {
		t.Errorf("%v\n%s", o, text)
	}
	if got := w.Servers[0]; got.Refused.Status != 7 || got.Spec.Trip != 5*ms || got.Spec.Failure > 0.02 ||
		got.Spec.Failure < 0.01 {
		t.Errorf("%s", text)
	}
}

// TestAccess reads a server's log, with times as nginx and Apache write them.
func TestAccess(t *testing.T) {
	const nginx = `10.0.0.1 - - [21/Nov/2026:01:30:36 +0100] "GET /data HTTP/1.1" 200 512 "-" "curl/8 \"x\"" 0.200
10.0.0.2 - bob [21/Nov/2026:01:30:38 +0100] "GET /data HTTP/1.1" 200 512 0.400

10.0.0.1 - - [21/Nov/2026:01:30:40 +0100] "GET /data HTTP/1.1" 500 - 0.350
`
	text, w := spec(t, nil, nil, nginx)
	if !strings.Contains(text, "# Each address counts as one client") {
		t.Error(text)
	}
	if !strings.Contains(text, "seen\n    clients   2\n    start     1.8s\n    period    4.2s\n    requests  3\n"+
		"    good      2\nend\n") ||
		w.Servers[0].Error.Status != 22 || !near(time.Duration(w.Servers[0].Spec.Failure*1000), 333, 0.01) {
		t.Error(text)
	}
	if text, _ := spec(t, nil, nil,
		`10.0.0.1 - - [21/Nov/2026:01:30:36 +0100] "GET / HTTP/1.1" 200 512 250000`); !strings.Contains(text, "takes 250ms") {
		t.Error(text)
	}
	always := spread.Always(time.Second)
	if text, _ := spec(t, nil, &always,
		`10.0.0.1 - - [21/Nov/2026:01:30:36 +0100] "GET / HTTP/1.1" 200 512`); !strings.Contains(text, "takes 1s") {
		t.Error(text)
	}
}

// TestErrors holds that what is wrong is said, with its place.
func TestErrors(t *testing.T) {
	whole := ran(1, 0, time.Second, "get", "")
	for name, c := range map[string]struct{ text, want string }{
		"empty":        {"\n\n", "log: it is empty: wanted a log"},
		"torn":         {whole + whole[:len(whole)/2], "log:2: this line is torn, or no JSON: "},
		"no event":     {whole + "{\"a\": 1}\n", "log:2: this is no event of a shell"},
		"wrong kind":   {strings.Replace(whole, `"elapsed":1`, `"elapsed":"x"`, 1), "log:1: json: cannot unmarshal string"},
		"unknown":      {"hello\n", "log:1: this is neither an event of a shell"},
		"other format": {whole + "hello\n", "log:2: this line is torn"},
		"wrong time":   {`h - - [yesterday] "GET /" 200 5`, "log:1: found the time [yesterday], wanted one such as "},
		"no times": {`h - - [21/Nov/2026:01:30:36 +0100] "GET /" 200 5`,
			"log: the log does not tell how long requests take: wanted "},
		"no programs": {event(1, 0, "shell.start", ""), "log: no program was run in it: wanted a log of level 20"},
	} {
		t.Run(name, func(t *testing.T) {
			var l Log
			err := l.Read("log", strings.NewReader(c.text))
			if err == nil {
				_, err = l.Spec(nil, nil)
			}
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestManyCalls replays a part of a long log only.
func TestManyCalls(t *testing.T) {
	skip.Simulation(t)
	spec5 := server.Spec{Slots: 5, Queue: server.Unlimited, Response: spread.Always(200 * ms)}
	if _, w := spec(t, nil, nil, crowd(spec5, 5000, 4*time.Minute)); w.Servers[0].Spec.Slots != 5 {
		t.Errorf("%+v", w.Servers[0].Spec)
	}
}
