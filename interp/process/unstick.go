package process

import (
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stuckAfter is how long a program may take to start before it is looked whether a key
// has stopped it; most take less than a millisecond.
const stuckAfter = 20 * time.Millisecond

// unstick sees to it, until done is called, that what is being started for a job does
// start. Ctrl-Z reaches a child from the moment it exists, when it is still in the
// shell's group, or in that of the job and has not executed its program yet:
// it stops there, where nobody can know of it, and the shell waits for it to go on.
// That key is lost; the next stops the program.
func (h *Host) unstick() (done func()) {
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(stuckAfter)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				h.goOn(firstStopped())
			}
		}
	})
	return func() {
		close(over)
		watching.Wait()
	}
}

// goOn continues a child that was stopped before anybody knew its id.
func (h *Host) goOn(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if pid != 0 && h.isStarting(pid) {
		takeStop(pid)
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// isStarting tells whether a child is one of those being started. With the lock held.
func (h *Host) isStarting(pid int) bool {
	return h.running[pid] == nil && h.witnesses[pid] == nil && h.forks.under > 0 && isOwnProgram(pid)
}

// isOwnProgram tells whether a process executes the shell's own program: a copy of
// it that has not executed another yet, or a witness.
func isOwnProgram(pid int) bool {
	own, err1 := os.Readlink("/proc/self/exe")
	its, err2 := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	return err1 == nil && err2 == nil && own == its
}

// firstStopped finds a child that has stopped, and of which nobody has taken notice;
// 0 if there is none.
func firstStopped() int {
	var info [32]int32 // a siginfo_t
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pAll, 0,
		uintptr(unsafe.Pointer(&info)), uintptr(unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT), 0, 0)
	if errno != 0 {
		return 0
	}
	return int(info[siginfoPID])
}
