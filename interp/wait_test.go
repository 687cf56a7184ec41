package interp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/interp/world"
)

// line is a gate at which an attempt has to wait. What it is told may be wrong: it is let through when it is its turn.
type line struct {
	*bubble
	turn time.Duration
	told shared.Wait
}

func (line) Close() {}

func (l line) Enter(ctx context.Context, q shared.Visit) (world.Pass, error) {
	if l.Now() < l.turn {
		q.Told(l.told)
	}
	return openGate{}, backoff.Sleep(ctx, l, l.turn)
}

// TestLongWaitsRest holds when the engine is told that nothing runs for long: in each wait of two seconds and more, and
// in no other.
func TestLongWaitsRest(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"try 3 times every 2 s; work 1h; end", ""},
		{"work 10s; try 3 times every 1999 ms; false; end", ""},
		{"work 10s; try 3 times every 2 s; false; end", "10s 12s"},
		{"work 10s; try 3 times every 1 h; work 59m59s; false; end", ""},
		{"work 10s; try 2 times every 1 h; work 59m58s; false; end", "1h0m8s"},
		{"work 10s; try for 5 s every 1500 ms; lost; verify; failure; end", ""},
		{"work 10s; try for 5 s every 2 s; lost; verify; failure; end", "10s 12s"},
		{"work 10s; sleep 1999 ms", ""},
		{"work 10s; sleep 2", "10s"},
		{"work 10s; sleep 1; sleep 1", ""},
	} {
		t.Run(c.script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				config := b.config()
				_ = interp.New(config).Run(t.Context(), parse(t, strings.ReplaceAll(c.script, "; ", "\n")))
				if got := strings.Join(b.rests, " "); got != c.want {
					t.Errorf("rests at %q, want %q", got, c.want)
				}
			})
		})
	}
}

// TestWaitForAResourceIsTold holds what an observer is told of such a wait: how long it is at most, if that is known.
func TestWaitForAResourceIsTold(t *testing.T) {
	for _, c := range []struct {
		settings string
		wait     shared.Wait
		want     string
	}{
		{"", shared.Wait{For: shared.ForBreaker, Until: 20 * time.Second}, "r breaker 0 10s"},
		{"", shared.Wait{For: shared.ForBudget, Until: 9 * time.Second}, "r budget 0 0s"},
		{"", shared.Wait{For: shared.ForTurn, Until: backoff.Never, Before: 3}, "r turn 3 0s"},
		{"slots 2; ", shared.Wait{For: shared.ForTurn, Until: backoff.Never, Before: 3}, "r slot 3 0s"},
		{"slots 2; ", shared.Wait{For: shared.ForSlot, Until: backoff.Never}, "r slot 0 0s"},
	} {
		t.Run(c.settings+c.want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				config := b.config()
				config.World = gated{config.World, line{b, time.Minute, c.wait}}
				var waits told
				config.Observer = &waits
				script := "resource r; " + c.settings + "end; work 10s; try for 1 hour via r; success; end"
				if err := interp.New(config).Run(t.Context(), parse(t, strings.ReplaceAll(script, "; ", "\n"))); err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprint(waits); got != fmt.Sprint(told{c.want}) {
					t.Errorf("told %s, want %s", got, c.want)
				}
			})
		})
	}
}

// TestSenseKeepsTheFailure holds what an attempt reads of the one before, although a sense group succeeded in between,
// and what a sense group reads.
func TestSenseKeepsTheFailure(t *testing.T) {
	for _, c := range []struct{ sense, want string }{
		{"success", "1 2 no 3 no"},
		{"say s-${error.message:-none}", "s-none 1 s-no 2 no s-no 3 no"},
	} {
		t.Run(c.sense, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bubble{start: time.Now()}
				config := b.config()
				config.World = gated{config.World, openGate{}}
				script := "resource r; sense; " + c.sense + "; end; end; try for 1 hour or 3 times every 0 s via r; " +
					"say ${try.attempt}; if ${try.attempt} .gt. 1; say ${error.message}; end; failure no; end"
				err := interp.New(config).Run(t.Context(), parse(t, strings.ReplaceAll(script, "; ", "\n")))
				if got := b.words(); got != c.want {
					t.Errorf("said %s, want %s (%v)", got, c.want, err)
				}
			})
		})
	}
}

// told keeps what is told of waits for resources.
type told []string

func (*told) Enabled(int) bool { return true }

func (w *told) Observe(e event.Event) {
	if e.Kind == event.ResourceWait {
		*w = append(*w, fmt.Sprint(e.Name, " ", e.Value, " ", e.Count, " ", e.Wait))
	}
}

// late is a bubble whose shell can be stopped: the program `stopped T` has the clock go on for so long while no timer
// runs. Those that were set fire so much later, as if the shell looked at the clock first.
type late struct {
	*bubble
	behind time.Duration // one script without branches changes it
}

func (l *late) Now() time.Duration { return l.bubble.Now() + l.behind }

func (l *late) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-l.Now(), f)
}

func (l *late) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	if c.Args[0] != "stopped" {
		return l.bubble.Run(ctx, c)
	}
	d, err := time.ParseDuration(c.Args[1])
	l.behind += d
	return world.Status{}, err
}

// TestNothingBeginsPastALimit holds that nothing begins once a limit has passed while the shell was stopped, although
// the timer of the limit has not fired yet, and that limits which have not passed do no harm.
func TestNothingBeginsPastALimit(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"one limit", "try for 10 s; stopped 30s; say never; catch; say catch; end", "catch"},
		{"it has not passed", "try for 1 minute; stopped 30s; say on; catch; say never; end", "on"},
		{"the outer one", "try for 10 s; try for 1 minute; stopped 30s; say never; catch; say never; end; " +
			"catch; say outer; end", "outer"},
		{"the inner one", "try for 1 minute; try for 10 s; stopped 30s; say never; catch; say inner; end; say on; end",
			"inner on"},
		{"an outer one, and none within", "try for 10 s; try 2 times; stopped 30s; say never; end; catch; say outer; end",
			"outer"},
		{"of each", "try for 1 minute; try 1 time each 10 s; stopped 30s; say never; catch; say each; end; end", "each"},
		{"one that was left", "try for 1 minute; try for 10 s; success; end; stopped 30s; say on; end", "on"},
		{"in a branch", "try for 10 s; forall x in 1; stopped 30s; say never; end; catch; say outer; end", "outer"},
		{"in a function in a stage", "function f; stopped 30s; say never; end; try for 10 s; f | success; " +
			"catch; say outer; end", "outer"},
		{"in a sleep", "try for 10 s; stopped 9s; sleep 2; say never; catch; say catch; end", "catch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &late{bubble: &bubble{start: time.Now()}}
				config := l.config()
				config.World = findsAll{at(l, l)}
				err := interp.New(config).Run(t.Context(), parse(t, strings.ReplaceAll(c.script, "; ", "\n")))
				if got := l.words(); got != c.want || err != nil {
					t.Errorf("said %q, want %q (%v)", got, c.want, err)
				}
			})
		})
	}
}

// words is what was said, without when.
func (b *bubble) words() string {
	var list []string
	for _, line := range b.said {
		_, words, _ := strings.Cut(line, " ")
		list = append(list, words)
	}
	return strings.Join(list, " ")
}
