package process

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
)

// findRoots finds where to begin: the commands' own processes, and all that could
// be orphans of theirs.
func (r *sweep) findRoots() {
	h := r.host
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	r.oldest = math.MaxUint64
	for _, t := range h.ending.targets {
		r.oldest = min(r.oldest, t.run.born)
		if (!t.run.ended || h.isUnseen(t.run)) && r.isNew(t.run.pid) {
			r.queue = append(r.queue, found{pid: t.run.pid, parent: h.self, target: t})
		}
	}
	var err error
	if h.cfg.Whole {
		r.list, err = r.ourChildren(r.list[:0])
	} else {
		r.list, err = procfs.All(r.list[:0])
	}
	r.starved = err != nil
	for _, pid := range r.list {
		if h.running[pid] == nil && pid != h.guardian.PID() && pid != h.self && r.isNew(pid) {
			r.queue = append(r.queue, found{pid: pid})
		}
	}
}

// isNew reports whether a process has not been looked at in this sweep, in which all processes
// are listed more than once where orphans do not come to us.
func (r *sweep) isNew(pid int) bool {
	if r.host.cfg.Whole {
		return true
	}
	if r.listed[pid] {
		return false
	}
	if r.listed == nil {
		r.listed = make(map[int]bool)
	}
	r.listed[pid] = true
	return true
}

// ourChildren lists our children; orphans have become that too. With the table
// locked, so that none is reaped: only then the kernel's list is exact.
func (r *sweep) ourChildren(dst []int) ([]int, error) {
	self, err := procfs.Open(r.host.self)
	if err != nil {
		return dst, err
	}
	defer self.Close()
	// Each thread has those that it forked; the first, also the orphans.
	return r.childrenOf(self, r.host.self, 0, dst)
}

// ownerOf tells which target an orphan belongs to, if that is certain: it was
// seen before, when it was a child of one, or its marker says so.
func (r *sweep) ownerOf(p procfs.Process, f found, s *procfs.Stat) *target {
	h := r.host
	if known := h.knownMember(f.pid, s.Start); known != nil {
		return known.target
	}
	if !h.cfg.Whole && s.Start < r.oldest {
		return nil // as are most of all processes: what else they say need not be read
	}
	if s.Ended() {
		r.doubtful = r.doubtful || h.cfg.Whole // what it had for children may be ours
		return nil
	}
	if t := r.ownerByGroup(p); t != nil {
		return t
	}
	var marker []byte
	if marker, r.env, _ = p.Marker(markerName, r.env); len(marker) > 0 {
		return r.ownerByMarker(marker, f, s)
	}
	if s.Kernel || h.cfg.Whole && h.groups.Home() != "" || r.isStarting(p, f.pid) {
		return nil // or else it would be in a group
	}
	marker, err := r.readAgain(p, s)
	switch {
	case len(marker) > 0:
		return r.ownerByMarker(marker, f, s)
	case procfs.Scarce(err):
		r.noteMissed(f, err)
	case err != nil:
		r.doubtful = true
	default:
		r.hidden = append(r.hidden, found{pid: f.pid, parent: s.Parent})
	}
	return nil
}

// ownerByMarker is the target that a marker belongs to. One that no shell gives says as
// little as none, if the orphan can only be ours.
func (r *sweep) ownerByMarker(marker []byte, f found, s *procfs.Stat) *target {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	number, ours := h.numberIn(marker)
	if !ours && h.cfg.Whole && string(marker) != nobody {
		r.hidden = append(r.hidden, found{pid: f.pid, parent: s.Parent})
		return nil
	}
	t := h.ending.targets[number]
	r.others = r.others || ours && t == nil
	return t
}

// readAgain reads again the marker of a process that seemed to have none. While a
// program is being loaded there is no environment: only if the same one was
// there before and after, it is certain that there is no marker.
func (r *sweep) readAgain(p procfs.Process, s *procfs.Stat) (marker []byte, err error) {
	const attempts, pause = 40, 50 * time.Microsecond
	for range attempts {
		marker, r.env, err = p.Marker(markerName, r.env)
		if err == unix.EACCES || err == unix.EPERM {
			return nil, nil // it does not let us see
		}
		if err != nil || len(marker) > 0 {
			return marker, err
		}
		before := s.Image
		if err = p.Stat(s); err != nil || s.Image == before && before != 0 || s.State == 'Z' {
			return nil, err
		}
		clock.Nap(pause)
	}
	return nil, unix.ESRCH
}

// isStarting reports whether a process without a marker is a child of ours that has not
// executed its program yet, or is entered by now. (If it executes it now, the
// marker is there when it is looked for again.)
func (r *sweep) isStarting(p procfs.Process, pid int) bool {
	h := r.host
	h.mu.Lock()
	known, forking := h.running[pid] != nil, h.forks.under > 0
	h.mu.Unlock()
	return known || forking && p.RunsOurProgram()
}

// numberIn is the number of our command that a marker begins with.
func (h *Host) numberIn(marker []byte) (number uint64, ours bool) {
	rest, ours := bytes.CutPrefix(marker, []byte(h.prefix))
	if !ours {
		return 0, false
	}
	own, _, _ := bytes.Cut(rest, []byte("/"))
	number, err := strconv.ParseUint(string(own), 36, 64)
	return number, err == nil
}

// guessOwner tells whose an orphan without a marker can only be (it was started with
// another environment, has written over its own, or does not let us see): that of the command
// whose session it is in, or where we are sure to be all its ancestry, that of
// those under way when it was started, if all of these have to go.
func (r *sweep) guessOwner(pid int) (*target, procfs.Ticks) {
	var s procfs.Stat
	p, err := procfs.Open(pid)
	if err != nil {
		return r.guessUnseen(pid)
	}
	defer p.Close()
	if p.Stat(&s) != nil {
		return nil, 0
	}
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.ending.targets {
		if h.inSession(t.run, &s) {
			return t, s.Start
		}
	}
	if !h.cfg.Whole || r.others || s.Start <= h.leftover {
		return nil, s.Start
	}
	return h.suspectOf(s.Start), s.Start
}

// inSession reports whether a process is in the session of a command's own process.
// A session's id may be another's once that process is reaped and the session
// is empty: of those that are not our children, only one that was there before
// that is believed. (Kernel threads, and what comes from outside of a container,
// are in session 0.)
func (h *Host) inSession(r *run, s *procfs.Stat) bool {
	if !h.cfg.Sessions || r.pid <= 1 || s.Session != r.pid {
		return false
	}
	return h.cfg.Whole || !r.ended || s.Start <= r.died
}

// orphan is a process of which it could not be found out whose it is.
type orphan struct {
	pid   int
	start procfs.Ticks
}

// suspectOf is one of the commands that can have started an orphan then; nil if
// one of them does not have to go.
func (h *Host) suspectOf(start procfs.Ticks) (t *target) {
	for _, r := range h.running {
		if r.target == nil && r.born <= start {
			return nil
		}
	}
	for _, one := range h.ending.targets {
		if one.run.born <= start {
			t = one
		}
	}
	return t
}

// ownerByGroup is the target whose group a process is in. A guardian knows no more than
// that it must be one of the commands that were under way.
func (r *sweep) ownerByGroup(p procfs.Process) *target {
	var buf [4096]byte
	h := r.host
	membership := h.groups.Membership(p, buf[:])
	if membership == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.ending.targets {
		if t.run.group == nil && !h.cfg.Whole || t.run.group != nil && t.run.group.Has(membership) {
			return t
		}
	}
	return nil
}
