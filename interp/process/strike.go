package process

import (
	"slices"
	"syscall"
	"time"
)

// prey is a process of a quarry. Only who hunts changes it, and looks at it
// without the lock.
type prey struct {
	quarry   *quarry
	start    ticks
	round    int           // when it was last seen
	asked    bool          // SIGTERM was sent
	image    uint64        // to this program of it
	children []int         // that it had then
	spared   bool          // it cleans up for one that was asked
	killed   time.Duration // when SIGKILL was sent first; 0: not yet
	foreign  bool          // it may not be signalled
	ended    time.Duration // when it was first seen as ended and not reaped; 0: not yet
	dead     bool          // that is not waited for, as another has to reap it
	reported bool          // as a survivor
	counted  bool          // among those that are left
}

// askedNow tells whether this program of a process has been asked to end.
func (p *prey) askedNow(image uint64) bool { return p.asked && p.image == image }

// cleansUp tells whether a child works for a process that has been asked to end,
// and does its last things: a shell that runs its finally groups or traps. Such
// a child is not asked.
func (p *prey) cleansUp(image uint64, child int) bool {
	return p.spared || p.askedNow(image) && !slices.Contains(p.children, child)
}

// known is a process that was seen before.
func (h *Host) known(pid int, start ticks) *prey {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.hunt.prey[pid]; p != nil && p.start == start {
		return p
	}
	return nil
}

// seen notes that a process is there.
func (r *round) seen(f found, start ticks) *prey {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hunt.see(f, start)
}

func (u *hunt) see(f found, start ticks) *prey {
	p := u.prey[f.pid]
	if p == nil || p.start != start {
		p = &prey{quarry: f.quarry, start: start}
		u.prey[f.pid] = p
	}
	p.round = u.round
	return p
}

// aim is a process that has been found, and is signalled when all are: where
// orphans do not come to us, no parent may die before its children are known.
type aim struct {
	found
	start ticks
}

func (r *round) strikeAll() {
	for _, a := range r.aims {
		p, errno := openProcess(a.pid)
		if errno != 0 {
			r.missed(a.found, errno)
			continue
		}
		var s stat
		if p.stat(&s) == 0 && s.start == a.start {
			r.strike(p, a.found, &s)
		}
		p.close()
	}
}

// strike sends a process what it has to have.
func (r *round) strike(p handle, f found, s *stat) {
	known := r.seen(f, s.start)
	if r.due(f.quarry) {
		r.kill(p, f, known)
		return
	}
	if known.spared = f.late && !known.asked; known.spared {
		return // until its time is over, or its parent has gone
	}
	// A shell that was asked between its fork and its exec has lost the signal,
	// if it catches it itself: the new program is asked again.
	if known.askedNow(s.image) {
		return
	}
	known.asked, known.image, r.news = true, s.image, true
	r.send(p, f, known, syscall.SIGTERM)
	p.signal(f.pid, syscall.SIGCONT)
}

// due tells that the time for SIGKILL has come.
func (r *round) due(q *quarry) bool {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	return r.now >= q.killAt
}

// stubborn is how long a process outlives SIGKILL before it is reported.
const stubborn = time.Second

// kill sends SIGKILL, in weak mode only once.
func (r *round) kill(p handle, f found, known *prey) {
	if known.killed == 0 {
		known.killed, r.news = r.now, true
		f.quarry.giveUp = r.now + weakWait
	} else if r.host.cfg.Weak {
		return
	}
	if !known.reported && !known.foreign && r.now-known.killed > stubborn {
		known.reported = true
		r.tell(Survivor, f, 0)
	}
	r.send(p, f, known, syscall.SIGKILL)
}

// send sends a signal, and tells.
func (r *round) send(p handle, f found, known *prey, sig syscall.Signal) {
	switch p.signal(f.pid, sig) {
	case 0:
		r.tell(Signalled, f, sig)
	case syscall.EPERM:
		r.outOfReach(f, known)
	}
}

// outOfReach notes that a process may not be signalled.
func (r *round) outOfReach(f found, known *prey) {
	if !known.foreign {
		known.foreign = true
		r.tell(OutOfReach, f, 0)
	}
}
