package process

import (
	"context"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// Job is the process group of the programs that one statement of a prompt
// runs. While one of them is under way the terminal is theirs: keys such as Ctrl-C
// and Ctrl-Z reach them and not the shell. In between it is the shell's.
//
// The kernel does not tell the shell of such keys. So the group has one more
// member, the relay: a process of the shell's own program that does nothing
// but tell of the signals it gets. It also keeps the group in being
// between two programs. (As the first member of a session the shell could not
// be in the group itself.)
//
// Its methods are safe for concurrent use.
type Job struct {
	host     *Host
	terminal int
	own      int // the shell's process group
	signals  chan unix.Signal
	starting chan struct{} // full while somebody starts a relay

	// What follows is guarded by the Host's lock.
	group      int      // 0: there is none yet
	relay      int      // a process id, or 0
	line       *os.File // to the relay, which ends when it is closed
	programs   int      // under way, or about to be
	stops      map[int]bool
	stopped    bool
	resumed    chan struct{} // closed when it goes on
	foreground bool
	closed     bool
	listeners  sync.WaitGroup
}

// NewJob makes the process group for a statement, on the terminal that is the
// shell's own. The Host's process must be the shell's (Config.Whole).
func (h *Host) NewJob(terminal int) *Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.jobs++
	return &Job{
		host: h, terminal: terminal, own: unix.Getpgrp(), foreground: true, stops: make(map[int]bool),
		signals: make(chan unix.Signal, 16), starting: make(chan struct{}, 1),
	}
}

// Signals tells what has happened: SIGINT or SIGQUIT came from the terminal,
// and the programs have had it; SIGTSTP: all programs are stopped, and the
// terminal is the shell's.
func (j *Job) Signals() <-chan unix.Signal { return j.signals }

// enterProgram is called before a program of the job is started. It waits while the job
// is stopped.
func (j *Job) enterProgram(ctx context.Context) error {
	h := j.host
	h.mu.Lock()
	for j.stopped {
		resumed := j.resumed
		h.mu.Unlock()
		select {
		case <-resumed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		h.mu.Lock()
	}
	j.programs++
	h.mu.Unlock()
	j.Watch()
	return nil
}

// leaveProgram is called when a program of the job has ended, or could not be started.
func (j *Job) leaveProgram(pid int) {
	h := j.host
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(j.stops, pid)
	j.programs--
	if j.programs == 0 && j.foreground {
		SetForeground(j.terminal, j.own)
	}
}

// Watch sees to it that there is a relay while programs are under way, and
// that the terminal is theirs.
func (j *Job) Watch() {
	j.starting <- struct{}{}
	defer func() { <-j.starting }()
	h := j.host
	h.mu.Lock()
	need := j.relay == 0 && j.programs > 0 && !j.closed
	h.mu.Unlock()
	if need {
		j.startRelay()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if j.foreground && j.programs > 0 && j.group != 0 {
		SetForeground(j.terminal, j.group)
	}
}

// setGroup says in which group a program is to be started.
func (j *Job) setGroup(sys *syscall.SysProcAttr) {
	j.host.mu.Lock()
	defer j.host.mu.Unlock()
	if j.group != 0 {
		sys.Setpgid, sys.Pgid = true, j.group
	}
}

// noteGroupGone notes that the group was found to be gone, with its last member.
func (j *Job) noteGroupGone() {
	j.host.mu.Lock()
	j.group = 0
	j.host.mu.Unlock()
	j.Watch()
}

func (j *Job) tellSignal(sig unix.Signal) {
	select {
	case j.signals <- sig:
	default:
	}
}

// noteStop takes in that a child has stopped, if it has. Only the goroutine that leads may call it.
func (h *Host) noteStop(pid int) bool {
	if waitStop(unix.P_PID, pid, 0) == 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.relays[pid] != nil {
		unix.Kill(pid, unix.SIGCONT) // it is to go on
		return true
	}
	if h.isStarting(pid) {
		unix.Kill(pid, unix.SIGCONT) // see watchStarting
		return true
	}
	if r := h.running[pid]; r != nil {
		r.takeStop()
	} else {
		h.forks.keepStop(pid)
	}
	return true
}

// takeStop takes in that a program has stopped. With the Host's lock held.
func (r *run) takeStop() {
	j := jobOf(r.cmd)
	if j == nil {
		return
	}
	j.stops[r.pid] = true
	if len(j.stops) == j.programs && !j.stopped {
		j.stopped, j.resumed = true, make(chan struct{})
		if j.foreground {
			SetForeground(j.terminal, j.own)
		}
		j.foreground = false
		j.tellSignal(unix.SIGTSTP)
	}
}

// Continue gives the terminal to a job that is stopped, and lets it go on.
func (j *Job) Continue() {
	h := j.host
	h.mu.Lock()
	j.resumePrograms()
	j.foreground = true
	h.mu.Unlock()
	j.Watch()
	h.mu.Lock()
	defer h.mu.Unlock()
	if j.group != 0 && j.programs > 0 {
		unix.Kill(-j.group, unix.SIGCONT)
	}
}

// resumePrograms lets a job go on that is stopped, or is being ended. With the lock held.
func (j *Job) resumePrograms() {
	if j.stopped {
		j.stopped = false
		clear(j.stops)
		close(j.resumed)
	}
}

// Handles reports whether a program of the job that is under way has a handler for
// a signal: then it may not mean the end of it.
func (j *Job) Handles(sig unix.Signal) bool {
	h := j.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for pid, r := range h.running {
		if jobOf(r.cmd) != j {
			continue
		}
		if p, err := procfs.Open(pid); err == nil {
			defer p.Close()
			if p.Handles(sig) {
				return true
			}
		}
	}
	return h.forks.under > 0 && j.startedHandles(sig)
}

// startedHandles asks those programs of the job that are not entered yet: one may have come as far as its prompt before
// the shell knows that it has started. What a command before has left is older. With the Host's lock held.
func (j *Job) startedHandles(sig unix.Signal) bool {
	h := j.host
	handles, _ := procfs.Any(func(pid int, p procfs.Process) bool {
		if group, err := unix.Getpgid(pid); err != nil || group != j.group || h.running[pid] != nil || !p.Handles(sig) {
			return false
		}
		var s procfs.Stat
		marker, _, _ := p.Marker(markerName, nil)
		return p.Stat(&s) == nil && s.Parent == h.self && s.Start >= h.forks.since &&
			string(marker) != nobody // which is a relay's
	})
	return handles
}

// Close ends the job. No program of it may be under way.
func (j *Job) Close() {
	h := j.host
	h.table.Lock() // so that the relay is not reaped, and its id another's
	h.mu.Lock()
	if !j.closed {
		j.closed = true
		h.jobs--
	}
	relay := j.relay
	h.mu.Unlock()
	if relay != 0 {
		unix.Kill(relay, unix.SIGKILL)
	}
	h.table.Unlock()
	if relay != 0 {
		peekChild(unix.P_PID, relay, 0)
		h.reapAll() // or the one that leads has done it, or will
	}
	j.listeners.Wait()
}

// SetForeground gives a terminal to a process group. A process that is not in
// the foreground itself may do that only with SIGTTOU blocked.
func SetForeground(terminal, group int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, before unix.Sigset_t
	block.Val[0] = 1 << (uint(unix.SIGTTOU) - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &block, &before) != nil {
		return
	}
	unix.IoctlSetPointerInt(terminal, unix.TIOCSPGRP, group)
	unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
}
