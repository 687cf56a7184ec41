package interp

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/interp/output"
	"ftsh/interp/process"
)

// Conductor runs scripts in a time that is not the machine's. What a script does
// at the same time then runs one after the other: something runs until it ends
// or calls Until. Nothing of this is safe for concurrent use, nor has to be.
type Conductor interface {
	// Go runs f beside what runs now. f has not begun when Go returns.
	Go(f func())
	// Attempt makes an attempt of a try. What that needs, such as a stack, is not kept until the next one.
	Attempt(ctx context.Context, number int, attempt attempt) backoff.Outcome
	// Until lets the rest go on, and returns when ready says so or the clock has
	// reached at ([backoff.Never]: no time). ready must not change anything.
	Until(at time.Duration, ready func() bool)
	// Step is told of each statement, and each turn of a loop, before it begins: what never calls
	// Until would run for ever, and can be stopped here by cancelling the script's context.
	Step(pos ast.Pos)
}

// waitUntil waits for what somebody else does, where a Conductor decides who does
// something. What then waits for the same does not block any more.
func (r *Runner) waitUntil(at time.Duration, ready func() bool) {
	if r.Conductor != nil {
		r.Conductor.Until(at, ready)
	}
}

// wallClock is the date and time: where a Conductor decides about time, that since the
// beginning of 1970.
func (r *Runner) wallClock() time.Time {
	if r.Conductor != nil {
		return time.Unix(0, int64(r.clock.Now()))
	}
	return time.Now()
}

// stepSimulation announces a statement or a turn of a loop.
func (r *Runner) stepSimulation(pos ast.Pos) {
	if r.Conductor != nil {
		r.Conductor.Step(pos)
	}
}

// spawnBranch runs something on a goroutine of its own, or as a Conductor does.
func (r *Runner) spawnBranch(run func()) {
	if r.Conductor != nil {
		r.Conductor.Go(run)
		return
	}
	go run()
}

// attempt makes the attempt of a try with that number. The context is the one outside of the try.
type attempt = func(ctx context.Context, number int) backoff.Outcome

// conducted has a Conductor make the attempts: a try that waits for the next one holds little then.
func (r *Runner) conducted(make attempt) attempt {
	if r.Conductor == nil {
		return make
	}
	return func(ctx context.Context, number int) backoff.Outcome { return r.Conductor.Attempt(ctx, number, make) }
}

// company counts what runs beside a statement, which waits for all of it.
type company struct {
	wg    sync.WaitGroup
	under int // what has not ended; counted where there is a Conductor
}

func (c *company) start(r *Runner, run func()) {
	switch {
	case r.durable.IsDry(): // nothing waits in it
		run()
	case r.Conductor == nil:
		c.wg.Go(run)
	default:
		c.under++
		r.Conductor.Go(func() {
			run()
			c.under--
		})
	}
}

func (c *company) wait(r *Runner) {
	r.waitUntil(backoff.Never, func() bool { return c.under == 0 })
	c.wg.Wait()
}

// simulatedFile redirects to or from a stream instead of a file.
func (r *redirection) simulatedFile(n *ast.Redirect, name string) error {
	stream, err := r.frame.run.Streams.Open(name, n.Op != ast.In)
	if err == nil && (n.Op == ast.Both || n.Op == ast.AppendBoth) {
		r.frame.files[2] = stream
	}
	usual := 1
	if n.Op == ast.In {
		usual = 0
	}
	return r.connect(stream, err, fdOr(n, usual))
}

// simulatedKey is a key that the script's dice decide, so that it can be repeated.
func simulatedKey(dice *rand.Rand) string {
	return "ftsh-" + strconv.FormatUint(dice.Uint64(), 36) + strconv.FormatUint(dice.Uint64(), 36)
}

// simulatedContents returns the text of a file in a simulation; - is standard input.
func (f *frame) simulatedContents(name string) (string, error) {
	streams := f.run.Streams
	if name == "-" {
		return streams.Read(f.files[0]), nil
	}
	stream, err := streams.Open(name, false)
	if err != nil {
		return "", err
	}
	defer streams.Close(stream)
	return streams.Read(stream), nil
}

// overheard runs a command whose standard error is wanted, in a simulation.
func (f *frame) overheard(ctx context.Context, c *process.Command) *Failure {
	streams := f.run.Streams
	heard := streams.New("")
	defer streams.Close(heard)
	c.Files = slices.Clone(c.Files)
	for n := range c.Files {
		if c.Files[n] == f.stderr {
			c.Files[n] = heard
		}
	}
	failure := f.awaitProgram(ctx, c)
	if text := streams.Read(heard); failure != nil {
		streams.Write(f.stderr, text)
		failure.Stderr = output.StderrText(text, false)
	}
	return failure
}
