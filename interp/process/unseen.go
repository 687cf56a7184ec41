package process

import (
	"math"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// Where /proc is mounted with hidepid, a process that is not dumpable (ssh-agent is one) is not there for its own user,
// who may signal it all the same. Whose it is tell only its parent, its session, and what was there before.

// unknownStart is when a process was started of which that cannot be seen.
const unknownStart procfs.Ticks = math.MaxUint64

// guessUnseen tells whose an orphan that cannot be seen can only be: that of the command in whose session it is, or if
// it is our child that of those under way since it is, if all of these have to go. Those that were there when a command
// had succeeded may be its daemons.
func (r *sweep) guessUnseen(pid int) (*target, procfs.Ticks) {
	if unix.Kill(pid, 0) != nil {
		return nil, 0 // it is gone
	}
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.ending.members[pid]; known != nil && known.start == 0 && h.cfg.Whole {
		return known.target, 0
	}
	for _, t := range h.ending.targets {
		if h.hasSession(t.run, pid) {
			return t, unknownStart
		}
	}
	if h.kept[pid] || r.others || !h.cfg.Whole {
		return nil, unknownStart
	}
	return h.suspectOf(unknownStart), unknownStart
}

// hasSession reports whether a process is in the session of a command's own process, as far as that can be said by
// its number: it is not another's as long as the command is under way.
func (h *Host) hasSession(r *run, pid int) bool {
	session, err := unix.Getsid(pid)
	return err == nil && h.cfg.Sessions && r.pid > 1 && session == r.pid && (h.cfg.Whole || h.left || !r.ended)
}

// isUnseen reports whether the own process of a command that another shell has started is there, and cannot be seen.
func (h *Host) isUnseen(r *run) bool {
	p, err := procfs.Open(r.pid)
	if err == nil {
		p.Close()
	}
	return h.left && r.pid > 1 && err != nil && h.hasSession(r, r.pid)
}

// keepOrphans notes which children are there when a command has succeeded: they may be daemons that it wants.
func (h *Host) keepOrphans() {
	h.table.Lock() // so that none is reaped, and its number another's
	defer h.table.Unlock()
	list, _ := procfs.Orphans(h.self)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leftover, h.kept = procfs.Now(), make(map[int]bool, len(list))
	for _, pid := range list {
		h.kept[pid] = true
	}
}

// signalUnseen signals a process that cannot be seen, through a handle, if it is still what it was found as; otherwise
// it is left alone, and named.
func (r *sweep) signalUnseen(f found) {
	handle, err := unix.PidfdOpen(f.pid, 0)
	if err == nil {
		defer unix.Close(handle)
	}
	switch {
	case err == unix.ESRCH || procfs.Scarce(err):
		r.noteMissed(f, err)
		return
	case err != nil || !r.isRelated(f):
		r.unowned = append(r.unowned, orphan{f.pid, unknownStart})
		return
	case hasEnded(handle):
		r.noteZombie(f, &procfs.Stat{})
		return
	}
	r.noteMember(f, 0).noteSpared(f.late)
	r.signalProcess(procfs.Process(handle), f, &procfs.Stat{})
}

// hasEnded reports whether the process of a handle is only waiting to be reaped.
func hasEnded(handle int) bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0)
	return n > 0
}

// isRelated reports whether a process is the child of the one that it was found as the child of, or ours, or is in the
// session of its command.
func (r *sweep) isRelated(f found) bool {
	if f.pid <= 1 || f.pid == r.host.self {
		return false
	}
	if r.host.hasSession(f.target.run, f.pid) {
		return true
	}
	for _, parent := range []int{f.parent, r.host.self} {
		p, err := procfs.Open(parent)
		if err != nil {
			continue
		}
		list, _ := r.childrenOf(p, parent, 0, nil)
		p.Close()
		if slices.Contains(list, f.pid) {
			return true
		}
	}
	return false
}
