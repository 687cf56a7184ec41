package interp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/local"
	"ftsh/interp/world"
)

// The tests in this file run scripts in a bubble of synctest, in which time
// passes only while everything waits. So they can tell to the second what
// happens when.

// bubble is a clock, and an engine with three programs:
//
//	work T      takes so long, or ends as soon as it is cut off
//	stubborn T  does not end before it is killed
//	lost        dies of a signal
type bubble struct {
	start time.Time

	mu    sync.Mutex
	said  []string // "10s verify", by the builtin say
	freed []string // "10s work", when a program that was cut off was gone
	rests []string // "10s", when the engine was told that nothing runs for long
	told  []string // FTSH_DEADLINE of each program, from the start
	late  []string // "1s work", when a program was cut off so long after it was to be, for the guardian
}

func (b *bubble) Now() time.Duration { return time.Since(b.start) }

func (b *bubble) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-b.Now(), f)
}

func (b *bubble) Rest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rests = append(b.rests, b.Now().String())
}

func (b *bubble) note(list *[]string, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*list = append(*list, fmt.Sprint(b.Now(), " ", text))
}

func (b *bubble) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	b.note(&b.told, strings.Join(append(c.Told, c.Env...), " "))
	if c.Args[0] == "lost" {
		return world.Status{Signal: syscall.SIGTERM}, nil
	}
	d, err := time.ParseDuration(c.Args[1])
	if err != nil {
		return world.Status{}, err
	}
	if backoff.Sleep(ctx, b, b.Now()+d) == nil {
		return world.Status{}, nil
	}
	if late := b.Now() - c.Until; late != 0 {
		b.note(&b.late, fmt.Sprint(c.Args[0], " ", late))
	}
	if c.Args[0] == "stubborn" {
		time.Sleep(c.Patience(context.Cause(ctx)))
	}
	b.note(&b.freed, c.Args[0])
	return world.Status{}, context.Cause(ctx)
}

// run runs a script in a bubble; the context is cancelled after so long, as a
// signal does it, or never if that is 0.
func (b *bubble) run(t *testing.T, signal time.Duration, text string) error {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if signal > 0 {
		defer time.AfterFunc(signal, func() { cancel(errors.New("a signal")) }).Stop()
	}
	return interp.New(b.config()).Run(ctx, parse(t, text))
}

// config runs scripts in the bubble.
func (b *bubble) config() interp.Config {
	config := interp.Config{
		World: b.world(b), Seed: 1, KillTimeout: 30 * time.Second, Script: interp.Script{Files: []int{}},
	}
	withBuiltins(&config, map[string]interp.Builtin{"say": func(_ context.Context, _ int, args []string) error {
		b.note(&b.said, strings.Join(args, " "))
		return nil
	}})
	return config
}

// world is the bubble as a world, with these programs.
func (b *bubble) world(programs local.Programs) world.World {
	self := func() string { return "test" }
	return findsAll{local.New(local.Config{Programs: programs, Clock: b, Self: self})}
}

var verifyTimes = map[string]struct {
	script string
	signal time.Duration
	want   string // what was said, joined by "; "
	fails  bool
}{
	"past the deadline verify gets the kill timeout": {
		script: "try for 10 s; work 1h; verify; say verify; work 29s; catch; say never; end; say success",
		want:   "10s verify; 39s success",
	},
	"and not more": {
		script: "try for 10 s; work 1h; verify; say verify; work 31s; catch; say catch ${error.kind} ${error.reason}; end",
		want:   "10s verify; 40s catch timeout unknown",
	},
	"past the deadline it runs once": {
		script: "try for 10 s; work 1h; verify; say verify; failure; catch; say catch ${error.kind} ${error.reason}; end",
		want:   "10s verify; 10s catch timeout unknown",
	},
	"what does not end leaves it half": {
		script: "try for 10 s; stubborn 1h; verify; say verify; work 1h; catch; say catch ${error.reason}; end",
		want:   "25s verify; 40s catch unknown",
	},
	"finally comes under the limits outside": {
		script: "try for 10 s; work 1h; verify; work 1h; catch; say catch; finally; say finally; work 1h; say finally; end",
		want:   "40s catch; 40s finally; 1h0m40s finally",
	},
	"each": {
		script: "try for 1 hour each 10 s; stubborn 1h; verify; say verify ${error.kind}; work 9s; end; say success",
		want:   "40s verify timeout; 49s success",
	},
	"each limits verify, too": {
		script: "try for 1 minute each 10 s backoff exact from 1 s; work 1h; verify; say verify; work 11s; catch; say " +
			"${error.reason}; end",
		want: "10s verify; 21s verify; 33s verify; 47s verify; 57s verify; 1m7s unknown",
	},
	"a limit inside": {
		script: "try 2 times every 0 s; try for 5 s; work 1h; end; verify; say verify ${error.kind} ${error.reason}; " +
			"absent; catch; say ${error.reason}; end",
		want: "5s verify timeout deadline; 10s verify timeout deadline; 10s attempts",
	},
	"repeated with backoff": {
		script: "try for 1 hour backoff exact from 1 s; lost; verify; say verify; if ${try.elapsed} .lt. 7; failure; " +
			"end; end; say success",
		want: "0s verify; 1s verify; 3s verify; 7s verify; 7s success",
	},
	"with a backoff of its own": {
		script: "try for 1 hour backoff exact from 1 s\nsay attempt\nif ${try.attempt} .lt. 3\nfailure\nend\nlost\n" +
			"verify\nsay verify\nif ${try.elapsed} .lt. 4\nfailure\nend\nend",
		want: "0s attempt; 1s attempt; 3s attempt; 3s verify; 4s verify",
	},
	"no closer than every": {
		script: "try for 1 hour every 10 s; say attempt; lost; verify; say verify; work 3s; if ${try.elapsed} .lt. 20; " +
			"failure; end; absent; catch; end",
		signal: 31 * time.Second,
		want:   "0s attempt; 0s verify; 10s verify; 20s verify; 23s attempt; 23s verify",
		fails:  true,
	},
	"unresolved at the deadline": {
		script: "try for 10 s every 3 s; lost; verify; say verify; failure; catch; say catch ${error.kind} " +
			"${error.reason}; end",
		want: "0s verify; 3s verify; 6s verify; 9s verify; 9s catch signal unknown",
	},
	"under way at the deadline": {
		script: "try for 10 s; lost; verify; say verify; work 39s; end; say success",
		want:   "0s verify; 39s success",
	},
	"absent at the deadline": {
		script: "try for 10 s; work 1h; verify; absent; catch; say catch ${error.kind} ${error.reason}; end",
		want:   "10s catch timeout deadline",
	},
	"absent, but too late": {
		script: "try for 10 s; lost; verify; work 15s; absent; catch; say catch ${error.kind} ${error.reason}; end",
		want:   "15s catch signal deadline",
	},
	"an outer deadline: happened": {
		script: "try for 10 s; try for 1 hour; work 1h; verify; say verify; catch; say never; finally; say finally; end; " +
			"catch; say never; end; say success",
		want: "10s verify; 10s finally; 10s success",
	},
	"an outer deadline: absent": {
		script: "try for 10 s; try for 1 hour; work 1h; verify; say verify; absent; catch; say never; finally; say " +
			"finally ${error.reason}; end; " +
			"catch; say catch ${error.reason}; end",
		want: "10s verify; 10s finally cancelled; 10s catch deadline",
	},
	"an outer deadline: nobody knows": {
		script: "try for 10 s; try for 1 hour; work 1h; verify; say verify; failure; finally; say finally " +
			"${error.reason}; end; catch; say catch ${error.reason}; end",
		want: "10s verify; 10s finally cancelled; 10s catch deadline",
	},
	"an outer deadline: what comes after is cut off": {
		script: "try for 10 s; try; work 1h; verify; id=7; end; say never; catch; say catch $id ${error.kind}; end",
		want:   "10s catch 7 timeout",
	},
	"an outer deadline: all share the kill timeout": {
		script: "try for 10 s; try; stubborn 1h; verify; say verify; work 10s; failure; finally; say finally; work 1h; " +
			"say never; end; catch; say catch; end",
		want: "25s verify; 35s finally; 40s catch",
	},
	"an outer deadline during verify": {
		script: "try for 10 s; try for 1 hour; lost; verify; say verify; work 1h; catch; say never; finally; say finally " +
			"${error.reason}; end; catch; say catch ${error.reason}; end",
		want: "0s verify; 10s finally cancelled; 10s catch deadline",
	},
	"a signal": {
		script: "try for 1 hour; work 1h; verify; say never; catch; say never; finally; say finally ${error.reason}; end",
		signal: 5 * time.Second,
		want:   "5s finally cancelled",
		fails:  true,
	},
	"a signal during verify": {
		script: "try for 1 hour; lost; verify; say verify; work 1h; say never; catch; say never; finally; say finally " +
			"${error.reason}; end",
		signal: 5 * time.Second,
		want:   "0s verify; 5s finally cancelled",
		fails:  true,
	},
	"a signal before verify runs again": {
		script: "try for 1 hour every 10 s; lost; verify; say verify; failure; catch; say never; finally; say finally " +
			"${error.reason}; end",
		signal: 25 * time.Second,
		want:   "0s verify; 10s verify; 20s verify; 25s finally cancelled",
		fails:  true,
	},
	"a failed branch beside it": {
		script: "try\nforall x in 1 2\nif $x .eql. 1\nwork 5s\nfailure\nend\ntry\nwork 1h\nverify\nsay never\nfinally\n" +
			"say finally\nend\nend\ncatch\nsay ${error.kind}\nend",
		want: "5s finally; 5s failure",
	},
	"retryafter in verify, then absent": {
		script: "try 2 times backoff fixed from 1 s to 1 hour; say attempt; lost; verify; retryafter 10; absent; catch; " +
			"say ${error.reason}; end",
		want: "0s attempt; 10s attempt; 10s attempts",
	},
}

// TestVerifyTimes tells what happens when: see the language, section 15.
func TestVerifyTimes(t *testing.T) {
	for name, test := range verifyTimes {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				err := b.run(t, test.signal, strings.ReplaceAll(test.script, "; ", "\n")+"\n")
				if got := strings.Join(b.said, "; "); got != test.want || (err != nil) != test.fails {
					t.Errorf("%s (%v)\nwant %s", got, err, test.want)
				}
			})
		})
	}
}

// TestVerifyLastRun wants a verify that never knows to end before the deadline,
// after a last run in the first half of what was left.
func TestVerifyLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		err := b.run(t, 0, "try for 100 s\nlost\nverify\nsay verify\nfailure\nend\n")
		var failure *interp.Failure
		if !errors.As(err, &failure) || failure.Reason != backoff.Unknown || failure.Kind != interp.KindSignal {
			t.Errorf("%v", err)
		}
		if b.Now() >= 100*time.Second || len(b.said) < 4 {
			t.Errorf("at %v after %v", b.Now(), b.said)
		}
	})
}

// TestVerifyTellsDeadline wants a shell that runs in verify after the deadline
// to be told until when it may run.
func TestVerifyTellsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		if err := b.run(t, 0, "try for 10 s\nwork 1h\nverify\nwork 1s\nend\n"); err != nil {
			t.Fatal(err)
		}
		end := func(after time.Duration) string {
			return fmt.Sprintf("FTSH_DEADLINE=%d.000000 ", b.start.Add(after).Unix())
		}
		if !strings.Contains(b.told[0], end(10*time.Second)) || !strings.Contains(b.told[1], end(40*time.Second)) {
			t.Errorf("told %q", b.told)
		}
	})
}

// TestVerifyEndsWhatIsCutOff wants a program that verify has begun to be killed
// at once when the kill timeout is used up.
func TestVerifyEndsWhatIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{start: time.Now()}
		if err := b.run(t, 0, "try for 10 s\nstubborn 1h\nverify\nstubborn 1h\nend\n"); err == nil {
			t.Error("it succeeded")
		}
		if want := []string{"25s stubborn", "40s stubborn"}; !slices.Equal(b.freed, want) {
			t.Errorf("gone %v, want %v", b.freed, want)
		}
	})
}

// untilTimes are scripts of which a limit cuts programs off.
var untilTimes = []string{
	"try for 10 s; work 1h; end",
	"try for 10 s; work 1h; verify; work 1h; end",
	"try for 10 s key k; work 1h; verify; work 1h; end",
	"try for 10 s; try 2 times; lost; verify; work 1h; end; end",
	"try for 10 s; try; success; finally; work 1h; end; end",
	"try for 10 s; try; work 1h; finally; work 1h; end; end",
	"try for 1 h; try for 10 s; try; success; finally; work 2h; end; end; finally; success; end",
	"try for 10 s; try; try; success; finally; work 1h; end; finally; work 1h; end; end",
	"try for 10 s; try; success; finally; try; success; finally; work 1h; end; end; end",
	"try for 10 s; try; success; finally; try for 5 s; work 1h; end; end; end",
	"try for 10 s; forall i in 1 2; try; success; finally; work 1h; end; end; end",
	"try for 10 s; try; success; finally; forall i in 1 2; work 1h; end; end; end",
}

// TestUntil wants the guardian to be told of each program when the shell will cut it off, in groups that clean up, too.
func TestUntil(t *testing.T) {
	for _, script := range untilTimes {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				_ = b.run(t, 0, strings.ReplaceAll(script, "; ", "\n")+"\n")
				if len(b.freed) == 0 || len(b.late) > 0 {
					t.Errorf("cut off %q, late %q", b.freed, b.late)
				}
			})
		})
	}
}
