package process

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/procfs"
)

// Command is a program to be run.
type Command struct {
	Path  string    // as from Find; relative to Dir
	Args  []string  // beginning with its name
	Env   []string  // FTSH_COMMAND is added
	Dir   Directory // that it runs in
	Files []int     // its descriptor n is our descriptor Files[n]; -1 is closed

	// Until is when a limit cuts it off, by Config.Clock; 0: never. If the shell is stopped then, the guardian ends it.
	Until time.Duration
	// Patience is asked once, when the context is cancelled: how long from now
	// until SIGKILL. Nil means Config.KillTimeout.
	Patience func(cause error) time.Duration
	// Kill, once closed, has everything killed at once that is being ended.
	Kill <-chan struct{}
	// Job is whose process group it is in; nil: the shell's own.
	Job *Job
	// Started is called once its program runs, which has its own copies of Files by then; may be nil.
	Started func()
	// ID is of the execution in the script that runs it, as events have it; 0: it is not known.
	ID uint64
}

// Status tells how a program ended.
type Status struct {
	Code   int         // its exit status, if Signal is 0
	Signal unix.Signal // what it died of
	Core   bool        // it dumped core
}

// Success reports whether it exited with status 0.
func (s Status) Success() bool { return s == Status{} }

// run is a command under way. What changes is guarded by the Host's lock.
type run struct {
	cmd    *Command
	number uint64       // which of the Host's commands it is
	place  int          // in the guardian's table
	born   procfs.Ticks // just before it was forked
	pid    int
	pidfd  *os.File      // where it is waited for alone
	group  *cgroup.Group // that it was started in; nil: none of its own

	ended     bool // reaped, or given up
	abandoned bool // given up: it lives on
	status    Status
	died      procfs.Ticks  // when it was reaped, where orphans do not come to us
	told      chan struct{} // while it is waited for by another goroutine than the leader: closed for it to look again

	target    *target       // what is left of it, once that has to go
	cut       bool          // cancelled before it had ended
	cancelled chan struct{} // closed when its cancelling is over
}

// Run runs a command and returns how it ended, when it and whatever has to go
// with it is gone: nothing but the program itself if it succeeded, everything
// that it has left behind if it failed, and its whole tree if the context was
// cancelled before it ended. The error then is context.Cause(ctx); if it
// could not be started, a *StartError. A process that the kernel does not let
// us signal is not waited for, nor what survives SIGKILL in weak mode.
func (h *Host) Run(ctx context.Context, c *Command) (Status, error) {
	if ctx.Err() != nil {
		return Status{}, context.Cause(ctx)
	}
	r := &run{cmd: c, number: h.count.Add(1)}
	if c.Job != nil {
		if err := c.Job.enterProgram(ctx); err != nil {
			return Status{}, err
		}
		defer func() { c.Job.leaveProgram(r.pid) }()
	}
	if under := h.cfg.Under; under != nil {
		under(r.number, true)
		defer under(r.number, false)
	}
	if err := h.launchProgram(ctx, r); err != nil {
		return Status{}, err
	}
	defer h.guardian.Leave(r.place)
	if r.group != nil {
		defer h.groups.Give(r.group) // while the guardian still knows of it
	}
	if ctx.Done() == nil {
		h.finishCommand(r)
		return r.status, nil
	}
	r.cancelled = make(chan struct{})
	stop := context.AfterFunc(ctx, func() { h.cancelCommand(r, context.Cause(ctx)) })
	h.finishCommand(r)
	if !stop() {
		<-r.cancelled
	}
	if r.cut {
		return r.status, context.Cause(ctx)
	}
	return r.status, nil
}

// finishCommand waits for the program to end, and ends what one that failed has left.
func (h *Host) finishCommand(r *run) {
	h.awaitCommand(r)
	if r.cancelled != nil && h.guardian.HasEnded(r.place) {
		<-r.cancelled // its limit has passed
	}
	if !r.abandoned {
		h.cfg.Observe(Notice{Happening: Ended, PID: r.pid, Command: r.cmd.Path, Status: r.status})
	}
	switch {
	case h.reapAll(): // nobody is left
	case r.status.Success():
		h.keepOrphans()
	default:
		h.mu.Lock()
		t := h.addTarget(r, h.cfg.KillTimeout)
		h.mu.Unlock()
		h.endTarget(t)
	}
}
