package jobs

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// PilotConfig holds what a pilot needs in the job.
type PilotConfig struct {
	System batch.System
	Clock  backoff.Clock
	// Left is the time that the job may still run, as the batch system has it; backoff.Never: for ever.
	Left time.Duration
	// Perform runs a program. ctx is cancelled when the shell wants no more of it.
	Perform func(ctx context.Context, a *Assignment) Ending
	Sentry  *Sentry // nil: nobody ends the pilot
}

// idleTime is the time that a pilot waits for a program before it ends.
const idleTime = time.Minute

// longestPoll is the longest time between two looks for the next program.
const longestPoll = 100 * time.Millisecond

// Serve runs the programs that the shell hands over, until there has been none for a minute, the shell says so, ctx
// ends, or too little time is left: less than a tenth of what there was, or than the longest program took.
func (a *Assignment) Serve(ctx context.Context, c PilotConfig) error {
	var longest time.Duration
	began := c.Clock.Now()
	for k := 1; ; k++ {
		next, there := a.next(ctx, c.Clock, k)
		if !there {
			return nil
		}
		start := c.Clock.Now()
		if err := a.carry(ctx, c, next); err != nil {
			return err
		}
		longest = max(longest, c.Clock.Now()-start)
		if c.Left != backoff.Never && began+c.Left-c.Clock.Now() < max(c.Left/10, longest) {
			return nil
		}
	}
}

// next waits for the k-th program.
func (a *Assignment) next(ctx context.Context, clock backoff.Clock, k int) (next nextProgram, there bool) {
	name := nextPrefix + strconv.Itoa(k)
	since := clock.Now()
	for pause := firstPoll; ; pause = min(pause*3/2, longestPoll) {
		if a.ticket.readJSON(name, &next) == nil {
			return next, true
		}
		// Requests to a file server are spared while programs come quickly.
		if pause == longestPoll && a.dismissed() || clock.Now()-since > idleTime {
			return next, false
		}
		if backoff.Sleep(ctx, clock, clock.Now()+pause) != nil {
			return next, false
		}
	}
}

// carry runs a program, if it is still wanted.
func (a *Assignment) carry(ctx context.Context, c PilotConfig, next nextProgram) error {
	b, err := begin(string(next.Folder), next.Generation, a.submission, a.ticket.name, c.System)
	if errors.Is(err, ErrNotMine) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.Sentry != nil {
		b.Guard(c.Sentry)
	}
	return b.Carry(ctx, c.Clock, c.Perform, func() {})
}

// Carry runs the programs of an assignment, and writes how they ended, last of all: after ended was called. They are
// ended when the shell wants no more of them.
func (a *Assignment) Carry(ctx context.Context, clock backoff.Clock, perform func(context.Context, *Assignment) Ending,
	ended func()) error {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watch(inner, clock, func() { cancel(errStopped) })
	}()
	a.onLoss(func(err error) { cancel(err) })
	ending := perform(inner, a)
	cancel(nil)
	<-watched
	ended()
	return a.End(ending)
}

// watch sees whether the shell wants no more of a program. The runner of a job is sent a signal besides, where the
// batch system can do that, and has time.
func (a *Assignment) watch(ctx context.Context, clock backoff.Clock, stop func()) {
	often := 2 * time.Second
	if a.by != "" {
		often = 200 * time.Millisecond
	}
	for backoff.Sleep(ctx, clock, clock.Now()+often) == nil {
		if _, err := a.ticket.read(stopName); err == nil {
			stop()
			return
		}
	}
}

// dismissed reports whether the shell needs the pilot no more.
func (a *Assignment) dismissed() bool {
	_, end := a.ticket.read(endName)
	_, err := a.ticket.read("job")
	return end == nil || errors.Is(err, fs.ErrNotExist)
}

// halted is why a program of a pilot is ended.
type halted struct{}

func (halted) Error() string { return "the shell wants no more of it" }

var errStopped = halted{}
