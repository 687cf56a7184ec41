package process

import (
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// stuckAfter is the time that a program may take to start before it is looked whether a key
// has stopped it; most take less than a millisecond.
const stuckAfter = 20 * time.Millisecond

// watchStarting sees to it, until done is called, that what is being started for a job does
// start. Ctrl-Z reaches a child from the moment it exists, when it is still in the
// shell's group, or in that of the job and has not executed its program yet:
// it stops there, where nobody can know of it, and the shell waits for it to go on.
// That key is lost; the next stops the program.
func (h *Host) watchStarting() (done func()) {
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(stuckAfter)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				h.goOn(waitStop(unix.P_ALL, 0, unix.WNOWAIT))
			}
		}
	})
	return func() {
		close(over)
		watching.Wait()
	}
}

// Unstick continues what a stop of the whole process group, as by SIGTTIN, has reached before it executed its program,
// and reports whether something is still being started: then it is to be called again. It takes the news of all
// children that have stopped, and leaves them to watchStarting where there are jobs.
func (h *Host) Unstick() (starting bool) {
	h.mu.Lock()
	starting = h.forks.under > 0 && h.jobs == 0
	h.mu.Unlock()
	for starting {
		pid := waitStop(unix.P_ALL, 0, 0)
		if pid == 0 {
			break
		}
		h.goOn(pid)
	}
	return starting
}

// HasStopped reports whether the own process of a command is stopped.
func (h *Host) HasStopped() bool {
	h.mu.Lock()
	running := slices.Collect(maps.Keys(h.running))
	h.mu.Unlock()
	return slices.ContainsFunc(running, func(pid int) bool {
		var s procfs.Stat
		return readStat(pid, &s) && s.State == 'T'
	})
}

// goOn continues a child that was stopped before anybody knew its id.
func (h *Host) goOn(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if pid != 0 && h.isStarting(pid) {
		waitStop(unix.P_PID, pid, 0)
		_ = unix.Kill(pid, unix.SIGCONT)
	}
}

// isStarting reports whether a child is one of those being started. With the lock held.
func (h *Host) isStarting(pid int) bool {
	return h.running[pid] == nil && h.relays[pid] == nil && h.forks.under > 0 && runsOurProgram(pid)
}

// runsOurProgram reports whether a process executes the shell's own program: a copy of
// it that has not executed another yet, or a relay.
func runsOurProgram(pid int) bool {
	p, err := procfs.Open(pid)
	if err != nil {
		return false
	}
	defer p.Close()
	return p.RunsOurProgram()
}

// waitStop finds a child that has stopped, 0 if there is none. The news of it is taken
// by that, but for WNOWAIT.
func waitStop(what, id, flags int) int {
	var info unix.Siginfo
	for {
		err := unix.Waitid(what, id, &info, unix.WSTOPPED|unix.WNOHANG|flags, nil)
		if err == nil {
			return pidIn(&info)
		}
		if err != unix.EINTR {
			return 0
		}
	}
}
