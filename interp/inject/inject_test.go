package inject

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/event"
	"ftsh/interp/local"
	"ftsh/interp/world"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"curl:2 exit 28", "rsync:* after 5s signal KILL", "sbatch:1 unanswered", "*:p=0.1 exit 1", "x:1 signal sigterm",
		"x:1 signal 9", "/usr/bin/x:3 exit 0", "a:b:1 exit 255", "  x:*   after  0.5   signal HUP ", "x:p=1 exit 1",
		"x:1 hang", "x:1 missing", "x:1 system saying no  memory", "x:1 after 1s signal KILL saying a",
	} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "wanted PROGRAM:WHICH FAULT"},
		{"curl exit 28", "wanted PROGRAM:WHICH FAULT"},
		{":1 exit 28", "wanted PROGRAM:WHICH FAULT"},
		{"curl:2", "wanted PROGRAM:WHICH FAULT"},
		{"curl:0 exit 28", `run "0"`},
		{"curl:two exit 28", `run "two"`},
		{"curl: exit 28", `run ""`},
		{"curl:p=0 exit 1", `probability "0"`},
		{"curl:p=1.5 exit 1", `probability "1.5"`},
		{"curl:p=NaN exit 1", `probability "NaN"`},
		{"curl:1 exit", "exit: wanted exit STATUS"},
		{"curl:1 exit 256", `status "256"`},
		{"curl:1 exit x", `status "x"`},
		{"curl:1 signal NOPE", `signal "NOPE"`},
		{"curl:1 signal 0", `signal "0"`},
		{"curl:1 after 5s exit 1", "wanted signal behind a time"},
		{"curl:1 after soon signal KILL", `time "soon"`},
		{"curl:1 after 0 signal KILL", `time "0"`},
		{"curl:1 after 5s", "after 5s: wanted exit STATUS"},
		{"curl:1 exit 3 saying", "exit 3 saying: wanted exit STATUS"},
		{"curl:1 saying hello", "curl:1 saying hello"},
		{"curl:1 hung", "hung: wanted exit STATUS"},
		{"curl:1 unanswered now", "unanswered now: wanted exit STATUS"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "fault ") {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// door runs programs, notes what it is asked for, and calls run.
type door struct {
	ran [][]string
	run func(ctx context.Context, c *world.Command) (world.Status, error)
}

func (d *door) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	d.ran = append(d.ran, c.Args)
	if d.run == nil {
		return world.Status{}, nil
	}
	return d.run(ctx, c)
}

func (d *door) Rest() {}

// newWorld makes a world of rules around a door, on a virtual clock.
func newWorld(t *testing.T, d *door, seed uint64, rules ...string) (*World, *[]event.Event) {
	t.Helper()
	told := &[]event.Event{}
	c := Config{World: local.New(local.Config{Programs: d, Clock: wall{}}), Seed: seed,
		Observe: func(e event.Event) { *told = append(*told, e) }}
	for _, text := range rules {
		rule, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Rules = append(c.Rules, rule)
	}
	return New(c), told
}

// codes runs commands and returns the statuses, 128 and the number for a signal.
func codes(t *testing.T, e *World, names ...string) []int {
	t.Helper()
	var got []int
	for _, name := range names {
		status, err := e.Run(t.Context(), &world.Command{Args: []string{name, "arg"}})
		if err != nil {
			t.Fatal(err)
		}
		code := status.Code
		if status.Signal != 0 {
			code = 128 + int(status.Signal)
		}
		got = append(got, code)
	}
	return got
}

func TestRuns(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []string
		runs  []string
		want  []int
	}{
		{"the second run", []string{"curl:2 exit 28"}, []string{"curl", "cp", "curl", "curl"}, []int{0, 0, 28, 0}},
		{"each run", []string{"curl:* exit 28"}, []string{"curl", "cp", "curl"}, []int{28, 0, 28}},
		{"any program", []string{"*:2 signal SEGV"}, []string{"a", "b", "c"}, []int{0, 139, 0}},
		{"by its last name", []string{"curl:1 exit 7"}, []string{"/usr/bin/curl"}, []int{7}},
		{"by its path", []string{"/bin/curl:1 exit 7"}, []string{"/usr/bin/curl", "/bin/curl"}, []int{0, 7}},
		{"the first rule wins, all count", []string{"a:1 exit 1", "*:* exit 2", "a:2 exit 3"},
			[]string{"a", "a", "b"}, []int{1, 2, 2}},
		{"success can be injected", []string{"a:1 exit 0"}, []string{"a"}, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := newWorld(t, &door{}, 0, c.rules...)
			got := codes(t, e, c.runs...)
			for i, want := range c.want {
				if got[i] != want {
					t.Fatalf("statuses %v, want %v", got, c.want)
				}
			}
		})
	}
}

// TestNotStarted checks that a program that is made to fail does not run, and what is told.
func TestNotStarted(t *testing.T) {
	d := &door{}
	e, told := newWorld(t, d, 0, "curl:1 exit 28")
	codes(t, e, "curl", "curl")
	if len(d.ran) != 1 || len(*told) != 1 {
		t.Fatalf("%d ran, %d were told of; want 1 and 1", len(d.ran), len(*told))
	}
	one := (*told)[0]
	if one.Kind != event.FaultInjected || one.Value != "curl:1 exit 28" || one.Count != 1 || one.Command[0] != "curl" {
		t.Errorf("told %+v", one)
	}
}

// TestChance checks that a probability holds, and that a seed repeats it.
func TestChance(t *testing.T) {
	names := strings.Fields(strings.Repeat("a ", 2000))
	first, _ := newWorld(t, &door{}, 7, "*:p=0.25 exit 1")
	second, _ := newWorld(t, &door{}, 7, "*:p=0.25 exit 1")
	one, two := codes(t, first, names...), codes(t, second, names...)
	failed := 0
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("run %d is not the same with the same seed", i)
		}
		failed += one[i]
	}
	if failed < 400 || failed > 600 {
		t.Errorf("%d of 2000 runs failed, want about 500", failed)
	}
}

func TestUnanswered(t *testing.T) {
	d := &door{run: func(_ context.Context, c *world.Command) (world.Status, error) {
		for n := 1; n <= 2; n++ {
			var stat unix.Stat_t
			if err := unix.Fstat(c.Files[n], &stat); err != nil || stat.Rdev != unix.Mkdev(1, 3) {
				t.Errorf("descriptor %d is not /dev/null: %v %v", n, stat.Rdev, err)
			}
		}
		return world.Status{}, nil
	}}
	e, _ := newWorld(t, d, 0, "sbatch:1 unanswered")
	files := []int{0, 1, 2}
	status, err := e.Run(t.Context(), &world.Command{Args: []string{"sbatch"}, Files: files})
	if err != nil || status.Signal != unix.SIGKILL || len(d.ran) != 1 || files[1] != 1 {
		t.Errorf("%v, %v; %d ran", status, err, len(d.ran))
	}
}

// endless is a program that runs until it is cut off.
func endless(ctx context.Context, _ *world.Command) (world.Status, error) {
	<-ctx.Done()
	return world.Status{Signal: unix.SIGTERM}, context.Cause(ctx)
}

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patience := time.Hour
		d := &door{run: func(ctx context.Context, c *world.Command) (world.Status, error) {
			status, err := endless(ctx, c)
			patience = c.Patience(err)
			return status, err
		}}
		e, told := newWorld(t, d, 0, "rsync:* after 5s signal KILL")
		began := time.Now()
		rsync := &world.Command{Args: []string{"rsync"}, Patience: func(error) time.Duration { return time.Hour }}
		status, err := e.Run(t.Context(), rsync)
		took := time.Since(began)
		if err != nil || status.Signal != unix.SIGKILL || patience != 0 || len(*told) != 1 || took != 5*time.Second {
			t.Errorf("%v, %v after %v; patience %v, told %v", status, err, took, patience, *told)
		}
	})
}

// wall is the clock of a bubble of synctest.
type wall struct{}

func (wall) Now() time.Duration { return time.Since(time.Unix(0, 0)) }

func (wall) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(time.Until(time.Unix(0, 0).Add(at)), f)
}

// TestAfterNot checks that nothing is injected where the program ends by itself, or is cut off from outside.
func TestAfterNot(t *testing.T) {
	e, told := newWorld(t, &door{}, 0, "rsync:* after 5s signal KILL")
	if got := codes(t, e, "rsync"); got[0] != 0 {
		t.Errorf("status %d", got[0])
	}
	outside := errors.New("a limit of the script")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancels := func(ctx context.Context, c *world.Command) (world.Status, error) {
		cancel(outside)
		return endless(ctx, c)
	}
	e.World = local.New(local.Config{Clock: wall{}, Programs: &door{run: cancels}})
	if _, err := e.Run(ctx, &world.Command{Args: []string{"rsync"}}); !errors.Is(err, outside) || len(*told) != 0 {
		t.Errorf("%v, told %v", err, *told)
	}
}
