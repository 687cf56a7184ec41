package process

import (
	"bytes"
	"strconv"
	"syscall"
	"time"
)

// roots finds where to begin: the commands' own processes, and all that could
// be orphans of theirs.
func (r *round) roots() {
	h := r.host
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.hunt.quarries {
		if !q.run.ended && r.isNew(q.run.pid) {
			r.queue = append(r.queue, found{pid: q.run.pid, parent: h.self, quarry: q})
		}
	}
	var errno syscall.Errno
	if h.cfg.Whole {
		r.list, errno = r.ourChildren(r.list[:0])
	} else {
		r.list, errno = everybody(r.list[:0])
	}
	r.scarce = errno != 0
	for _, pid := range r.list {
		if h.running[pid] == nil && pid != h.guardian.pid() && pid != h.self && r.isNew(pid) {
			r.queue = append(r.queue, found{pid: pid})
		}
	}
}

// isNew tells that a process has not been looked at in this round, in which all processes
// are listed more than once where orphans do not come to us.
func (r *round) isNew(pid int) bool {
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
func (r *round) ourChildren(dst []int) ([]int, syscall.Errno) {
	self, errno := openProcess(r.host.self)
	if errno != 0 {
		return dst, errno
	}
	defer self.close()
	// Each thread has those that it forked; the first, also the orphans.
	return r.childrenOf(self, r.host.self, manyThreads, dst)
}

// owner tells which quarry an orphan belongs to, if that is certain: it was
// seen before, when it was a child of one, or its marker says so.
func (r *round) owner(p handle, f found, s *stat) *quarry {
	h := r.host
	if known := h.known(f.pid, s.start); known != nil {
		return known.quarry
	}
	if s.over() {
		if h.cfg.Whole {
			r.doubt(f.pid, s.start)
		}
		return nil
	}
	if q := r.grouped(p); q != nil {
		return q
	}
	var marker []byte
	if marker, r.env, _ = p.marker(r.env); len(marker) > 0 {
		return r.marked(marker, f, s)
	}
	if s.kernel || h.cfg.Whole && h.groups.names() != "" || r.starting(p, f.pid) {
		return nil // or else it would be in a group
	}
	marker, errno := r.inspect(p, s)
	switch {
	case len(marker) > 0:
		return r.marked(marker, f, s)
	case scarcity(errno):
		r.missed(f, errno)
	case errno != 0:
		r.doubt(f.pid, s.start)
	default:
		r.hidden = append(r.hidden, found{pid: f.pid, parent: s.parent})
	}
	return nil
}

// doubts are orphans that are there but say nothing, since they are ending or
// loading a program: by the id, since when.
type doubts map[int]doubt

type doubt struct {
	start ticks
	since time.Duration
}

// doubt notes one of them: what it had for children may be ours. That passes
// within microseconds; unless the kernel does not let go of it, or another
// process traces it, which must not keep us for ever.
func (r *round) doubt(pid int, start ticks) {
	u := &r.host.hunt
	d, known := u.doubts[pid]
	if !known || d.start != start {
		d = doubt{start, r.now}
		if u.doubts == nil {
			u.doubts = make(doubts)
		}
		u.doubts[pid] = d
	}
	if r.now-d.since < stubborn {
		r.blurred = true
	}
}

// marked is the quarry that a marker belongs to. One that no shell gives says as
// little as none, if the orphan can only be ours.
func (r *round) marked(marker []byte, f found, s *stat) *quarry {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	number, ours := h.numberIn(marker)
	if !ours && h.cfg.Whole && string(marker) != nobody {
		r.hidden = append(r.hidden, found{pid: f.pid, parent: s.parent})
		return nil
	}
	q := h.hunt.quarries[number]
	r.others = r.others || ours && q == nil
	return q
}

// inspect reads again the marker of a process that seemed to have none. While a
// program is being loaded there is no environment: only if the same one was
// there before and after, it is certain that there is no marker.
func (r *round) inspect(p handle, s *stat) (marker []byte, errno syscall.Errno) {
	const attempts, pause = 40, 50 * time.Microsecond
	for range attempts {
		marker, r.env, errno = p.marker(r.env)
		if errno == syscall.EACCES || errno == syscall.EPERM {
			return nil, 0 // it does not let us see
		}
		if errno != 0 || len(marker) > 0 {
			return marker, errno
		}
		before := s.image
		if errno = p.stat(s); errno != 0 || s.image == before && before != 0 || s.state == 'Z' {
			return nil, errno
		}
		nap(pause)
	}
	return nil, syscall.ESRCH
}

// starting tells that a process without a marker is a child of ours that has not
// executed its program yet, or is entered by now. (If it executes it now, the
// marker is there when it is looked for again.)
func (r *round) starting(p handle, pid int) bool {
	h := r.host
	h.mu.Lock()
	known, forking := h.running[pid] != nil, h.forks.under > 0
	h.mu.Unlock()
	return known || forking && p.isOurProgram()
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

// guess tells whose an orphan without a marker can only be (it was started with
// another environment, has written over its own, or does not let us see): that of the command
// whose session it is in, or where we are sure to be all its ancestry, that of
// those under way when it was started, if all of these have to go.
func (r *round) guess(pid int) (*quarry, ticks) {
	var s stat
	p, errno := openProcess(pid)
	if errno != 0 {
		return nil, 0
	}
	defer p.close()
	if p.stat(&s) != 0 {
		return nil, 0
	}
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.hunt.quarries {
		if h.inSession(q.run, &s) {
			return q, s.start
		}
	}
	if !h.cfg.Whole || r.others || s.start <= h.leftover {
		return nil, s.start
	}
	return h.suspect(s.start), s.start
}

// inSession tells that a process is in the session of a command's own process.
// A session's id may be another's once that process is reaped and the session
// is empty: of those who are not our children, only one who was there before
// that is believed. (Kernel threads, and what comes from outside of a container,
// are in session 0.)
func (h *Host) inSession(r *run, s *stat) bool {
	if !h.cfg.Sessions || r.pid <= 1 || s.session != r.pid {
		return false
	}
	return h.cfg.Whole || !r.ended || s.start <= r.died
}

// stray is an orphan whose we could not find out.
type stray struct {
	pid   int
	start ticks
}

// suspect is one of the commands that can have started an orphan then; nil if
// one of them does not have to go.
func (h *Host) suspect(start ticks) (q *quarry) {
	for _, r := range h.running {
		if r.quarry == nil && r.born <= start {
			return nil
		}
	}
	for _, hunted := range h.hunt.quarries {
		if hunted.run.born <= start {
			q = hunted
		}
	}
	return q
}
