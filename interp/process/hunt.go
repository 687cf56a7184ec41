package process

import "time"

// quarry is what is left of a command that has to go.
type quarry struct {
	run     *run
	killAt  time.Duration // by the clock: SIGKILL from then on
	left    int           // how many of its processes we know to be alive
	changed int           // the last round that does not prove that nothing is left
	giveUp  time.Duration // when weak mode gives up what is left; 0: nothing was killed yet
	over    chan struct{} // closed when all are gone
	done    bool          // it is closed
}

// hunt is the state of what is being ended, under the Host's lock.
type hunt struct {
	quarries map[uint64]*quarry // by the number of the command
	prey     map[int]*prey      // by process id
	round    int
	left     int // how many of all we know to be alive
	doubts   doubts
}

// reaped forgets a process that is gone.
func (u *hunt) reaped(h *Host, pid int) {
	p := u.prey[pid]
	if p == nil {
		return
	}
	delete(u.prey, pid)
	if p.counted {
		p.quarry.left--
		u.left--
	}
	if u.left == 0 {
		h.nudge()
	}
}

// nudge wakes the hunter.
func (h *Host) nudge() {
	select {
	case h.stir <- struct{}{}:
	default:
	}
}

// cancel ends a whole command.
func (h *Host) cancel(r *run, cause error) {
	defer close(r.quiet)
	patience := h.cfg.KillTimeout
	if r.cmd.Patience != nil {
		patience = r.cmd.Patience(cause)
	}
	h.mu.Lock()
	r.cut = !r.ended
	if r.ended && r.status.Success() {
		h.mu.Unlock()
		return // it was quicker, and what it left may stay
	}
	if r.cmd.Job != nil {
		r.cmd.Job.release()
	}
	q := h.pursue(r, patience)
	h.mu.Unlock()
	h.end(q)
}

// clear ends what a command that has failed has left behind.
func (h *Host) clear(r *run) {
	h.mu.Lock()
	q := h.pursue(r, h.cfg.KillTimeout)
	h.mu.Unlock()
	h.end(q)
}

// pursue enters a command among those to be ended, or shortens the time that is
// left to it. With the lock held.
func (h *Host) pursue(r *run, patience time.Duration) *quarry {
	killAt := h.cfg.Clock.Now() + max(0, patience)
	q := r.quarry
	if q == nil {
		// A round that is under way has not looked for it, and proves nothing.
		q = &quarry{run: r, killAt: killAt, over: make(chan struct{}), changed: h.hunt.round}
		r.quarry = q
		if h.hunt.quarries == nil {
			h.hunt.quarries, h.hunt.prey = make(map[uint64]*quarry), make(map[int]*prey)
		}
		h.hunt.quarries[r.number] = q
	}
	q.killAt = min(q.killAt, killAt)
	h.nudge()
	return q
}

// end returns when a quarry is gone. One of those who call it hunts for all.
func (h *Host) end(q *quarry) {
	kill := q.run.cmd.Kill
	for {
		select {
		case <-q.over:
			return
		case <-kill:
			h.hurry(q)
			kill = nil
		case h.baton <- struct{}{}:
			h.chase(q, kill)
			<-h.baton
			return
		}
	}
}

// hurry has a quarry killed at once.
func (h *Host) hurry(q *quarry) {
	h.mu.Lock()
	q.killAt = 0
	h.mu.Unlock()
	h.nudge()
}

// The pauses between rounds: each is half as long again as the one before. What
// has been signalled usually ends within the first, and until a millisecond just
// the thread sleeps. A longer one ends as soon as all that we know of is reaped.
const (
	firstPause = 100 * time.Microsecond
	finePause  = time.Millisecond
	lastPause  = 20 * time.Millisecond
)

// chase hunts all quarries until the one is gone.
func (h *Host) chase(q *quarry, kill <-chan struct{}) {
	pause := firstPause
	for !q.done {
		began := sinceBoot()
		h.reapAll()
		next, news := h.goRound()
		cost := sinceBoot() - began
		if q.done {
			return
		}
		if news {
			pause = firstPause
		}
		// A look at many that are dying only keeps them from it.
		if pause = max(pause, cost/2); pause < finePause {
			nap(pause)
		} else if h.rest(min(pause, next), kill) {
			kill = nil
			h.hurry(q)
		}
		pause = min(pause+pause/2, max(lastPause, 8*cost))
	}
}

// rest waits for something to happen, at most so long; true if kill was closed.
func (h *Host) rest(d time.Duration, kill <-chan struct{}) bool {
	timer := h.real.AfterFunc(h.real.Now()+d, h.nudge)
	defer timer.Stop()
	select {
	case <-h.stir:
	case <-kill:
		return true
	}
	return false
}
