package process

import (
	"bytes"
	"strconv"
	"syscall"
	"time"

	"ftsh/backoff"
)

// round is one search for everything that has to go. It signals what it finds
// as it goes, parents before their children, whose ids it has by then.
type round struct {
	host  *Host
	now   time.Duration
	news  bool // something was signalled for the first time
	queue []found
	list  []int  // reused
	env   []byte // reused
}

// found is a process to be looked at.
type found struct {
	pid, parent int
	quarry      *quarry
}

// goRound goes one round, and closes the quarries of which nothing is left. It
// returns how long the next may wait at most, and whether there was news.
func (h *Host) goRound() (next time.Duration, news bool) {
	h.mu.Lock()
	h.hunt.round++
	h.mu.Unlock()
	r := &round{host: h, now: h.cfg.Clock.Now()}
	r.roots()
	for len(r.queue) > 0 {
		f := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.visit(f)
	}
	return r.settle(), r.news
}

// roots finds where to begin: the commands' own processes, and the orphans that
// have come to us and are theirs.
func (r *round) roots() {
	h := r.host
	h.forking.Lock() // so that no child of ours is unknown
	h.mu.Lock()
	for _, q := range h.hunt.quarries {
		if !q.run.ended {
			r.queue = append(r.queue, found{q.run.pid, h.self, q})
		}
	}
	orphans := r.list[:0]
	if h.cfg.Whole {
		orphans = h.orphans(orphans)
	}
	h.mu.Unlock()
	h.forking.Unlock()
	r.list = orphans
	for _, pid := range orphans {
		if q := r.owner(pid); q != nil {
			r.queue = append(r.queue, found{pid, h.self, q})
		}
	}
}

// orphans lists our children that are no command's own process. With the lock
// held, so that none is reaped: only then the kernel's list is exact.
func (h *Host) orphans(dst []int) []int {
	self, errno := openProcess(h.self)
	if errno != 0 {
		return dst
	}
	defer self.close()
	// The kernel gives orphans to the first thread that lives.
	all := self.threadChildren(h.self, dst)
	kept := all[:0]
	for _, pid := range all {
		if h.running[pid] == nil {
			kept = append(kept, pid)
		}
	}
	return kept
}

// owner tells which quarry an orphan belongs to, if any.
func (r *round) owner(pid int) *quarry {
	p, errno := openProcess(pid)
	if errno != 0 {
		return nil
	}
	defer p.close()
	var marker []byte
	marker, r.env = p.marker(r.env)
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	if len(marker) == 0 {
		if known := r.host.hunt.prey[pid]; known != nil {
			return known.quarry
		}
		return nil
	}
	return r.host.hunt.quarries[r.host.numberIn(marker)]
}

// numberIn is the number of our command that a marker begins with, or 0.
func (h *Host) numberIn(marker []byte) uint64 {
	rest, ours := bytes.CutPrefix(marker, []byte(h.prefix))
	if !ours {
		return 0
	}
	own, _, _ := bytes.Cut(rest, []byte("/"))
	n, err := strconv.ParseUint(string(own), 36, 64)
	if err != nil {
		return 0
	}
	return n
}

// visit signals a process and notes its children.
func (r *round) visit(f found) {
	p, errno := openProcess(f.pid)
	if errno != 0 {
		if errno != syscall.ENOENT && errno != syscall.ESRCH {
			r.host.unseen(f) // no descriptor left: it may be alive
		}
		return
	}
	defer p.close()
	var s stat
	if !p.stat(&s) || s.parent != f.parent && s.parent != r.host.self {
		return // gone, or another process by now
	}
	if s.over() {
		if s.parent == r.host.self {
			r.host.unseen(f) // there until it is reaped
		}
		return
	}
	r.list = p.children(f.pid, s.threads, r.list[:0])
	for _, child := range r.list {
		r.queue = append(r.queue, found{child, f.pid, f.quarry})
	}
	r.strike(p, f, s.start)
}

// unseen counts a process that could not be looked at as alive.
func (h *Host) unseen(f found) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.hunt.prey[f.pid]; known != nil {
		known.round = h.hunt.round
	} else {
		h.hunt.prey[f.pid] = &prey{quarry: f.quarry, round: h.hunt.round}
	}
}

// strike sends a process what it has to have.
func (r *round) strike(p handle, f found, start uint64) {
	h := r.host
	h.mu.Lock()
	known := h.hunt.prey[f.pid]
	if known == nil || known.start != start {
		known = &prey{quarry: f.quarry, start: start}
		h.hunt.prey[f.pid] = known
	}
	known.round = h.hunt.round
	kill := r.now >= f.quarry.killAt
	ask := !kill && !known.asked
	kill = kill && !(h.cfg.Weak && known.killed)
	r.news = r.news || ask || kill && !known.killed
	known.asked = known.asked || ask
	known.killed = known.killed || kill
	h.mu.Unlock()
	switch {
	case kill:
		r.send(p, f, known, syscall.SIGKILL)
	case ask:
		r.send(p, f, known, syscall.SIGTERM)
		p.signal(syscall.SIGCONT)
	}
}

// send sends a signal, and tells.
func (r *round) send(p handle, f found, known *prey, sig syscall.Signal) {
	notice := Notice{Happening: Signalled, PID: f.pid, Command: f.quarry.run.cmd.Path, Signal: sig}
	switch p.signal(sig) {
	case syscall.EPERM:
		if known.foreign {
			return
		}
		known.foreign = true
		notice.Happening = OutOfReach
	case syscall.ESRCH:
		return
	}
	r.host.observe(notice)
}

// weakWait is how long weak mode looks on after SIGKILL: what can die has died
// by then.
const weakWait = 200 * time.Millisecond

// settle forgets what was not seen any more, and closes the quarries of which
// nothing is left. It returns how long it is to the next SIGKILL.
func (r *round) settle() time.Duration {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.hunt.quarries {
		q.left = 0
	}
	for pid, p := range h.hunt.prey {
		switch {
		case p.round < h.hunt.round:
			delete(h.hunt.prey, pid)
		case !p.foreign:
			p.quarry.left++
		}
	}
	next := time.Duration(backoff.Never)
	for number, q := range h.hunt.quarries {
		if h.cfg.Weak && q.weakEnd == 0 && r.now >= q.killAt {
			q.weakEnd = r.now + weakWait
		}
		if q.left == 0 && q.run.ended || q.weakEnd != 0 && r.now >= q.weakEnd {
			delete(h.hunt.quarries, number)
			q.done = true
			close(q.over)
			continue
		}
		if q.killAt > r.now {
			next = min(next, q.killAt-r.now)
		}
	}
	return next
}
