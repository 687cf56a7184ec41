package interp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/world"
)

// conductor runs scripts one step at a time: one goroutine runs, until it ends or waits.
type conductor struct {
	*bubble
	mu    sync.Mutex
	runs  bool            // one runs
	queue []chan struct{} // of those that could go on
	texts texts
	told  []string // statements and turns, by their lines
}

// take waits until it is one's turn.
func (c *conductor) take(turn chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue = append(c.queue, turn); !c.runs {
		c.next()
	}
}

// next lets the next one run. The lock is held.
func (c *conductor) next() {
	if c.runs = len(c.queue) > 0; c.runs {
		close(c.queue[0])
		c.queue = c.queue[1:]
	}
}

// pass lets another one run.
func (c *conductor) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next()
}

// tick is how often what waits asks whether it can go on; all that happens here takes whole seconds.
const tick = 50 * time.Millisecond

func (c *conductor) Await(at time.Duration, ready func() bool) {
	for !ready() && c.Now() < at {
		c.pass()
		time.Sleep(tick)
		turn := make(chan struct{})
		c.take(turn)
		<-turn
	}
}

func (c *conductor) Go(run func()) {
	turn := make(chan struct{})
	c.take(turn)
	go func() {
		<-turn
		defer c.pass()
		run()
	}()
}

func (c *conductor) Step(pos ast.Pos) { c.told = append(c.told, fmt.Sprint(pos.Line)) }

// Run is an engine with the programs of the bubble, and with `tell`, which writes its words.
func (c *conductor) Run(ctx context.Context, cmd *world.Command) (world.Status, error) {
	switch cmd.Args[0] {
	case "tell":
		c.texts.write(cmd.Files[1], strings.Join(cmd.Args[1:], " ")+"\n")
		return world.Status{}, nil
	case "work":
		d, err := time.ParseDuration(cmd.Args[1])
		if err != nil {
			return world.Status{}, err
		}
		c.Await(c.Now()+d, func() bool { return ctx.Err() != nil })
		return world.Status{}, context.Cause(ctx)
	}
	return c.bubble.Run(ctx, cmd)
}

// conducted is a world in which a conductor decides who does something.
type conducted struct {
	textWorld
	*conductor
}

func (c conducted) Now() time.Duration { return c.conductor.Now() }

func (c conducted) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return c.conductor.AfterFunc(at, f)
}

func (c conducted) Step(pos ast.Pos) { c.conductor.Step(pos) }

func (c conducted) Go(f func()) { c.conductor.Go(f) }

func (c conducted) Await(until time.Duration, ready func() bool) { c.conductor.Await(until, ready) }

func (c conducted) Run(ctx context.Context, cmd *world.Command) (world.Status, error) {
	return c.conductor.Run(ctx, cmd)
}

// config runs scripts by the conductor.
func (c *conductor) config() interp.Config {
	config := c.bubble.config()
	config.World = conducted{textWorld{config.World, &c.texts}, c}
	config.Script.Files = []int{c.texts.add(""), c.texts.add(""), c.texts.add("")}
	withBuiltins(&config, map[string]interp.Builtin{
		"pause": func(_ context.Context, _ int, args []string) error { // it cannot be cut off
			d, err := time.ParseDuration(args[0])
			time.Sleep(d)
			return err
		},
	})
	return config
}

// conductedScripts are scripts that wait for what happens at the same time, with what they say, to the second, and
// their end. At 30 s they are cut off.
var conductedScripts = []struct{ name, script, want string }{
	{"a forall ends with its last branch", "forall x in 3 1 2; work ${x}s; say $x; end; say end",
		"1s 1; 2s 2; 3s 3; 3s end = 0"},
	{"branches at a time", "forall x in 1 2 3 4 .limit. 2; work ${x}s; say $x; end; say end",
		"1s 1; 2s 2; 4s 3; 6s 4; 6s end = 0"},
	{"a branch that fails ends the others", "try; forall x in 1 2 3 .limit. 2; if $x .eql. 2; work 2s; failure no; end; " +
		"work 5s; say never; end; catch; say ${error.message}; end", "2s no = 0"},
	{"a pipeline ends with its last stage", "function slow; work 2s; say slow; end; function fast; say fast; end; " +
		"slow | fast; say end; fast | slow; say end", "0s fast; 2s slow; 2s end; 2s fast; 4s slow; 4s end = 0"},
	{"what a stage captures", "tell text -> x | work 1s; say $x", "1s text = 0"},
	{"what a stage reads", "tell one two | while_read; say end; function while_read; read x; work 1s; say $x; end",
		"1s one two; 1s end = 0"},
	{"a hedge", "forany x in 5 3 1 .inorder. .hedge. 1 s; say $x; work ${x}s; end; say end $x",
		"0s 5; 1s 3; 2s 1; 3s end 1 = 0"},
	{"a hedge that fails makes room at once", "forany x in a b .inorder. .hedge. 9 s; say $x; work 1s; if $x .eq. a; " +
		"failure; end; end; say end $x", "0s a; 1s b; 2s end b = 0"},
	{"a hedge that is cut off", "try for 3 s; forany x in a b .inorder. .hedge. 1 s; say $x; work 1h; end; " +
		"catch; say ${error.kind}; end", "0s a; 1s b; 3s timeout = 0"},
	{"a wait lets the others go on", "forall x in 1 2; if $x .eql. 1; try 2 times every 4 s; say try ${try.attempt}; " +
		"if ${try.attempt} .eql. 1; failure; end; end; else; work 1s; say meanwhile; end; end; say end",
		"0s try 1; 1s meanwhile; 4s try 2; 4s end = 0"},
	{"a sleep lets the others go on", "forall x in 1 2; if $x .eql. 1; sleep 4 s; else; work 1s; say meanwhile; end; " +
		"end; say end", "1s meanwhile; 4s end = 0"},
	{"a limit", "try for 6 s every 4 s; work 1s; say attempt; failure no; catch; say ${error.reason}; end",
		"1s attempt; 5s attempt; 5s deadline = 0"},
	{"a limit cuts off branches", "try for 5 s; forall x in 1 2; work 1h; end; catch; say ${error.kind}; end",
		"5s timeout = 0"},
	{"verify", "try 3 times every 2 s; lost; verify; say verify; work 1s; failure; catch; say ${error.reason}; end",
		"0s verify; 2s verify; 4s verify; 5s unknown = 0"},
	{"nothing after a failure", "try 2 times every 3 s; say ${try.attempt}; failure no; end; say never",
		"0s 1; 3s 2 = failed:failure:attempts"},
	{"nothing after a command that fails", "say one; failure no; try; say never; end", "0s one = failed:failure:"},
	{"exit", "try 2 times; say one; exit 3; end; say never", "0s one = exit 3"},
	{"one try after another", "try 2 times every 1 s; say ${try.attempt}; if ${try.attempt} .eql. 1; failure; end; end; " +
		"say between; try 3 times every 0 s; say ${try.attempt}; if ${try.attempt} .lt. 3; failure; end; end; say end",
		"0s 1; 1s 2; 1s between; 1s 1; 1s 2; 1s 3; 1s end = 0"},
	{"no attempt", "try 0 times; say never; catch; say catch; end", "0s catch = 0"},
	{"a clause that is wrong", "n=x; try $n times; say never; catch; say ${error.kind}; end", "0s error = 0"},
	{"a factor that is too small", "n=0; try 2 times backoff normal from 1 s by $n; say never; catch; " +
		"say ${error.message}; end", "0s by 0: wanted a number of at least 1 = 0"},
	{"a factor that is no number", "n=x; try 2 times backoff normal from 1 s by $n; say never; catch; " +
		"say ${error.kind}; end", "0s error = 0"},
	{"without jitter", "try 5 times backoff normal from 1 s by 2 jitter 0; say ${try.attempt}; failure; end",
		"0s 1; 1s 2; 3s 3; 7s 4; 15s 5 = failed:failure:attempts"},
	{"cut off between two turns", "for x in 1 2; pause 31s; end", "= failed:cancelled:"},
	{"done before", "try for 5 s key K; say never; verify; say done; end; say end", "0s done; 0s end = 0"},
	{"cut off while a try waits", "try for 1 h every 20 s; say ${try.attempt}; failure; finally; say finally; end; " +
		"say never", "0s 1; 20s 2; 30s finally = failed:cancelled:cancelled"},
	{"cut off before a try", "work 1h; try 2 times; say never; finally; say never; end", "= failed:cancelled:"},
	{"a branch that failed by itself before the others are cut off", "try for 5 s; forall x in 1 2 .keepgoing.; " +
		"if $x .eql. 1; failure own; end; work 1h; end; catch; say ${error.message}; end", "5s the limit of 5s passed = 0"},
	{"a branch that ends well after a limit", "try for 5 s; forall x in 1; pause 10s; end; catch; say never; end; say end",
		"10s end = 0"},
	{"branches that a limit lets not begin", "try for 5 s; forall x in 1 2 .limit. 1; pause 10s; end; catch; say cut; end",
		"10s cut = 0"},
	{"cut off by the time a try begins", "pause 31s; try 2 times; say never; finally; say never; end",
		"= failed:cancelled:"},
	{"a second try after one that was cut off", "try; stubborn 31s; finally; say finally; end; try; say never; end",
		"45s finally = failed:cancelled:cancelled"},
}

// TestConducted holds that the world is asked wherever a script waits, so that the rest of it goes on.
func TestConducted(t *testing.T) {
	for _, test := range conductedScripts {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &conductor{bubble: &bubble{start: time.Now()}, runs: true}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer time.AfterFunc(30*time.Second, func() { cancel(errors.New("a signal")) }).Stop()
				err := interp.New(c.config()).Run(ctx, parse(t, strings.ReplaceAll(test.script, "; ", "\n")))
				if got := c.inSeconds() + "= " + howEnded(err); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			})
		})
	}
}

// inSeconds is what was said, with its time in whole seconds.
func (b *bubble) inSeconds() string {
	var lines []string
	for _, line := range b.said {
		at, words, _ := strings.Cut(line, " ")
		d, _ := time.ParseDuration(at)
		lines = append(lines, fmt.Sprint(d.Truncate(time.Second), " ", words))
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "; ") + " "
}

// TestConductorIsTold holds that the world is told of each statement and turn before it begins.
func TestConductorIsTold(t *testing.T) {
	const script = `n=0
for i in a b
    n=$n .add. 1
end
while $n .lt. 4
    n=$n .add. 1
end
try 2 times every 3 s
    if ${try.attempt} .eql. 1
        failure
    end
end`
	synctest.Test(t, func(t *testing.T) {
		c := &conductor{bubble: &bubble{start: time.Now()}, runs: true}
		if err := interp.New(c.config()).Run(t.Context(), parse(t, script)); err != nil {
			t.Error(err)
		}
		const want = "1 2 2 3 2 3 5 5 6 5 6 5 8 9 10 9"
		if got := strings.Join(c.told, " "); got != want {
			t.Errorf("told %s\nwant %s", got, want)
		}
	})
}
