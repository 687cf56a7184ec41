package process

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// member is a process of a target. Only the one that sweeps changes it, and looks at it
// without the lock.
type member struct {
	target   *target
	start    procfs.Ticks
	sweep    int           // when it was last seen
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
func (p *member) askedNow(image uint64) bool { return p.asked && p.image == image }

// noteSpared notes whether a process that was found as a child of one that was asked cleans up for it, and is not asked
// itself: until its time is over, or its parent has gone.
func (p *member) noteSpared(late bool) { p.spared = late && !p.asked }

// cleansUp tells whether a child works for a process that has been asked to end,
// and does its last things: a shell that runs its finally groups or traps. Such
// a child is not asked.
func (p *member) cleansUp(image uint64, child int) bool {
	return p.spared || p.askedNow(image) && !slices.Contains(p.children, child)
}

// knownMember is a process that was seen before.
func (h *Host) knownMember(pid int, start procfs.Ticks) *member {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.ending.members[pid]; p != nil && p.start == start {
		return p
	}
	return nil
}

// noteMember notes that a process is there.
func (r *sweep) noteMember(f found, start procfs.Ticks) *member {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ending.noteSeen(f, start)
}

func (u *ending) noteSeen(f found, start procfs.Ticks) *member {
	p := u.members[f.pid]
	if p == nil || p.start != start {
		p = &member{target: f.target, start: start}
		u.members[f.pid] = p
	}
	p.sweep = u.sweeps
	return p
}

// pendingSignal is a process that has been found, and is signalled when all are: where
// orphans do not come to us, no parent may die before its children are known.
type pendingSignal struct {
	found
	start procfs.Ticks
}

func (r *sweep) signalPending() {
	for _, a := range r.pending {
		p, err := procfs.Open(a.pid)
		if err != nil {
			r.noteMissed(a.found, err)
			continue
		}
		var s procfs.Stat
		if p.Stat(&s) == nil && s.Start == a.start {
			r.signalProcess(p, a.found, &s)
		}
		p.Close()
	}
}

// signalProcess sends a process what it has to have.
func (r *sweep) signalProcess(p procfs.Process, f found, s *procfs.Stat) {
	known := r.noteMember(f, s.Start)
	if r.isKillDue(f.target) {
		r.killProcess(p, f, known)
		return
	}
	if known.spared {
		return
	}
	// A shell that was asked between its fork and its exec has lost the signal,
	// if it catches it itself: the new program is asked again.
	if known.askedNow(s.Image) {
		return
	}
	known.asked, known.image, r.news = true, s.Image, true
	if f.target.asked {
		return // and the guardian goes on asking
	}
	r.sendSignal(p, f, known, unix.SIGTERM)
	p.Signal(f.pid, unix.SIGCONT)
}

// isKillDue reports whether the time for SIGKILL has come.
func (r *sweep) isKillDue(t *target) bool {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	return r.now >= t.killAt
}

// survivorAfter is the time that a process outlives SIGKILL before it is reported.
const survivorAfter = time.Second

// killProcess sends SIGKILL, in weak mode only once.
func (r *sweep) killProcess(p procfs.Process, f found, known *member) {
	if known.killed == 0 {
		known.killed, r.news = r.now, true
		f.target.giveUp = r.now + weakGrace
	} else if r.host.cfg.Weak {
		return
	}
	if !known.reported && !known.foreign && r.now-known.killed > survivorAfter {
		known.reported = true
		r.tellHappening(Survivor, f, 0)
	}
	r.sendSignal(p, f, known, unix.SIGKILL)
}

// sendSignal sends a signal, and tells.
func (r *sweep) sendSignal(p procfs.Process, f found, known *member, sig unix.Signal) {
	switch p.Signal(f.pid, sig) {
	case nil:
		r.tellHappening(Signalled, f, sig)
	case unix.EPERM:
		r.outOfReach(f, known)
	}
}

// outOfReach notes that a process may not be signalled.
func (r *sweep) outOfReach(f found, known *member) {
	if !known.foreign {
		known.foreign = true
		r.tellHappening(OutOfReach, f, 0)
	}
}
