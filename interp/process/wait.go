package process

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// await returns when a command's own process has ended and is reaped.
//
// Where every child is ours, one of those who wait leads: it blocks in the
// kernel until any child ends, and tells the others of theirs. When its own has
// ended it passes the lead on. So one command costs no goroutine switch, and a
// thousand cost one blocked thread.
func (h *Host) await(r *run) {
	if !h.cfg.Whole || h.cfg.Weak {
		h.awaitAlone(r)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for !r.ended {
		if h.leading {
			h.follow(r)
			continue
		}
		h.leading = true
		h.lead(r)
		h.leading = false
		h.passOn()
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

// lead reaps what ends, until the command's own process has.
func (h *Host) lead(r *run) {
	for !r.ended {
		h.mu.Unlock()
		pid, errno := peek(pAll, 0, 0)
		h.mu.Lock()
		switch errno {
		case 0:
			if served := h.reap(pid); served && !r.ended {
				// Those who were served run now, rather than when the
				// scheduler notices that this thread is blocked again.
				h.mu.Unlock()
				runtime.Gosched()
				h.mu.Lock()
			}
		case syscall.ECHILD:
			r.lose()
		}
	}
}

// awaitAlone waits for one process, and leaves all others to those who started them.
func (h *Host) awaitAlone(r *run) {
	for {
		_, errno := peek(pPID, r.pid, 0)
		h.mu.Lock()
		if !r.ended && errno == 0 {
			h.reap(r.pid)
		}
		if !r.ended && errno == syscall.ECHILD {
			delete(h.running, r.pid)
			r.lose()
		}
		ended := r.ended
		h.mu.Unlock()
		if ended {
			return
		}
	}
}

// lose gives up a process that somebody else has reaped.
func (r *run) lose() {
	r.ended, r.status = true, Status{Code: 255}
}

// reap takes a child that has ended out of the kernel's table, and tells
// whoever waits for it. With the lock held; it may be given up meanwhile.
func (h *Host) reap(pid int) (served bool) {
	r := h.running[pid]
	if r == nil {
		// An orphan; or a child that is not entered yet, or that could not
		// execute its program and is reaped by who started it.
		h.mu.Unlock()
		h.forking.Lock()
		h.forking.Unlock()
		h.mu.Lock()
		r = h.running[pid]
	}
	var status syscall.WaitStatus
	if n, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); err != nil || n != pid {
		return false
	}
	h.hunt.reaped(h, pid)
	if r == nil {
		return false
	}
	delete(h.running, pid)
	r.ended, r.status = true, statusOf(status)
	r.tell()
	return true
}

// reapAll reaps whatever has ended, unless there is one who leads.
func (h *Host) reapAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.leading && h.cfg.Whole {
		pid, errno := peek(pAll, 0, unix.WNOHANG)
		if errno != 0 || pid == 0 {
			return
		}
		h.reap(pid)
	}
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

// siginfoPID is where siginfo_t has the process id, in units of four bytes: after three
// of them, and what aligns the pointers that follow.
const siginfoPID = 2 + unsafe.Sizeof(uintptr(0))/4
