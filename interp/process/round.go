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
	news    bool         // something was signalled for the first time
	scarce  bool         // a file of /proc could not be opened for want of descriptors
	blurred bool         // an orphan was gone or loading a program before we knew whose it is
	others  bool         // there are orphans of other commands
	gone    bool         // one of all processes was gone before we knew whose it is
	listed  map[int]bool // all that were looked at, where orphans do not come to us
	queue   []found
	hidden  []found // orphans without a marker
	strays  []stray // those of them whose we could not find out
	aims    []aim
	notices []Notice
	family  map[int][]int // the children of all processes, where the kernel does not list one's
	list    []int         // reused
	env     []byte        // reused
}

// found is a process to be looked at.
type found struct {
	pid, parent int
	quarry      *quarry // nil: an orphan whose we do not know yet
	late        bool    // it was forked by a process that had been asked to end
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
	h.scratch = r.env
	for _, n := range r.notices {
		h.observe(n)
	}
	return next, r.news
}

func (h *Host) newRound() *round {
	h.mu.Lock()
	h.hunt.round++
	h.mu.Unlock()
	return &round{host: h, now: h.cfg.Clock.Now(), env: h.scratch}
}

// search visits all that it finds. Its notices are told later, as it may run
// where the shell's descriptors are closed.
func (r *round) search() {
	if isBlind() {
		r.strikeBlind()
		return
	}
	r.roots()
	r.visitAll()
	for again := 0; r.gone && again < relists; again++ {
		r.gone = false
		r.roots()
		r.visitAll()
	}
	for _, f := range r.hidden {
		var start ticks
		if f.quarry, start = r.guess(f.pid); f.quarry != nil {
			r.queue = append(r.queue, f)
		} else if r.host.cfg.Whole {
			r.strays = append(r.strays, stray{f.pid, start})
		}
	}
	r.visitAll()
	r.strikeAll()
	r.killGroups()
}

// relists is how often a round lists all processes again at most, since one of them
// was gone when it came to look: its children, if it was one of ours, are not in the
// list when they were forked behind where the kernel was at that moment.
const relists = 8

func (r *round) visitAll() {
	for len(r.queue) > 0 {
		f := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.visit(f)
	}
}

// visit looks at a process.
func (r *round) visit(f found) {
	p, errno := openProcess(f.pid)
	if errno != 0 {
		r.unopened(f, errno)
		return
	}
	defer p.close()
	var s stat
	if errno := p.stat(&s); errno != 0 {
		r.missed(f, errno)
		return
	}
	if f.quarry == nil {
		f.quarry = r.owner(p, f, &s)
	} else if !r.belongs(f, &s) {
		r.missed(f, syscall.ESRCH) // it is another by now
		return
	}
	switch {
	case f.quarry == nil || !r.host.mayEnd(f, &s):
	case s.over():
		r.dead(f, &s)
	default:
		r.catch(p, f, &s)
	}
}

// catch queues a process's children, and signals it. Where orphans do not come
// to us it is signalled later, when all are found.
func (r *round) catch(p handle, f found, s *stat) {
	list, errno := r.childrenOf(p, f.pid, s.threads, r.list[:0])
	if errno != 0 {
		r.missed(f, errno)
	}
	known := r.seen(f, s.start)
	if !known.askedNow(s.image) && !known.spared {
		known.children = append(known.children[:0], list...)
	}
	for _, child := range list {
		r.queue = append(r.queue, found{child, f.pid, f.quarry, known.cleansUp(s.image, child)})
	}
	r.list = list
	if r.host.cfg.Whole {
		r.strike(p, f, s)
		return
	}
	r.seen(f, s.start)
	r.aims = append(r.aims, aim{f, s.start})
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

// unopened notes that /proc does not show a process: because it is gone, or
// because it is another user's, where /proc is mounted with hidepid.
func (r *round) unopened(f found, errno syscall.Errno) {
	if errno != syscall.ENOENT || syscall.Kill(f.pid, 0) != syscall.EPERM {
		r.missed(f, errno)
	} else if f.quarry != nil {
		r.outOfReach(f, r.seen(f, 0))
	}
}

// missed notes that a process was not there any more when we came to look at it.
// Children that it had when we began may have come to us since, unlisted: so
// this round does not prove that nothing is left.
func (r *round) missed(f found, errno syscall.Errno) {
	if scarcity(errno) {
		r.scarce, r.blurred = true, true
	}
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case f.quarry != nil:
		f.quarry.changed = h.hunt.round
	case h.cfg.Whole:
		r.blurred = true
	default:
		r.gone = true
	}
}

// scarcity tells that something could not be opened for want of descriptors or memory.
func scarcity(errno syscall.Errno) bool {
	return errno == syscall.EMFILE || errno == syscall.ENFILE || errno == syscall.ENOMEM
}

// dead notes a process that has ended and is not reaped: if that is our
// business it is there until it is done (but not for ever, as who traces it may
// prevent it), and if it has ended since we last looked, it is as good as missed.
func (r *round) dead(f found, s *stat) {
	known := r.seen(f, s.start)
	if known.dead {
		return
	}
	r.missed(f, syscall.ESRCH)
	if known.ended == 0 {
		known.ended = r.now
	}
	known.dead = s.parent != r.host.self || r.now-known.ended > stubborn
}

// settle forgets what was not seen any more, and closes the quarries of which
// nothing is left. It returns how long it is to the next SIGKILL.
func (r *round) settle() time.Duration {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hunt.count()
	next := time.Duration(backoff.Never)
	for number, q := range h.hunt.quarries {
		given := h.cfg.Weak && q.giveUp != 0 && r.now >= q.giveUp
		if given || !r.blurred && h.empty(q) {
			delete(h.hunt.quarries, number)
			r.close(q)
			continue
		}
		if q.killAt > r.now {
			next = min(next, q.killAt-r.now)
		}
	}
	if len(h.hunt.quarries) == 0 {
		clear(h.hunt.doubts)
	}
	return next
}

// weakWait is how long weak mode looks on after the last SIGKILL: what can die has
// died by then.
const weakWait = 200 * time.Millisecond

// empty tells that nothing of a quarry is left to wait for.
func (h *Host) empty(q *quarry) bool {
	own := h.hunt.prey[q.run.pid]
	ended := q.run.ended || own != nil && own.foreign
	return ended && q.left == 0 && q.changed != h.hunt.round
}

// count finds out how many of each quarry are alive, and forgets what was not
// seen in the last round.
func (u *hunt) count() {
	u.left = 0
	for _, q := range u.quarries {
		q.left = 0
	}
	for pid, p := range u.prey {
		if p.round < u.round {
			delete(u.prey, pid)
			continue
		}
		if p.counted = !p.foreign && !p.dead; p.counted {
			p.quarry.left++
			u.left++
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
		if !p.foreign && !p.dead && !p.reported {
			r.tell(Survivor, found{pid: pid, quarry: q}, 0)
		}
	}
	for _, s := range r.strays {
		if s.start >= q.run.born {
			r.tell(Stray, found{pid: s.pid, quarry: q}, 0)
		}
	}
	q.done = true
	close(q.over)
}

// tell has it told what happened to a process.
func (r *round) tell(what Happening, f found, sig syscall.Signal) {
	if r.host.cfg.Observe != nil {
		r.notices = append(r.notices, Notice{Happening: what, PID: f.pid, Command: f.quarry.run.cmd.Path, Signal: sig})
	}
}
