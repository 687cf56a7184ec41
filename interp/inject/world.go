package inject

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/event"
	"ftsh/interp/world"
)

// Config says what a [World] needs.
type Config struct {
	World world.World // around which it stands; needed
	Rules []Rule      // the first that fits a run of a program holds
	Seed  uint64      // of the dice for p=; 0: it is never the same twice
	// Observe is told of each fault; nil: nobody.
	Observe func(event.Event)
}

// World is a world around another in which some programs fail on purpose.
type World struct {
	world.World
	config Config
	mu     sync.Mutex
	runs   []int  // of the programs that each rule concerns
	fired  []bool // by rule
	dice   *rand.Rand
}

// New makes a World.
func New(c Config) *World {
	seed := [2]uint64{c.Seed, 1}
	if c.Seed == 0 {
		seed = [2]uint64{rand.Uint64(), rand.Uint64()}
	}
	return &World{
		World: c.World, config: c, runs: make([]int, len(c.Rules)), fired: make([]bool, len(c.Rules)),
		dice: rand.New(rand.NewPCG(seed[0], seed[1])),
	}
}

// Unfired says of each rule that never had a run, other than by chance, how often its programs ran: a
// test with such a rule has tested nothing. Safe once all commands have ended.
func (w *World) Unfired() (list []string) {
	for i := range w.config.Rules {
		rule := &w.config.Rules[i]
		switch {
		case w.fired[i] || !rule.mustFire():
		case w.runs[i] == 0:
			list = append(list, rule.text+": it never fired, as "+rule.program+" did not run")
		case w.runs[i] == 1:
			list = append(list, rule.text+": it never fired, though "+rule.program+" ran once")
		default:
			list = append(list, fmt.Sprintf("%s: it never fired, though %s ran %d times", rule.text, rule.program, w.runs[i]))
		}
	}
	return list
}

// Run runs a command, or has it fail.
func (w *World) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	index, number := w.chooseRule(c)
	if index < 0 || ctx.Err() != nil {
		return w.World.Run(ctx, c)
	}
	rule := &w.config.Rules[index]
	tell := func() {
		w.mu.Lock()
		w.fired[index] = true
		w.mu.Unlock()
		if w.config.Observe != nil {
			w.config.Observe(event.Event{Kind: event.FaultInjected, ID: c.ID, Command: c.Args, Value: rule.text, Count: number})
		}
	}
	if rule.after > 0 {
		return w.cutOff(ctx, c, rule, tell)
	}
	tell()
	rule.writeStderr(c)
	switch rule.fault {
	case unanswered:
		return w.unanswered(ctx, c, rule)
	case hangs:
		<-ctx.Done()
		return world.Status{}, context.Cause(ctx)
	case unstarted:
		return world.Status{}, &world.StartError{Path: c.Args[0], Err: rule.errno, Missing: rule.errno == unix.ENOENT}
	}
	return rule.status, nil
}

// writeStderr writes to the standard error of a command, as the program would have.
func (r *Rule) writeStderr(c *world.Command) {
	if r.saying != "" && len(c.Files) > 2 && c.Files[2] >= 0 {
		_, _ = unix.Write(c.Files[2], []byte(r.saying+"\n"))
	}
}

// chooseRule returns the index of the rule that has this run, and the number of the run; below 0: none has.
func (w *World) chooseRule(c *world.Command) (chosen, number int) {
	chosen = -1
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.config.Rules {
		rule := &w.config.Rules[i]
		if !rule.concernsCommand(c) {
			continue
		}
		w.runs[i]++
		// The dice are thrown also where another rule was first, so that one rule does not change what others do.
		hit := rule.number == w.runs[i]
		if rule.number == 0 {
			hit = w.dice.Float64() < rule.probability
		}
		if hit && chosen < 0 {
			chosen, number = i, w.runs[i]
		}
	}
	return chosen, number
}

// unanswered runs a command whose output nobody sees.
func (w *World) unanswered(ctx context.Context, c *world.Command, rule *Rule) (world.Status, error) {
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return world.Status{}, &world.StartError{Path: c.Path, Err: err.(unix.Errno)}
	}
	defer func() { _ = unix.Close(null) }()
	deaf := *c
	deaf.Files = append([]int(nil), c.Files...)
	for n := 1; n < min(3, len(deaf.Files)); n++ {
		deaf.Files[n] = null
	}
	if _, err := w.World.Run(ctx, &deaf); err != nil {
		return world.Status{}, err
	}
	return rule.status, nil
}

// errTime is why a command is cut off here.
var errTime = errors.New("its time has passed by a rule of --inject")

// cutOff runs a command for the time of the rule, unless it ends before: then nothing was
// injected, and nothing is told.
func (w *World) cutOff(ctx context.Context, c *world.Command, rule *Rule, tell func()) (world.Status, error) {
	limited, cancel := backoff.WithDeadline(ctx, w, w.Now()+rule.after, errTime)
	defer cancel()
	cut := *c
	if rule.status.Signal == unix.SIGKILL {
		cut.Patience = func(cause error) time.Duration {
			if errors.Is(cause, errTime) || c.Patience == nil {
				return 0
			}
			return c.Patience(cause)
		}
	}
	status, err := w.World.Run(limited, &cut)
	if errors.Is(err, errTime) {
		tell()
		rule.writeStderr(c)
		return rule.status, nil
	}
	return status, err
}
