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
	"ftsh/interp/process"
)

// Runner runs commands, as [process.Host] does and the interpreter expects it.
type Runner interface {
	Run(ctx context.Context, c *process.Command) (process.Status, error)
	Rest()
}

// Config says what an [Engine] needs.
type Config struct {
	Runner Runner        // that runs the commands which do not fail on purpose; needed
	Clock  backoff.Clock // of the times of the rules; needed
	Rules  []Rule        // the first that fits a run of a program holds
	Seed   uint64        // of the dice for p=; 0: it is never the same twice
	// Observe is told of each fault; nil: nobody.
	Observe func(event.Event)
}

// Engine is a Runner some of whose commands fail.
type Engine struct {
	Config
	mu    sync.Mutex
	runs  []int  // of the programs that each rule concerns
	fired []bool // by rule
	dice  *rand.Rand
}

// New makes an Engine.
func New(c Config) *Engine {
	seed := [2]uint64{c.Seed, 1}
	if c.Seed == 0 {
		seed = [2]uint64{rand.Uint64(), rand.Uint64()}
	}
	return &Engine{
		Config: c, runs: make([]int, len(c.Rules)), fired: make([]bool, len(c.Rules)),
		dice: rand.New(rand.NewPCG(seed[0], seed[1])),
	}
}

// Unfired says of each rule that never had a run, other than by chance, how often its programs ran: a
// test with such a rule has tested nothing. Safe once all commands have ended.
func (e *Engine) Unfired() (list []string) {
	for i := range e.Rules {
		rule := &e.Rules[i]
		switch {
		case e.fired[i] || !rule.mustFire():
		case e.runs[i] == 0:
			list = append(list, rule.text+": it never fired, as "+rule.program+" did not run")
		case e.runs[i] == 1:
			list = append(list, rule.text+": it never fired, though "+rule.program+" ran once")
		default:
			list = append(list, fmt.Sprintf("%s: it never fired, though %s ran %d times", rule.text, rule.program, e.runs[i]))
		}
	}
	return list
}

// Rest is called before a long wait; see [process.Host.Rest].
func (e *Engine) Rest() { e.Runner.Rest() }

// Run runs a command, or has it fail.
func (e *Engine) Run(ctx context.Context, c *process.Command) (process.Status, error) {
	index, number := e.chooseRule(c)
	if index < 0 || ctx.Err() != nil {
		return e.Runner.Run(ctx, c)
	}
	rule := &e.Rules[index]
	tell := func() {
		e.mu.Lock()
		e.fired[index] = true
		e.mu.Unlock()
		if e.Observe != nil {
			e.Observe(event.Event{Kind: event.FaultInjected, ID: c.ID, Command: c.Args, Value: rule.text, Count: number})
		}
	}
	if rule.after > 0 {
		return e.cutOff(ctx, c, rule, tell)
	}
	tell()
	rule.writeStderr(c)
	switch rule.fault {
	case unanswered:
		return e.unanswered(ctx, c, rule)
	case hangs:
		<-ctx.Done()
		return process.Status{}, context.Cause(ctx)
	case unstarted:
		return process.Status{}, &process.StartError{Path: c.Args[0], Err: rule.errno, Missing: rule.errno == unix.ENOENT}
	}
	return rule.status, nil
}

// writeStderr writes to the standard error of a command, as the program would have.
func (r *Rule) writeStderr(c *process.Command) {
	if r.saying != "" && len(c.Files) > 2 && c.Files[2] >= 0 {
		_, _ = unix.Write(c.Files[2], []byte(r.saying+"\n"))
	}
}

// chooseRule returns the index of the rule that has this run, and the number of the run; below 0: none has.
func (e *Engine) chooseRule(c *process.Command) (chosen, number int) {
	chosen = -1
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range e.Rules {
		rule := &e.Rules[i]
		if !rule.concernsCommand(c) {
			continue
		}
		e.runs[i]++
		// The dice are thrown also where another rule was first, so that one rule does not change what others do.
		hit := rule.number == e.runs[i]
		if rule.number == 0 {
			hit = e.dice.Float64() < rule.probability
		}
		if hit && chosen < 0 {
			chosen, number = i, e.runs[i]
		}
	}
	return chosen, number
}

// unanswered runs a command whose output nobody sees.
func (e *Engine) unanswered(ctx context.Context, c *process.Command, rule *Rule) (process.Status, error) {
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return process.Status{}, &process.StartError{Path: c.Path, Err: err.(unix.Errno)}
	}
	defer func() { _ = unix.Close(null) }()
	deaf := *c
	deaf.Files = append([]int(nil), c.Files...)
	for n := 1; n < min(3, len(deaf.Files)); n++ {
		deaf.Files[n] = null
	}
	if _, err := e.Runner.Run(ctx, &deaf); err != nil {
		return process.Status{}, err
	}
	return rule.status, nil
}

// errTime is why a command is cut off here.
var errTime = errors.New("its time has passed by a rule of --inject")

// cutOff runs a command for the time of the rule, unless it ends before: then nothing was
// injected, and nothing is told.
func (e *Engine) cutOff(ctx context.Context, c *process.Command, rule *Rule, tell func()) (process.Status, error) {
	limited, cancel := backoff.WithDeadline(ctx, e.Clock, e.Clock.Now()+rule.after, errTime)
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
	status, err := e.Runner.Run(limited, &cut)
	if errors.Is(err, errTime) {
		tell()
		rule.writeStderr(c)
		return rule.status, nil
	}
	return status, err
}
