package process

import (
	"syscall"
	"time"

	"ftsh/backoff"
)

// round is one search for everything that has to go. It signals what it finds
// as it goes, each process after its children have been listed: an orphan is
// recognised by its marker, or else by having been seen before.
type round struct {
	host    *Host
	now     time.Duration
	news    bool // something was signalled for the first time
	scarce  bool // a file of /proc could not be opened for want of descriptors
	unsure  bool // there is an orphan of which we could not find out whose it is
	queue   []found
	hidden  []found // orphans without a marker
	others  bool    // there are orphans of other commands
	aims    []aim
	notices []Notice
	list    []int  // reused
	env     []byte // reused
}

// found is a process to be looked at.
type found struct {
	pid, parent int
	quarry      *quarry // nil: an orphan whose we do not know yet
}

// goRound goes one round, and closes the quarries of which nothing is left. It
// returns how long the next may wait at most, and whether there was news.
func (h *Host) goRound() (next time.Duration, news bool) {
	r := h.newRound()
	r.search()
	if r.scarce {
		first := r
		r = h.newRound()
		r.notices, r.news = first.notices, first.news
		withDescriptors(r.search)
	}
	next = r.settle()
	for _, n := range r.notices {
		h.observe(n)
	}
	return next, r.news
}

func (h *Host) newRound() *round {
	h.mu.Lock()
	h.hunt.round++
	h.mu.Unlock()
	return &round{host: h, now: h.cfg.Clock.Now()}
}

// search visits all that it finds. Its notices are told later, as it may run
// where the shell's descriptors are closed.
func (r *round) search() {
	r.roots()
	r.visitAll()
	for _, f := range r.hidden {
		if f.quarry = r.guess(f.pid); f.quarry != nil {
			r.queue = append(r.queue, f)
		}
	}
	r.visitAll()
	r.strikeAll()
}

func (r *round) visitAll() {
	for len(r.queue) > 0 {
		f := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.visit(f)
	}
}

// visit signals a process and queues its children.
func (r *round) visit(f found) {
	p, errno := openProcess(f.pid)
	if errno != 0 {
		r.unseen(f, errno)
		return
	}
	defer p.close()
	var s stat
	if errno := p.stat(&s); errno != 0 {
		r.unseen(f, errno)
		return
	}
	if f.quarry == nil {
		if f.quarry = r.owner(p, f, &s); f.quarry == nil {
			return
		}
	} else if !r.belongs(f, &s) {
		return // another process by now
	}
	if !r.host.mayEnd(f, &s) {
		return
	}
	if s.over() {
		if s.parent == r.host.self {
			r.seen(f, s.start) // there until it is reaped
		}
		return
	}
	r.list = p.children(f.pid, s.threads, r.list[:0])
	for _, child := range r.list {
		r.queue = append(r.queue, found{child, f.pid, f.quarry})
	}
	if r.host.cfg.Whole {
		r.strike(p, f, &s)
		return
	}
	r.seen(f, s.start)
	r.aims = append(r.aims, aim{f, s.start})
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
			r.unseen(a.found, errno)
			continue
		}
		var s stat
		if p.stat(&s) == 0 && s.start == a.start {
			r.strike(p, a.found, &s)
		}
		p.close()
	}
	r.aims = r.aims[:0]
}

// mayEnd is the last line of defence against ending what is not ours, whatever
// led there: nothing of a command is older than the command.
func (h *Host) mayEnd(f found, s *stat) bool {
	return f.pid > 1 && f.pid != h.self && s.start >= f.quarry.run.born
}

// belongs tells that a process found as another's child still is that one.
func (r *round) belongs(f found, s *stat) bool {
	if s.parent == f.parent || s.parent == r.host.self {
		return true
	}
	known := r.host.known(f.pid, s.start)
	return known != nil && known.quarry == f.quarry
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

// unseen counts a process that could not be looked at as alive.
func (r *round) unseen(f found, errno syscall.Errno) {
	switch errno {
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM:
		r.scarce = true
		if f.quarry != nil {
			r.seen(f, 0)
		}
	}
}

// seen notes that a process is there.
func (r *round) seen(f found, start ticks) *prey {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.hunt.prey[f.pid]
	if p == nil || p.start != start && start != 0 {
		p = &prey{quarry: f.quarry, start: start}
		h.hunt.prey[f.pid] = p
	}
	p.round = h.hunt.round
	return p
}

// strike sends a process what it has to have. Only the hunter changes what it
// notes of it.
func (r *round) strike(p handle, f found, s *stat) {
	known := r.seen(f, s.start)
	switch r.host.phase(f.quarry, r.now) {
	case killing:
		if known.killed != 0 && r.host.cfg.Weak {
			return
		}
		if known.killed == 0 {
			known.killed, r.news = r.now, true
		}
		r.report(f, known)
		r.send(p, f, known, syscall.SIGKILL)
	case asking:
		// A shell that was asked between its fork and its exec has lost the
		// signal, if it catches it itself: the new program is asked again.
		if known.asked && known.image == s.image {
			return
		}
		known.asked, known.image, r.news = true, s.image, true
		r.send(p, f, known, syscall.SIGTERM)
		p.signal(f.pid, syscall.SIGCONT)
	}
}

// What a quarry has coming.
const (
	asking = iota
	killing
)

func (h *Host) phase(q *quarry, now time.Duration) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now >= q.killAt {
		return killing
	}
	return asking
}

// send sends a signal, and tells.
func (r *round) send(p handle, f found, known *prey, sig syscall.Signal) {
	what := Signalled
	switch p.signal(f.pid, sig) {
	case syscall.EPERM:
		if known.foreign {
			return
		}
		known.foreign = true
		what = OutOfReach
	case syscall.ESRCH:
		return
	}
	r.notices = append(r.notices, Notice{Happening: what, PID: f.pid, Command: f.quarry.run.cmd.Path, Signal: sig})
}

// stubborn is how long a process outlives SIGKILL before it is reported.
const stubborn = time.Second

// report names a survivor, once.
func (r *round) report(f found, known *prey) {
	if !known.reported && !known.foreign && r.now-known.killed > stubborn {
		known.reported = true
		r.notices = append(r.notices, Notice{Happening: Survivor, PID: f.pid, Command: f.quarry.run.cmd.Path})
	}
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
	r.count()
	next := time.Duration(backoff.Never)
	for number, q := range h.hunt.quarries {
		if h.cfg.Weak && q.giveUp == 0 && r.now >= q.killAt {
			q.giveUp = r.now + weakWait
		}
		given := q.giveUp != 0 && r.now >= q.giveUp
		if given || q.left == 0 && h.reachable(q.run) && !r.unsure {
			delete(h.hunt.quarries, number)
			r.close(q)
			continue
		}
		if q.killAt > r.now {
			next = min(next, q.killAt-r.now)
		}
	}
	return next
}

// reachable tells that the command's own process has ended, or may not be
// signalled, so that nothing is left to wait for.
func (h *Host) reachable(r *run) bool {
	p := h.hunt.prey[r.pid]
	return r.ended || p != nil && p.foreign
}

// count finds out how many of each quarry are alive.
func (r *round) count() {
	u := &r.host.hunt
	for _, q := range u.quarries {
		q.left = 0
	}
	for pid, p := range u.prey {
		switch {
		case p.round < u.round:
			delete(u.prey, pid)
		case !p.foreign:
			p.quarry.left++
		}
	}
}

// close ends the hunt for a quarry. What is still there is given up.
func (r *round) close(q *quarry) {
	h := r.host
	if !q.run.ended {
		h.abandon(q.run)
	}
	for pid, p := range h.hunt.prey {
		if p.quarry != q {
			continue
		}
		delete(h.hunt.prey, pid)
		if !p.foreign && !p.reported {
			r.notices = append(r.notices, Notice{Happening: Survivor, PID: pid, Command: q.run.cmd.Path})
		}
	}
	q.done = true
	close(q.over)
}
