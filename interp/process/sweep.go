package process

import (
	"maps"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/procfs"
)

// sweep is one search for everything that has to go. It signals what it finds
// as it goes, each process after its children have been listed: an orphan is
// recognised by its marker, or else by having been seen before.
type sweep struct {
	host      *Host
	now       time.Duration
	oldest    procfs.Ticks // when the first of the commands that have to go was started
	news      bool         // something was signalled for the first time
	starved   bool         // a file of /proc could not be opened for want of descriptors
	uncertain bool         // an orphan was gone before we knew whose it is
	doubtful  bool         // one ends or loads a program, and does not say yet whose it is
	others    bool         // there are orphans of other commands
	gone      bool         // one of all processes was gone before we knew whose it is
	listed    map[int]bool // all that were looked at, where orphans do not come to us
	queue     []found
	hidden    []found  // orphans without a marker
	unowned   []orphan // those of them whose we could not find out
	pending   []pendingSignal
	notices   []Notice
	family    map[int][]int // the children of all processes, where the kernel does not list one's
	list      []int         // reused
	env       []byte        // reused
}

// found is a process to be looked at.
type found struct {
	pid, parent int
	target      *target // nil: an orphan whose we do not know yet
	late        bool    // it was forked by a process that had been asked to end
}

// sweepOnce makes one sweep, and closes the targets of which nothing is left. It
// returns how long the next may wait at most, and whether there was news.
func (h *Host) sweepOnce() (next time.Duration, news bool) {
	r := h.newSweep()
	r.searchTrees()
	if r.starved {
		first := r
		r = h.newSweep()
		r.notices, r.news = first.notices, first.news
		withDescriptors(r.searchTrees)
	}
	next = r.closeEmptyTargets()
	h.scratch = r.env
	for _, n := range r.notices {
		h.cfg.Observe(n)
	}
	return next, r.news
}

func (h *Host) newSweep() *sweep {
	h.mu.Lock()
	h.ending.sweeps++
	h.mu.Unlock()
	return &sweep{host: h, now: h.cfg.Clock.Now(), env: h.scratch}
}

// searchTrees visits all that it finds. Its notices are told later, as it may run
// where the shell's descriptors are closed.
func (r *sweep) searchTrees() {
	if procfs.Missing() {
		r.signalWithoutProc()
		return
	}
	r.findRoots()
	r.visitAll()
	for again := 0; r.gone && again < relists; again++ {
		r.gone = false
		r.findRoots()
		r.visitAll()
	}
	for _, f := range r.hidden {
		var start procfs.Ticks
		if f.target, start = r.guessOwner(f.pid); f.target != nil {
			r.queue = append(r.queue, f)
		} else if r.host.cfg.Whole {
			r.unowned = append(r.unowned, orphan{f.pid, start})
		}
	}
	r.visitAll()
	r.signalPending()
	r.killGroups()
}

// relists limits how often a sweep lists all processes again, since one of them
// was gone when it came to look: its children, if it was one of ours, are not in the
// list when they were forked behind where the kernel was at that moment.
const relists = 8

func (r *sweep) visitAll() {
	for len(r.queue) > 0 {
		f := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.visitProcess(f)
	}
}

// visitProcess looks at a process.
func (r *sweep) visitProcess(f found) {
	p, err := procfs.Open(f.pid)
	if err != nil {
		r.noteUnopened(f, err)
		return
	}
	defer p.Close()
	var s procfs.Stat
	if err := p.Stat(&s); err != nil {
		r.noteMissed(f, err)
		return
	}
	if f.target == nil {
		f.target = r.ownerOf(p, f, &s)
	} else if !r.isSameChild(f, &s) {
		r.noteMissed(f, unix.ESRCH) // it is another by now
		return
	}
	switch {
	case f.target == nil || !r.host.mayEnd(f, &s):
	case s.Ended():
		r.noteZombie(f, &s)
	default:
		r.includeProcess(p, f, &s)
	}
}

// includeProcess queues a process's children, and signals it. Where orphans do not come
// to us it is signalled later, when all are found.
func (r *sweep) includeProcess(p procfs.Process, f found, s *procfs.Stat) {
	list, err := r.childrenOf(p, f.pid, s.Threads, r.list[:0])
	if err != nil {
		r.noteMissed(f, err)
	}
	known := r.noteMember(f, s.Start)
	known.noteSpared(f.late) // before its children are: what it has forked by now cleans up, too
	if !known.askedNow(s.Image) && !known.spared {
		known.children = append(known.children[:0], list...)
	}
	for _, child := range list {
		r.queue = append(r.queue, found{child, f.pid, f.target, known.cleansUp(s.Image, child)})
	}
	r.list = list
	if r.host.cfg.Whole {
		r.signalProcess(p, f, s)
		return
	}
	r.noteMember(f, s.Start)
	r.pending = append(r.pending, pendingSignal{f, s.Start})
}

// mayEnd is the last line of defence against ending what is not ours, whatever
// led there: nothing of a command is older than the command.
func (h *Host) mayEnd(f found, s *procfs.Stat) bool {
	return f.pid > 1 && f.pid != h.self && s.Start >= f.target.run.born
}

// isSameChild reports whether a process found as another's child still is that one.
func (r *sweep) isSameChild(f found, s *procfs.Stat) bool {
	if s.Parent == f.parent || s.Parent == r.host.self {
		return true
	}
	known := r.host.knownMember(f.pid, s.Start)
	return known != nil && known.target == f.target
}

// noteUnopened notes that /proc does not show a process: because it is gone, or because /proc is mounted with hidepid,
// and it is another user's, or one that may not be looked at.
func (r *sweep) noteUnopened(f found, err error) {
	switch exists := unix.Kill(f.pid, 0); {
	case procfs.Scarce(err) || exists == unix.ESRCH:
		r.noteMissed(f, err)
	case exists == nil && f.target != nil:
		r.signalUnseen(f)
	case exists == nil:
		r.hidden = append(r.hidden, f)
	case f.target != nil:
		r.outOfReach(f, r.noteMember(f, 0))
	}
}

// noteMissed notes that a process was not there any more when we came to look at it.
// Children that it had when we began may have come to us since, unlisted: so
// this sweep does not prove that nothing is left.
func (r *sweep) noteMissed(f found, err error) {
	if procfs.Scarce(err) {
		r.starved, r.uncertain = true, true
	}
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case f.target != nil:
		f.target.changed = h.ending.sweeps
	case h.cfg.Whole:
		r.uncertain = true
	default:
		r.gone = true
	}
}

// noteZombie notes a process that has ended and is not reaped: if that is our
// business it is there until it is done (but not for ever, as its tracer may
// prevent it), and if it has ended since we last looked, it is as good as missed.
func (r *sweep) noteZombie(f found, s *procfs.Stat) {
	known := r.noteMember(f, s.Start)
	if known.dead {
		return
	}
	r.noteMissed(f, unix.ESRCH)
	if known.ended == 0 {
		known.ended = r.now
	}
	known.dead = s.Parent != r.host.self || r.now-known.ended > survivorAfter
}

// closeEmptyTargets forgets what was not seen any more, and closes the targets of which
// nothing is left. It returns how long it is to the next SIGKILL.
func (r *sweep) closeEmptyTargets() time.Duration {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ending.countMembers()
	next := time.Duration(backoff.Never)
	for number, t := range h.ending.targets {
		given := h.cfg.Weak && t.giveUp != 0 && r.now >= t.giveUp
		certain := !r.uncertain || r.now >= t.killAt+survivorAfter // no search goes on for ever
		if given || certain && h.isTargetEmpty(t) && r.isBeyondDoubt(t) {
			delete(h.ending.targets, number)
			r.closeTarget(t)
			continue
		}
		if !h.isTargetEmpty(t) {
			t.emptySince = 0
		}
		if t.killAt > r.now {
			next = min(next, t.killAt-r.now)
		}
	}
	if !r.uncertain && !r.doubtful {
		maps.DeleteFunc(h.ending.named, func(pid int, start procfs.Ticks) bool {
			return !slices.Contains(r.unowned, orphan{pid, start})
		})
	}
	return next
}

// isBeyondDoubt reports whether what was found of a target may be all of it, though processes
// end or load a program, and do not say yet whose they are. That passes within microseconds:
// where there are still some after so long a time without any of ours, they are not of ours.
// (On a busy machine there always are some, and one that is stuck or traced says nothing for ever.)
func (r *sweep) isBeyondDoubt(t *target) bool {
	if t.emptySince == 0 {
		t.emptySince = r.now
	}
	return !r.doubtful || r.now-t.emptySince >= survivorAfter
}

// weakGrace is the time that weak mode looks on after the last SIGKILL: what can die has
// died by then.
const weakGrace = 200 * time.Millisecond

// isTargetEmpty reports whether nothing of a target is left to wait for.
func (h *Host) isTargetEmpty(t *target) bool {
	own := h.ending.members[t.run.pid]
	ended := t.run.ended || own != nil && own.foreign
	return ended && t.left == 0 && t.changed != h.ending.sweeps
}

// remembered is the number of sweeps for which a process is remembered that was not seen. One of which the parent dies
// meanwhile may be in no list for once: it is not to be asked again to end.
const remembered = 8

// countMembers finds out how many of each target are alive, as far as they were seen in the last
// sweep, and forgets what was not seen for long.
func (u *ending) countMembers() {
	u.left = 0
	for _, t := range u.targets {
		t.left = 0
	}
	for pid, p := range u.members {
		if p.sweep+remembered < u.sweeps {
			delete(u.members, pid)
			continue
		}
		if p.counted = p.sweep == u.sweeps && !p.foreign && !p.dead; p.counted {
			p.target.left++
			u.left++
		}
	}
}

// closeTarget takes a target from those to be ended. What is still there is given up.
func (r *sweep) closeTarget(t *target) {
	h := r.host
	if !t.run.ended {
		h.abandonProcess(t.run)
	}
	for pid, p := range h.ending.members {
		if p.target != t {
			continue
		}
		delete(h.ending.members, pid)
		if p.counted && !p.reported {
			r.tellHappening(Survivor, found{pid: pid, target: t}, 0)
		}
	}
	for _, s := range r.unowned {
		if s.start >= t.run.born && h.ending.named[s.pid] != s.start {
			h.ending.named[s.pid] = s.start
			r.tellHappening(Unowned, found{pid: s.pid, target: t}, 0)
		}
	}
	t.done = true
	close(t.over)
}

// tellHappening has it told what happened to a process.
func (r *sweep) tellHappening(what Happening, f found, sig unix.Signal) {
	r.notices = append(r.notices, Notice{Happening: what, PID: f.pid, Command: f.target.run.cmd.Path, Signal: sig})
}

// killGroups sends SIGKILL to the groups whose time has come.
func (r *sweep) killGroups() {
	h := r.host
	h.mu.Lock()
	var due []*cgroup.Group
	for _, t := range h.ending.targets {
		if t.run.group != nil && r.now >= t.killAt && !(h.cfg.Weak && t.giveUp != 0) {
			due = append(due, t.run.group)
		}
	}
	h.mu.Unlock()
	for _, g := range due {
		g.Kill()
	}
}

// childrenOf appends the ids of a process's children: as the kernel lists them,
// or where it does not (CONFIG_PROC_CHILDREN is missing), as the parents of all
// processes tell.
func (r *sweep) childrenOf(p procfs.Process, pid, threads int, dst []int) (list []int, err error) {
	if !r.host.unlisted.Load() {
		list, err = p.Children(pid, threads, dst)
		if err != unix.ENOENT || procfs.ListsChildren() {
			return list, err // it is gone, if ENOENT
		}
		r.host.unlisted.Store(true)
	}
	if r.family == nil {
		if r.family, err = procfs.Families(); err != nil {
			return dst, err
		}
	}
	return append(dst, r.family[pid]...), nil
}
