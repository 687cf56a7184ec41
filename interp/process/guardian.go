package process

import (
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// GuardianFlag is the first argument with which the shell's own program is
// executed to do a guardian's work; it has then to call [Guard] with the rest.
const GuardianFlag = "--guardian"

// guardian is a small process that waits for this one to die, and if commands
// were under way then ends them.
//
// It is a fork of this process that has little of its memory: one page of stack,
// the program's code, and the ledger, in which this process notes what is under
// way without a system call. It waits for the end of a pipe of which only this
// process has the other end; then, if need be, it executes the shell's program
// afresh. Measured on two cores, it costs 0.13 ms before the first command and
// 0.06 ms in the end, and 30 kB of memory. A second process of the program, by
// fork and exec, took 0.3 to 0.6 ms, a millisecond of the other core, and 620 kB.
//
// It is killed to be dismissed: it has no handler and nothing to clean up.
type guardian struct {
	wanted bool
	hidden atomic.Int64 // its process id; 0: there is none

	mu     sync.Mutex
	ledger *ledger // made with the first guardian
	pipe   int     // our end
	held   []int   // descriptors that it is to hold, too
	stale  bool    // it does not hold what it should
}

// guard enters a command in the ledger, once there is a guardian, and returns
// its place there, which is 0 where it has none.
func (h *Host) guard(r *run) int {
	g := &h.guardian
	if !g.wanted {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stale || !g.alive() {
		if err := h.hire(); err != nil {
			h.observe(Notice{Happening: Unguarded, Command: r.cmd.Path})
			return 0
		}
	}
	place := g.ledger.enter(r.number)
	if place == 0 {
		h.observe(Notice{Happening: Unguarded, Command: r.cmd.Path})
	}
	return place
}

// hire starts a guardian, and only then dismisses one that does not hold what
// it should: there is one at any time.
func (h *Host) hire() (err error) {
	g := &h.guardian
	if g.ledger == nil {
		if g.ledger, err = h.newLedger(); err != nil {
			return err
		}
	}
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return err
	}
	defer syscall.Close(ends[0])
	pid, errno := g.ledger.fork(ends[0], g.held)
	if errno != 0 {
		syscall.Close(ends[1])
		return errno
	}
	g.end()
	g.hidden.Store(int64(pid))
	g.pipe, g.stale = ends[1], false
	return nil
}

// alive tells that there is one, which nobody has killed.
func (g *guardian) alive() bool {
	pid := g.pid()
	if pid == 0 {
		return false
	}
	ended, errno := peek(pPID, pid, syscall.WNOHANG|unix.WALL)
	return ended == 0 && errno == 0
}

// pid is its process id, 0 if there is none.
func (g *guardian) pid() int { return int(g.hidden.Load()) }

// name notes the process id of a command.
func (g *guardian) name(slot, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if slot != 0 && g.ledger != nil {
		g.ledger.name(slot, pid)
	}
}

// leave strikes a command out.
func (g *guardian) leave(slot int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if slot != 0 && g.ledger != nil {
		g.ledger.leave(slot)
	}
}

// rest dismisses it if nothing is under way.
func (g *guardian) rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ledger != nil && g.ledger.underWay() == 0 {
		g.end()
	}
}

// dismiss ends it, whatever is under way.
func (g *guardian) dismiss() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end()
	if g.ledger != nil {
		g.ledger.free()
		g.ledger = nil
	}
}

// end kills it and waits for that: also if it was stopped.
func (g *guardian) end() {
	pid := g.pid()
	if pid == 0 {
		return
	}
	syscall.Kill(pid, syscall.SIGKILL)
	for {
		// Its death is not announced by SIGCHLD, so that waiting for any child
		// does not see it; this does.
		if _, err := syscall.Wait4(pid, nil, unix.WALL, nil); err != syscall.EINTR {
			break
		}
	}
	syscall.Close(g.pipe)
	g.hidden.Store(0)
}

// Hold has the guardian hold a descriptor of ours too (of at most 63), from the next
// command on and until Release: what is locked through it stays locked until both are gone.
func (h *Host) Hold(fd int) {
	g := &h.guardian
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, fd)
	g.stale = true
}

// Release is called before a descriptor that is held is closed.
func (h *Host) Release(fd int) {
	g := &h.guardian
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, held := range g.held {
		if held == fd {
			g.held = append(g.held[:i:i], g.held[i+1:]...)
			g.stale = true
			return
		}
	}
}
