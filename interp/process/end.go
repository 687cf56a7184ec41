package process

import (
	"time"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
)

// target holds the processes of a command that have to go.
type target struct {
	run     *run
	killAt  time.Duration // by the clock: SIGKILL from then on
	left    int           // how many of its processes we know to be alive
	asked   bool          // its processes have been asked to end, by the guardian
	changed int           // the last sweep that does not prove that nothing is left
	giveUp  time.Duration // when weak mode gives up what is left; 0: nothing was killed yet
	over    chan struct{} // closed when all are gone
	done    bool          // it is closed

	emptySince time.Duration // nothing of it is known, by the clock; 0: something is
}

// ending is the state of what is being ended, under the Host's lock.
type ending struct {
	targets map[uint64]*target // by the number of the command
	members map[int]*member    // by process id
	sweeps  int                // how many were begun
	left    int                // how many of all we know to be alive

	named     map[int]procfs.Ticks // orphans that were told of as unowned: when they were started
	saidBlind bool                 // that there is no /proc
}

// forgetMember takes a process that is gone from those to be ended. With the lock held.
func (h *Host) forgetMember(pid int) {
	m := h.ending.members[pid]
	if m == nil {
		return
	}
	delete(h.ending.members, pid)
	m.target.changed = h.ending.sweeps // what it forked last may be in no list of a sweep that has seen it alive
	if m.counted {
		m.target.left--
		h.ending.left--
	}
	if h.ending.left == 0 {
		h.wakeSweeper()
	}
}

// wakeSweeper has whoever sweeps look again.
func (h *Host) wakeSweeper() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// cancelCommand ends a whole command, unless its own process has ended by now: then it has its own outcome, and only
// what one that failed has left is ended. Where the guardian has ended it, it is cut off.
func (h *Host) cancelCommand(r *run, cause error) {
	defer close(r.cancelled)
	patience := h.cfg.KillTimeout
	if r.cmd.Patience != nil {
		patience = r.cmd.Patience(cause)
	}
	h.table.Lock() // so that it is not reaped while it is looked at
	h.mu.Lock()
	end := r.readEnd()
	h.mu.Unlock()
	h.table.Unlock()
	byGuardian := h.guardian.HasEnded(r.place)
	if r.cut = byGuardian || end == underWay; !r.cut && end == hasSucceeded {
		return // it was quicker, and what it left may stay
	}
	h.mu.Lock()
	if r.cmd.Job != nil {
		jobOf(r.cmd).resumePrograms()
	}
	t := h.addTarget(r, patience)
	t.asked = byGuardian
	h.mu.Unlock()
	h.endTarget(t)
}

// addTarget enters a command among those to be ended, or shortens the time that is
// left to it. With the lock held.
func (h *Host) addTarget(r *run, patience time.Duration) *target {
	killAt := h.cfg.Clock.Now() + max(0, patience)
	t := r.target
	if t == nil {
		// A sweep that is under way has not looked for it, and proves nothing.
		t = &target{run: r, killAt: killAt, over: make(chan struct{}), changed: h.ending.sweeps}
		r.target = t
		if h.ending.targets == nil {
			h.ending.targets, h.ending.members = make(map[uint64]*target), make(map[int]*member)
			h.ending.named = make(map[int]procfs.Ticks)
		}
		h.ending.targets[r.number] = t
	}
	t.killAt = min(t.killAt, killAt)
	h.wakeSweeper()
	return t
}

// endTarget returns when a target is gone. One of its callers sweeps for all.
func (h *Host) endTarget(t *target) {
	kill := t.run.cmd.Kill
	for {
		select {
		case <-t.over:
			return
		case <-kill:
			h.killNow(t)
			kill = nil
		case h.sweeping <- struct{}{}:
			h.sweepUntilGone(t, kill)
			<-h.sweeping
			return
		}
	}
}

// killNow has a target killed at once.
func (h *Host) killNow(t *target) {
	h.mu.Lock()
	t.killAt = 0
	h.mu.Unlock()
	h.wakeSweeper()
}

// The pauses between sweeps: each is half as long again as the one before. What
// has been signalled usually ends within the first, and until a millisecond just
// the thread sleeps. A longer one ends as soon as all that we know of is reaped.
const (
	firstPause = 100 * time.Microsecond
	finePause  = time.Millisecond
	lastPause  = 20 * time.Millisecond
)

// sweepUntilGone sweeps for all targets until the one is gone.
func (h *Host) sweepUntilGone(t *target, kill <-chan struct{}) {
	pause := firstPause
	for !t.done {
		began := clock.SinceBoot()
		h.reapAll()
		next, news := h.sweepOnce()
		cost := clock.SinceBoot() - began
		if t.done {
			return
		}
		if news {
			pause = firstPause
		}
		// A look at many that are dying only keeps them from it.
		if pause = max(pause, cost/2); pause < finePause {
			clock.Nap(pause)
		} else if h.pauseSweep(min(pause, next), kill) {
			kill = nil
			h.killNow(t)
		}
		pause = min(pause+pause/2, max(lastPause, 8*cost))
	}
}

// pauseSweep waits for something to happen, at most so long; true if kill was closed.
func (h *Host) pauseSweep(d time.Duration, kill <-chan struct{}) bool {
	timer := h.real.AfterFunc(h.real.Now()+d, h.wakeSweeper)
	defer timer.Stop()
	select {
	case <-h.woken:
	case <-kill:
		return true
	}
	return false
}
