package process

import (
	"context"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Command is a program to be run.
type Command struct {
	Path  string   // as from Find; relative to Dir
	Args  []string // beginning with its name
	Env   []string // FTSH_COMMAND is added
	Dir   string   // "" is this process's own
	Files []int    // its descriptor n is our descriptor Files[n]; -1 is closed

	// Patience is asked once, when the context is cancelled: how long from now
	// until SIGKILL. Nil means Config.KillTimeout.
	Patience func(cause error) time.Duration
	// Kill, once closed, has everything killed at once that is being ended.
	Kill <-chan struct{}
}

// Status is how a program ended.
type Status struct {
	Code   int            // its exit status, if Signal is 0
	Signal syscall.Signal // what it died of
	Core   bool           // it dumped core
}

// Success tells that it exited with status 0.
func (s Status) Success() bool { return s == Status{} }

// run is a command under way.
type run struct {
	cmd       *Command
	number    uint64 // which of the Host's commands it is
	pid       int
	following bool
	ended     bool // reaped; status holds
	status    Status
	told      chan struct{} // tells who waits for it to look again; made when needed

	quarry *quarry       // what is left of it, once that has to go
	cut    bool          // cancelled before it ended
	quiet  chan struct{} // closed when its cancelling is over
	once   sync.Once
}

// Run runs a command and returns how it ended, when it and whatever has to go
// with it is gone: nothing but the program itself if it succeeded, everything
// that it has left behind if it failed, and its whole tree if the context was
// cancelled. The error then is context.Cause(ctx); if it could not be
// started, a *StartError.
func (h *Host) Run(ctx context.Context, c *Command) (Status, error) {
	if ctx.Err() != nil {
		return Status{}, context.Cause(ctx)
	}
	r := &run{cmd: c, number: h.count.Add(1)}
	if err := h.start(r); err != nil {
		return Status{}, err
	}
	if ctx.Done() == nil {
		h.finish(r)
		return r.status, nil
	}
	r.quiet = make(chan struct{})
	stop := context.AfterFunc(ctx, func() { h.cancel(r, context.Cause(ctx)) })
	h.finish(r)
	if !stop() {
		<-r.quiet
	}
	if r.cut {
		return r.status, context.Cause(ctx)
	}
	return r.status, nil
}

// start starts the program and enters it among those running.
func (h *Host) start(r *run) error {
	env := h.environment(r.cmd, h.prefix+strconv.FormatUint(r.number, 36))
	h.forking.RLock()
	defer h.forking.RUnlock()
	pid, err := h.launch(r.cmd, env)
	if err != nil {
		return err
	}
	r.pid = pid
	h.mu.Lock()
	h.running[pid] = r
	h.mu.Unlock()
	h.observe(Notice{Happening: Started, PID: pid, Command: r.cmd.Path})
	return nil
}

// finish waits for the program to end, and ends what one that failed has left.
func (h *Host) finish(r *run) {
	h.await(r)
	h.observe(Notice{Happening: Ended, PID: r.pid, Command: r.cmd.Path, Status: r.status})
	if !r.status.Success() {
		h.clear(r)
	}
}
