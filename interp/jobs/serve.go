package jobs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// A Worker does the work of jobs.
type Worker struct {
	System batch.System
	Clock  backoff.Clock
	// Perform runs programs. ctx is cancelled when the shell wants no more of them.
	Perform func(ctx context.Context, a *Assignment) Ending
	// Signal is the first signal that this process received; 0: none.
	Signal func() int
	// Run runs a process beside the programs.
	Run func(context.Context, *world.Command) (world.Status, error)
}

// Work runs the program of a job, or those that are handed to it as a pilot, and writes how that ended, last of all.
func (a *Assignment) Work(ctx context.Context, w Worker) (ending Ending, err error) {
	s, err := newSentry(w)
	if err == nil {
		defer s.close()
		a.guard(s)
		if !a.Pilot {
			ending = a.perform(ctx, w)
		} else {
			left, stop := a.askLeft(ctx, w)
			err = a.serve(ctx, w, left)
			stop()
		}
		s.release()
	}
	if err != nil {
		return a.Fail(err)
	}
	return ending, a.end(ending)
}

// Fail writes that the programs of a job cannot be run.
func (a *Assignment) Fail(why error) (Ending, error) {
	ending := failed(shortage, "", why.Error()).Ending
	return ending, a.end(ending)
}

// A stay is the time for which a job may run. The zero value: nobody has told a limit.
type stay struct{ whole, until time.Duration }

// askLeft asks the batch system beside how long the job may still run. stop ends that.
func (a *Assignment) askLeft(ctx context.Context, w Worker) (left func() stay, stop func()) {
	ctx, cancel := backoff.WithDeadline(ctx, w.Clock, w.Clock.Now()+requestLimit, errSlow)
	var told atomic.Pointer[stay]
	told.Store(&stay{})
	var asking sync.WaitGroup
	asking.Go(func() {
		if left, known := w.System.Left(ctx, a.mine.Number); known {
			told.Store(&stay{left, w.Clock.Now() + left})
		}
	})
	return func() stay { return *told.Load() }, func() {
		cancel()
		asking.Wait()
	}
}

// idleTime is the time that a pilot waits for a program before it ends.
const idleTime = time.Minute

// programs is the rhythm in which a pilot looks for the next program.
var programs = rhythm{firstPoll, 100 * time.Millisecond, 1.5}

// serve runs the programs that the shell hands over, until there has been none for a minute, the shell says so, ctx
// ends, or too little time is left: less than a tenth of what there was, or than the longest program took.
func (a *Assignment) serve(ctx context.Context, w Worker, left func() stay) error {
	var longest time.Duration
	for k := 1; ; k++ {
		next, there := a.next(ctx, w.Clock, k)
		if !there {
			return nil
		}
		start := w.Clock.Now()
		if err := a.carry(ctx, w, next); err != nil {
			return err
		}
		longest = max(longest, w.Clock.Now()-start)
		if s := left(); s.until != 0 && s.until-w.Clock.Now() < max(s.whole/10, longest) {
			return nil
		}
	}
}

// next waits for the k-th program.
func (a *Assignment) next(ctx context.Context, clock backoff.Clock, k int) (next nextProgram, there bool) {
	name := nextPrefix + strconv.Itoa(k)
	since := clock.Now()
	looked := since
	_ = programs.await(ctx, clock, func() (done bool) {
		now := clock.Now()
		pause := now - looked
		looked = now
		if there = a.ticket.readJSON(name, &next) == nil; there {
			return true
		}
		// Requests to a file server are spared while programs come quickly.
		return pause >= programs.longest && a.dismissed() || now-since > idleTime
	})
	return next, there
}

// carry runs a program, if it is still wanted.
func (a *Assignment) carry(ctx context.Context, w Worker, next nextProgram) error {
	b, err := begin(string(next.Folder), next.Generation, a.mine.Submission, a.ticket.name, w.System)
	if errors.Is(err, ErrNotMine) {
		return nil
	}
	if err != nil {
		return err
	}
	b.guard(a.sentry)
	return b.end(b.perform(ctx, w))
}

// perform runs the programs of an assignment. They are ended when the shell wants no more of them.
func (a *Assignment) perform(ctx context.Context, w Worker) Ending {
	inner, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		a.watch(inner, w.Clock, func() { cancel(errStopped) })
	}()
	for _, r := range a.outputs {
		r.failed = cancel // what the programs write cannot be kept
	}
	ending := w.Perform(inner, a)
	cancel(nil)
	<-watched
	return ending
}

// watch calls stop once the shell has marked the program to be ended. The runner of a job gets a signal besides, where
// the batch system can send one, so that it need not look often.
func (a *Assignment) watch(ctx context.Context, clock backoff.Clock, stop func()) {
	often := 2 * time.Second
	if a.mine.Pilot != "" {
		often = 200 * time.Millisecond
	}
	look := func() (marked bool) {
		a.takeSignals()
		_, err := a.ticket.read(stopName)
		return err == nil
	}
	pause := func(_, pause time.Duration) time.Duration { return pauseNear(a.Limit, time.Now(), pause) }
	if backoff.Sleep(ctx, clock, clock.Now()+pause(0, often)) == nil &&
		(rhythm{often, often, 1}).awaitAtRate(ctx, clock, look, pause) == nil {
		stop()
	}
}

// takeSignals sends this process what the shell has for the programs; they get it as if the batch system had sent it.
func (a *Assignment) takeSignals() {
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2} {
		if a.signals && os.Remove(a.ticket.join(signalName(sig))) == nil {
			_ = syscall.Kill(os.Getpid(), sig)
		}
	}
}

// pauseNear is when to look next whether a job was marked: as usual, but often when a time limit of the script passes,
// so that it ends on time though the batch system may not hand on signals. The clocks of machines differ a little.
func pauseNear(limit, now time.Time, usual time.Duration) time.Duration {
	const often, around = 50 * time.Millisecond, 3 * time.Second
	switch to := limit.Sub(now); {
	case limit.IsZero() || to < -around:
		return usual
	case to > 0:
		return min(usual, to+often)
	}
	return often
}

// dismissed reports whether the shell needs the pilot no more.
func (a *Assignment) dismissed() bool {
	_, end := a.ticket.read(endName)
	_, err := a.ticket.read("job")
	return end == nil || errors.Is(err, fs.ErrNotExist)
}

// errStopped is why a program is ended.
var errStopped = errors.New("the shell wants no more of it")
