package process

import (
	"runtime"
	"slices"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// awaitCommand returns when a command's own process has ended and is reaped, or has
// been given up.
//
// Where every child is ours, one of the goroutines that wait leads: it blocks in the
// kernel until any child ends, and tells the others of theirs. When its own has
// ended it passes the lead on. So one command costs no goroutine switch, and a
// thousand cost one blocked thread.
func (h *Host) awaitCommand(r *run) {
	if !h.cfg.Whole {
		h.awaitAlone(r)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for !r.ended {
		if h.leader == nil {
			h.leader = r
			h.leadWait(r)
			h.leader = nil
			continue
		}
		told := make(chan struct{})
		r.told = told
		h.mu.Unlock()
		<-told
		h.mu.Lock()
	}
	if h.leader == nil {
		h.passOn() // also if it was our turn, but the sweep was faster
	}
}

// wakeWaiter makes the goroutine that waits for a command look again. With the lock held.
func (r *run) wakeWaiter() {
	if r.told != nil {
		close(r.told)
		r.told = nil
	}
}

// passOn lets another lead. With the lock held.
func (h *Host) passOn() {
	for _, r := range h.running {
		if r.told != nil {
			r.wakeWaiter()
			return
		}
	}
}

// leadWait reaps what ends, until the command's own process has. Where there are
// jobs it also learns of what stops. It is called with the lock held, and gives it
// up while it waits.
func (h *Host) leadWait(r *run) {
	for !r.ended {
		flags := 0
		if h.jobs > 0 {
			flags = unix.WSTOPPED
		}
		h.mu.Unlock()
		pid, err := peekChild(unix.P_ALL, 0, flags)
		h.replaceGuardian(pid)
		served := err == nil && !(flags != 0 && h.noteStop(pid)) && h.reapChild(pid)
		h.mu.Lock()
		switch {
		case err != nil:
			h.giveUpReaped(r)
		case served && !r.ended:
			// The goroutines that were served run now, rather than when the scheduler
			// notices that this thread is blocked again.
			h.mu.Unlock()
			runtime.Gosched()
			h.mu.Lock()
		}
	}
}

// replaceGuardian starts another guardian if a child that has ended, or stopped, is the one that we have.
func (h *Host) replaceGuardian(pid int) {
	if pid == 0 || pid != h.guardian.PID() {
		return
	}
	waitStop(unix.P_PID, pid, 0)
	h.guardian.Replace(pid)
}

// awaitAlone waits for one process, and leaves all others to those that started
// them: with a pidfd on the netpoller, or on a kernel without (before Linux
// 5.3) in a blocked thread.
func (h *Host) awaitAlone(r *run) {
	if r.pidfd != nil {
		defer r.pidfd.Close()
		if raw, err := r.pidfd.SyscallConn(); err == nil {
			raw.Read(func(uintptr) bool { return h.reapIfEnded(r, unix.WNOHANG) })
		}
	}
	for !h.reapIfEnded(r, 0) {
	}
}

// reapIfEnded reaps the command's own process if it has ended, and reports whether it
// has, or was given up.
func (h *Host) reapIfEnded(r *run, flags int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.ended {
		return true
	}
	h.mu.Unlock()
	pid, err := peekChild(unix.P_PID, r.pid, flags)
	if err == nil && pid != 0 {
		h.reapChild(pid)
	}
	h.mu.Lock()
	if err != nil && !r.ended {
		h.giveUpReaped(r)
	}
	return r.ended
}

// end says whether a command's own process has ended, and how.
type end uint8

const (
	underWay end = iota
	hasSucceeded
	hasFailed
)

// readEnd finds out whether a command's own process has ended, also if nobody has been told of it yet: the shell may
// have been stopped meanwhile. With both locks held.
func (r *run) readEnd() end {
	success := r.ended && r.status.Success()
	if !r.ended {
		var info unix.Siginfo
		if peekInto(&info, unix.P_PID, r.pid, unix.WNOHANG) != nil || pidIn(&info) == 0 {
			if isFailing(r.pid) {
				return hasFailed
			}
			return underWay // or reaped by another, as awaitCommand will find out
		}
		success = info.Code == exited && statusIn(&info) == 0
	}
	if success {
		return hasSucceeded
	}
	return hasFailed
}

// isFailing reports whether a process is in its exit, with a failure. The stage behind it may have failed for that: the
// end of its input comes before one can wait for this process.
func isFailing(pid int) bool {
	var s procfs.Stat
	p, err := procfs.Open(pid)
	if err != nil {
		return false
	}
	defer p.Close()
	return p.Stat(&s) == nil && s.Failing
}

// giveUpReaped gives up a process that somebody else has reaped.
func (h *Host) giveUpReaped(r *run) {
	delete(h.running, r.pid)
	r.ended, r.status = true, world.Status{Code: 255}
}

// abandonProcess gives up a process that lives on: it may not be signalled, or it is
// weak mode and it survived. With the lock held. When it ends one day it is
// reaped like an orphan.
func (h *Host) abandonProcess(r *run) {
	delete(h.running, r.pid)
	r.ended, r.abandoned = true, true
	r.wakeWaiter()
	if r.pidfd != nil {
		r.pidfd.SetReadDeadline(time.Unix(1, 0)) // wakes the goroutine that waits for it
	}
	if h.leader == r {
		wakeLeader()
	}
}

// wakeLeader has a child end at once: the kernel offers no other way to end a wait
// for any child. It needs no descriptor.
func wakeLeader() {
	const attempts, pause = 10, 10 * time.Millisecond // where there is no room for a process
	withDescriptors(func() {
		for range attempts {
			_, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", ":"}, &syscall.ProcAttr{})
			if err != nil {
				_, err = syscall.ForkExec("/proc/self/exe", []string{guardian.Title, guardian.Flag}, &syscall.ProcAttr{})
			}
			if err == nil {
				return
			}
			clock.Nap(pause)
		}
	})
}

// reapChild takes a child that has ended out of the kernel's table, and tells
// whoever waits for it; true if somebody does. Only the one that leads, or waits alone
// for that child, may call it.
func (h *Host) reapChild(pid int) (served bool) {
	var w syscall.WaitStatus
	var used *syscall.Rusage
	if h.cfg.Reaped != nil {
		used = new(syscall.Rusage)
	}
	h.table.Lock() // and not mu: the kernel needs up to a tenth of a millisecond
	h.looked.Do(func() {
		if procfs.Missing() {
			h.blind.Store(true)
		}
	})
	if h.blind.Load() {
		h.signalLeftGroup(pid)
	}
	n, err := syscall.Wait4(pid, &w, unix.WNOHANG, used)
	h.guardian.Reaped(n)
	if err != nil || n != pid {
		h.table.Unlock()
		return false // one that could not execute its program, reaped where it was forked
	}
	if used != nil {
		h.cfg.Reaped(used)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.table.Unlock() // not before: with both locks held, nothing that is reaped is found running
	status := world.Status{Code: w.ExitStatus()}
	if w.Signaled() {
		status = world.Status{Signal: w.Signal(), Core: w.CoreDump()}
	}
	h.forgetMember(pid)
	delete(h.kept, pid)
	r := h.running[pid]
	if r == nil {
		h.relayEnded(pid, status)
		h.forks.keepStatus(pid, status)
		return false
	}
	delete(h.running, pid)
	r.ended, r.status = true, status
	if !h.cfg.Whole {
		r.died = procfs.Now()
	}
	r.wakeWaiter()
	return true
}

// reapAll reaps whatever has ended, unless one leads, which does it. It
// reports whether no process of any command is left, at the cost of one system call.
func (h *Host) reapAll() (childless bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leader != nil || !h.cfg.Whole {
		return false
	}
	h.leader = &h.reaping
	h.mu.Unlock()
	pid, err := peekChild(unix.P_ALL, 0, unix.WNOHANG)
	for ; pid != 0; pid, err = peekChild(unix.P_ALL, 0, unix.WNOHANG) {
		h.reapChild(pid)
	}
	childless = err == unix.ECHILD || h.hasOnlyGuardian()
	h.mu.Lock()
	h.leader = nil
	h.passOn()
	return childless
}

// hasOnlyGuardian reports whether the guardian is our only child. The list of one thread tells: the first has the
// orphans, and whatever another thread has forked is known.
func (h *Host) hasOnlyGuardian() bool {
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	known := len(h.running) + len(h.relays) + h.forks.under
	h.mu.Unlock()
	if known > 0 || h.guardian.PID() == 0 {
		return false
	}
	children, err := procfs.Orphans(h.self)
	return err == nil && (len(children) == 0 || slices.Equal(children, []int{h.guardian.PID()}))
}

// peekChild waits for a child to end, and leaves it in the kernel's table: its
// process id remains its own until it is reaped, under the lock. With WNOHANG
// it returns 0 if none has ended.
func peekChild(what, id, flags int) (pid int, err error) {
	var info unix.Siginfo
	err = peekInto(&info, what, id, flags)
	return pidIn(&info), err
}

// peekInto does so, and gives all that waitid tells.
func peekInto(info *unix.Siginfo, what, id, flags int) error {
	for {
		err := unix.Waitid(what, id, info, unix.WEXITED|unix.WNOWAIT|flags, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// exited is the code CLD_EXITED in what waitid tells.
const exited = 1

// pidIn is the process id in what waitid tells: after three numbers, and what
// aligns the pointers that follow.
func pidIn(info *unix.Siginfo) int { return wordOf(info, 0) }

// statusIn is the exit status there, or the signal: behind the process id and the user's.
func statusIn(info *unix.Siginfo) int { return wordOf(info, 2) }

func wordOf(info *unix.Siginfo, n int) int {
	const place = 2 + unsafe.Sizeof(uintptr(0))/4
	return int((*[unsafe.Sizeof(*info) / 4]int32)(unsafe.Pointer(info))[int(place)+n])
}
