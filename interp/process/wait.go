package process

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// await returns when a command's own process has ended and is reaped, or has
// been given up.
//
// Where every child is ours, one of those who wait leads: it blocks in the
// kernel until any child ends, and tells the others of theirs. When its own has
// ended it passes the lead on. So one command costs no goroutine switch, and a
// thousand cost one blocked thread.
func (h *Host) await(r *run) {
	if !h.cfg.Whole {
		h.awaitAlone(r)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for !r.ended {
		if h.leader != nil {
			h.follow(r)
			continue
		}
		h.leader = r
		h.lead(r)
		h.leader = nil
	}
	if h.leader == nil {
		h.passOn() // also if it was our turn, but the hunter was faster
	}
}

// follow waits to be told to look again. Like lead it is called with the lock
// held, and gives it up meanwhile.
func (h *Host) follow(r *run) {
	if r.told == nil {
		r.told = make(chan struct{}, 1)
	}
	r.following = true
	h.mu.Unlock()
	<-r.told
	h.mu.Lock()
	r.following = false
}

// tell makes who waits for a command look again. With the lock held.
func (r *run) tell() {
	if r.following {
		select {
		case r.told <- struct{}{}:
		default:
		}
	}
}

// passOn lets another lead.
func (h *Host) passOn() {
	for _, r := range h.running {
		if r.following {
			r.tell()
			return
		}
	}
}

// lead reaps what ends, until the command's own process has. Where there are
// jobs it also learns of what stops.
func (h *Host) lead(r *run) {
	for !r.ended {
		flags := 0
		if h.jobs > 0 {
			flags = unix.WSTOPPED
		}
		h.mu.Unlock()
		pid, errno := peek(pAll, 0, flags)
		served := errno == 0 && !(flags != 0 && h.halt(pid)) && h.reap(pid)
		h.mu.Lock()
		switch {
		case errno != 0:
			h.lose(r)
		case served && !r.ended:
			// Those who were served run now, rather than when the scheduler
			// notices that this thread is blocked again.
			h.mu.Unlock()
			runtime.Gosched()
			h.mu.Lock()
		}
	}
}

// awaitAlone waits for one process, and leaves all others to those who started
// them: with a pidfd on the netpoller, or on a kernel without (before Linux
// 5.3) in a blocked thread.
func (h *Host) awaitAlone(r *run) {
	if r.pidfd != nil {
		defer r.pidfd.Close()
		if raw, err := r.pidfd.SyscallConn(); err == nil {
			raw.Read(func(uintptr) bool { return h.ended(r, syscall.WNOHANG) })
		}
	}
	for !h.ended(r, 0) {
	}
}

// ended reaps the command's own process if it has ended, and tells that it has.
func (h *Host) ended(r *run, flags int) bool {
	if h.isOver(r) {
		return true // given up
	}
	pid, errno := peek(pPID, r.pid, flags)
	if errno == 0 && pid != 0 {
		h.reap(pid)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if errno != 0 && !r.ended {
		h.lose(r)
	}
	return r.ended
}

func (h *Host) isOver(r *run) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r.ended
}

// lose gives up a process that somebody else has reaped.
func (h *Host) lose(r *run) {
	delete(h.running, r.pid)
	r.ended, r.status = true, Status{Code: 255}
}

// abandon gives up a process that lives on: it may not be signalled, or it is
// weak mode and it survived. With the lock held. When it ends one day it is
// reaped like an orphan.
func (h *Host) abandon(r *run) {
	delete(h.running, r.pid)
	r.ended, r.abandoned = true, true
	r.tell()
	if r.pidfd != nil {
		r.pidfd.SetReadDeadline(time.Unix(1, 0)) // wakes who waits for it
	}
	if h.leader == r {
		ring()
	}
}

// reap takes a child that has ended out of the kernel's table, and tells
// whoever waits for it; true if somebody does. Only who leads, or waits alone
// for that child, may call it.
func (h *Host) reap(pid int) (served bool) {
	var status syscall.WaitStatus
	h.table.Lock() // and not mu: the kernel needs up to a tenth of a millisecond
	n, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
	h.table.Unlock()
	if err != nil || n != pid {
		return false // one that could not execute its program, reaped by who forked it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hunt.reaped(h, pid)
	r := h.running[pid]
	if r == nil {
		h.bear(pid, statusOf(status))
		h.forks.keep(pid, statusOf(status))
		return false
	}
	delete(h.running, pid)
	r.ended, r.status = true, statusOf(status)
	if !h.cfg.Whole {
		r.died = ticksNow()
	}
	r.tell()
	return true
}

// reapAll reaps whatever has ended, unless somebody leads, who does it. It
// returns true if there are no children at all.
func (h *Host) reapAll() (childless bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leader != nil || !h.cfg.Whole {
		return false
	}
	h.leader = &h.sweeper
	h.mu.Unlock()
	pid, errno := peek(pAll, 0, syscall.WNOHANG)
	for ; pid != 0; pid, errno = peek(pAll, 0, syscall.WNOHANG) {
		h.reap(pid)
	}
	h.mu.Lock()
	h.leader = nil
	h.passOn()
	return errno == syscall.ECHILD
}

// childless tells that no process of any command is left, at the cost of one
// system call. (The guardian is not among those that the kernel counts here.)
func (h *Host) childless() bool {
	h.mu.Lock()
	alone := len(h.running) == 0
	h.mu.Unlock()
	return alone && h.reapAll()
}

func statusOf(w syscall.WaitStatus) Status {
	if w.Signaled() {
		return Status{Signal: w.Signal(), Core: w.CoreDump()}
	}
	return Status{Code: w.ExitStatus()}
}

// What waitid waits for.
const (
	pAll = 0
	pPID = 1
)

// peek waits for a child to end, and leaves it in the kernel's table: its
// process id remains its own until it is reaped, under the lock. With WNOHANG
// it returns 0 if none has ended.
func peek(what, id, flags int) (int, syscall.Errno) {
	var info [32]int32 // a siginfo_t
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, uintptr(what), uintptr(id),
			uintptr(unsafe.Pointer(&info)), uintptr(unix.WEXITED|unix.WNOWAIT|flags), 0, 0)
		if errno != syscall.EINTR {
			return int(info[siginfoPID]), errno
		}
	}
}

// siginfoPID is where siginfo_t has the process id, in units of four bytes:
// after three of them, and what aligns the pointers that follow.
const siginfoPID = 2 + unsafe.Sizeof(uintptr(0))/4
