package process

import (
	"context"
	"os"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// jobOf is the job that a command belongs to; nil: none.
func jobOf(c *world.Command) *Job {
	job, _ := c.Job.(*Job)
	return job
}

// run is a command under way. What changes is guarded by the Host's lock.
type run struct {
	cmd    *world.Command
	number uint64       // which of the Host's commands it is
	place  int          // in the guardian's table
	born   procfs.Ticks // just before it was forked
	pid    int
	pidfd  *os.File      // where it is waited for alone
	group  *cgroup.Group // that it was started in; nil: none of its own

	ended     bool // reaped, or given up
	abandoned bool // given up: it lives on
	status    world.Status
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
func (h *Host) Run(ctx context.Context, c *world.Command) (world.Status, error) {
	if ctx.Err() != nil {
		return world.Status{}, context.Cause(ctx)
	}
	r := &run{cmd: c, number: h.count.Add(1)}
	if c.Job != nil {
		if err := jobOf(c).enterProgram(ctx); err != nil {
			return world.Status{}, err
		}
		defer func() { jobOf(c).leaveProgram(r.pid) }()
	}
	if under := h.cfg.Under; under != nil {
		under(r.number, true)
		defer under(r.number, false)
	}
	if err := h.launchProgram(ctx, r); err != nil {
		return world.Status{}, err
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
