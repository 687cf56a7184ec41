package simulate_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/interp/event"
)

var update = flag.Bool("update", false, "write what happens into testdata")

// rough is a world in which everything goes wrong at times.
const rough = "server\nslots 5\nqueue 10\ntakes lognormal 100 ms 2 s\nfailure 20 percent\n" +
	"outage from 10 s to 40 s\noutage from 2 minutes to 3 minutes hang\n" +
	"outage from 5 minutes to 6 minutes freeze\nretryafter 3 s\noutput \"{number}\"\nend\ncommand tool\n" +
	"takes uniform 1 s 3 s\nfailure 10 percent\nend"

// wild uses what there is in the language.
const wild = `function work
    local n=0
    while $n .lt. 5
        n=$n .add. 1
        try 4 times each 5 s backoff decorrelated
            get -> answer
        catch
            retryafter -f headers
            failure
        end
    end
    return $n
end
try for 10 minutes
    forall part in 1 .to. 4 .limit. 2
        forany host in a b c .hedge. 1 s
            get $host $part | tool
        end
    end
    n=work()
catch
    tool
finally
    tool | tool
end
`

// TestGolden holds what a few seeds give, so that a change is seen to be one.
func TestGolden(t *testing.T) {
	var text strings.Builder
	for seed := range uint64(3) {
		tally := run(t, simulate.Crowd{Who: simulate.All(load(t, wild)), World: parseWorld(t, rough), Clients: 15,
			Start: 30 * time.Second}, seed)
		fmt.Fprintf(&text, "seed %d: finished %d, failed %v, running %d; requests %d, good %d, refused %d, errors %d, "+
			"timed out %d; last %v, idle %v, useful %v, wasted %v; events %d\n",
			seed, tally.Done, tally.Failed, tally.Running, tally.Requests, tally.Good, tally.Refused, tally.Errors,
			tally.TimedOut,
			tally.Until, tally.PerServer[0].Idle, tally.PerServer[0].Useful, tally.PerServer[0].Wasted, tally.Events)
	}
	if *update {
		if err := os.WriteFile("testdata/golden.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/golden.txt")
	if err != nil || text.String() != string(want) {
		t.Errorf("%v; it is\n%s\nwant\n%s", err, text.String(), want)
	}
}

// TestManyAtOnce runs the same with one processor and with several: the results
// must be the same.
func TestManyAtOnce(t *testing.T) {
	compare := func() any {
		c := simulate.Comparison{Crowd: simulate.Crowd{World: parseWorld(t, rough), Until: time.Hour,
			Start: 20 * time.Second}}
		for _, clients := range []int{3, 8} {
			c.Variants = append(c.Variants,
				simulate.Variant{Name: fmt.Sprint(clients), Who: simulate.All(load(t, wild)), Clients: clients})
		}
		report, err := c.Compare(context.Background(), herd.Runs{Seeds: 3, First: 1})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone := compare()
	runtime.GOMAXPROCS(4)
	if together := compare(); fmt.Sprintf("%+v", alone) != fmt.Sprintf("%+v", together) {
		t.Errorf("with one processor\n%+v\nwith four\n%+v", alone, together)
	}
}

// checkNothingLeft wants no goroutine more than there were.
func checkNothingLeft(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, before %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// TestCancelled ends runs at all kinds of moments: what there was is counted, and
// nothing is left.
func TestCancelled(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, after := range []time.Duration{1, 15 * time.Second, 150 * time.Second} {
		ctx, cancel := context.WithCancelCause(context.Background())
		crowd := simulate.Crowd{World: parseWorld(t, rough), Clients: 8, Start: 10 * time.Second, Until: 100 * time.Hour}
		crowd.Who = simulate.All(load(t, strings.Replace(wild, "\nend\ntry", "\nend\nwhile true\ntry", 1)+"end\n"))
		crowd.Observe = func(_ int, now func() time.Duration) event.Observer {
			return &alarm{now: now, at: after, ring: cancel}
		}
		tally, err := simulate.Run(ctx, crowd, 1)
		if err != nil || tally.Begun == 0 || tally.Until < after || tally.Until > 2*time.Hour {
			t.Errorf("after %v: %v, ended at %v with %d clients", after, err, tally.Until, tally.Begun)
		}
		if tally.Running+tally.Done+failed(tally) != tally.Begun {
			t.Errorf("after %v: of %d clients %d finished, %d failed, %d ran", after, tally.Begun, tally.Done, failed(tally),
				tally.Running)
		}
	}
	checkNothingLeft(t, before)
}

// alarm rings when it is that time in the simulation.
type alarm struct {
	now  func() time.Duration
	at   time.Duration
	ring context.CancelCauseFunc
}

func (a *alarm) Enabled(level int) bool { return true }

func (a *alarm) Observe(event.Event) {
	if a.now() >= a.at {
		a.ring(errors.New("enough"))
	}
}

// TestRunaway finds scripts that let no time pass, and says where.
func TestRunaway(t *testing.T) {
	before := runtime.NumGoroutine()
	for script, line := range map[string]int{
		"x=1\nwhile true\nend":                                            2,
		"x=1\n\nwhile true\n\nx=2\nend":                                   3,
		"for x in 1 .to. 1000000000\nend":                                 1,
		"function f\ntry\nf\ncatch\nend\ntry\nf\ncatch\nend\nend\nf":      2,
		"forall x in 1 2\nwhile true\nend\nend":                           2,
		"sleep 10\ntry\nsleep 10\nfinally\nwhile true\nnothing\nend\nend": 5,
		"try for 1 hour\nslow\nfinally\nwhile true\nend\nend":             4,
	} {
		crowd := simulate.Crowd{Who: simulate.All(load(t, script)), World: parseWorld(t,
			down+"command nothing\nfailure 0%\nend"), Clients: 20, Until: 2 * time.Hour, Steps: 3_000}
		_, err := simulate.Run(context.Background(), crowd, 1)
		var runaway *simulate.Runaway
		if !errors.As(err, &runaway) || int(runaway.Where.Pos.Line) < line ||
			int(runaway.Where.Pos.Line) > line+6 {
			t.Errorf("%q: %v, want line %d", script, err, line)
			continue
		}
		if text := runaway.Text(); !strings.Contains(text, "without any time passing") || !strings.HasSuffix(text, "^") {
			t.Errorf("%q: %s", script, text)
		}
	}
	checkNothingLeft(t, before)
}

// TestNothingReal runs a script that would do harm, and finds the folder as it was.
func TestNothingReal(t *testing.T) {
	dir := t.TempDir()
	before := runtime.NumGoroutine()
	script := load(t, "rm -rf "+dir+
		"\necho x > a\nget >> b\nget => c\nget &> d\ncd sub\ntry\necho x\nfalse\ncatch\nend > e\n"+
		"get -> big\nfor x in 1 .to. 200\nbig=$big$big$big\nif $x .gt. 12\nfailure\nend\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: parseWorld(t, perfect), Clients: 3, Dir: dir}, 1)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v: %v", left, err)
	}
	if want := map[string]int{"failure": 3}; !reflect.DeepEqual(tally.Failed, want) {
		t.Errorf("failed: %v", tally.Failed)
	}
	if want := map[string]string{"rm": "called the server", "get": "called the server"}; !reflect.DeepEqual(tally.Used,
		want) {
		t.Errorf("used: %v", tally.Used)
	}
	checkNothingLeft(t, before)
}

// TestScriptErrors shows where a script is wrong.
func TestScriptErrors(t *testing.T) {
	_, err := simulate.Load("s.ftsh", "try for 3\nget\n", nil)
	if err == nil || !strings.HasPrefix(err.Error(), "s.ftsh:1:") {
		t.Error(err)
	}
}

// TestRecovery measures how long clients need after an outage.
func TestRecovery(t *testing.T) {
	for wait, want := range map[string]float64{"1 s": 1, "60 s": 60} {
		script := load(t, "try for 1 hour backoff fixed from "+wait+"\nget\nend")
		world := parseWorld(t, "server\ntakes 1 ms\noutage from 0 s to 100 s\nend")
		tally := run(t, simulate.Crowd{Who: simulate.All(script), World: world, Clients: 200, Start: 60 * time.Second}, 1)
		if got := tally.Outages[0].Served; got > want || got < want/2-10 {
			t.Errorf("waits of %s: recovered after %v s, want at most %v", wait, got, want)
		}
	}
}

// TestServedByThatServer holds that a good answer of another server ends nobody's trouble.
func TestServedByThatServer(t *testing.T) {
	script := load(t, "try for 1 hour every 10 s\nget b\nget a\nend")
	world := parseWorld(t, "server a\ntakes 1 ms\noutage from 0 s to 100 s\nrestart 50 s\nend\nserver b\ntakes 1 ms\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: world, Clients: 20, Start: 10 * time.Second}, 1)
	if got := tally.Outages[0].Served; got < 50 || got > 60 {
		t.Errorf("nine tenths were served after %v s, want 50 to 60", got)
	}
}

// TestWorkAsBefore holds that recovery is the work of the server itself, and lasts.
func TestWorkAsBefore(t *testing.T) {
	script := load(t, "while true\ntry for 1 hour every 2 s\nget\nend\nsleep 2\nend")
	world := parseWorld(t, "server\ntakes 1 ms\noutage from 2 minutes to 3 minutes\noutage from 190 s to 4 minutes\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: world, Clients: 50, Start: 2 * time.Second,
		Until: 10 * time.Minute}, 1)
	if first, second := tally.Recovery(0, 2*time.Minute, 3*time.Minute), tally.Recovery(0, 2*time.Minute,
		4*time.Minute); first < 55 || second > 5 {
		t.Errorf("back %v s after the first outage, and %v s after the second; the ten seconds between do not count", first,
			second)
	}
}

// TestWorkInProgress counts what is under way at the end.
func TestWorkInProgress(t *testing.T) {
	script := load(t, "try for 1 hour each 10 s backoff fixed from 1 hour\nget\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: parseWorld(t, "server\ntakes 1 minute\nend"),
		Clients: 3, Until: 30 * time.Second}, 1)
	if s := tally.PerServer[0]; s.Wasted != 90*time.Second || s.Open != 0 {
		t.Errorf("%v wasted, %v open; want 1m30s for clients that have left", s.Wasted, s.Open)
	}
	script = load(t, "get")
	tally = run(t, simulate.Crowd{Who: simulate.All(script), World: parseWorld(t, "server\ntakes 1 minute\nend"),
		Clients: 3, Until: 30 * time.Second}, 1)
	if s := tally.PerServer[0]; s.Open != 90*time.Second || s.Wasted != 0 {
		t.Errorf("%v wasted, %v open; want 1m30s that is waited for", s.Wasted, s.Open)
	}
}

// TestBlackHole has clients choose among three servers, one of which never answers:
// those that begin there lose a minute, and nobody else does.
func TestBlackHole(t *testing.T) {
	world := parseWorld(t, "server hole\noutage from 0 s to 10 hours hang\nend\nserver b c\ntakes 10 s\nend")
	script := load(t, "try for 900 s\nforany host in hole b c\ntry each 60 s\nwget http://$host/data\nend\nend\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: world, Clients: 300}, 1)
	lost := tally.TimedOut
	if tally.Done != 300 || lost < 70 || lost > 130 || tally.PerServer[0].Requests != lost ||
		tally.PerServer[1].Requests != 300 {
		t.Errorf("finished %d, given up %d; %d and %d requests", tally.Done, lost, tally.PerServer[0].Requests,
			tally.PerServer[1].Requests)
	}
	if first, last := tally.Took[0], tally.Took[299]; first != 10*time.Second || last != 70*time.Second {
		t.Errorf("from %v to %v", first, last)
	}
}

// TestDate waits for a date, which is one of the simulation: it begins with 1970.
func TestDate(t *testing.T) {
	script := load(t, "try for 1 hour backoff fixed from 1 s\nif ${try.attempt} .eql. 1\n"+
		"retryafter 'Thu, 01 Jan 1970 00:02:00 GMT'\nfailure\nend\nget\nend")
	w := parseWorld(t, "server\ntakes 1 s\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: w, Clients: 1}, 1)
	if len(tally.Took) != 1 || tally.Took[0] != 121*time.Second {
		t.Errorf("%v, failed %v", tally.Took, tally.Failed)
	}
}
