// Package guardian keeps a small process that waits for this one to die, and if
// commands were under way then has the shell's program end them.
//
// Which commands are under way this process notes in memory that it shares with the
// guardian, without a system call. The guardian waits for the end of a pipe of which
// only this process has the other end.
//
// There are two ways to start one: a raw fork (see rawfork), which is nearly free, and
// where there is none, or if that is wished, the program started again as its own
// guardian. Both carry the title ftsh-guardian, have a session of their own, block all
// signals and hold no descriptor but the pipe and those that they are to hold. A
// guardian is killed to be dismissed, as it has nothing to clean up.
package guardian

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/guardian/rawfork"
)

// Flag is the first argument with which the shell's own program is executed to do a
// guardian's work once the shell has died; the last is read by Commands.
const Flag = "--guardian"

// Title names a guardian in lists of processes.
const Title = "ftsh-guardian"

// Guardian is the shell's side: it starts a guardian when the first command is
// entered, and another whenever that has gone. Its methods are safe for concurrent use.
type Guardian struct {
	Args  func() []string // what the guardian's program is told, after Flag
	Again bool            // start the program again, also where it could be forked
	Spare func(pid int)   // has a guardian that was started outlive the shell where memory runs out
	Table sync.Locker     // held by whoever reaps children of this process

	pid atomic.Int64 // 0: there is none

	mu     sync.Mutex
	image  *rawfork.Image // what a forked guardian executes; nil: it is the program started again
	file   int            // has the table, for the program started again
	memory []byte         // the file, mapped
	table  *table         // nil before the first
	pipe   int            // our end
	held   []int          // descriptors that it is to hold, too
	stale  bool           // it does not hold what it should

	started time.Time // the last one
}

// Enter notes a command, once there is a guardian, and returns its place, from 1. It
// fails if there can be no guardian, or it has too much to guard.
func (g *Guardian) Enter(number uint64) (place int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pid := int(g.pid.Load()); pid == 0 || g.stale || !isAlive(pid) {
		if err := g.startNew(); err != nil {
			return 0, err
		}
	}
	return g.table.enterCommand(number)
}

// Replace starts another guardian if that child was it, which somebody has killed; it reports false if it was not, or
// is dismissed already. One that dies as soon as it was started is not replaced before the next command.
func (g *Guardian) Replace(pid int) (ours bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pid != g.PID() || pid == 0 || isAlive(pid) {
		return false, nil
	}
	if time.Since(g.started) < shortLife {
		g.endGuardian()
		return true, errShortLived
	}
	err = g.startNew()
	if err != nil {
		g.endGuardian()
	}
	return true, err
}

// shortLife is the least age at which a guardian is replaced while a command runs.
const shortLife = 10 * time.Millisecond

var errShortLived = errors.New("the guardian was killed as soon as it was started")

// Name notes the process id of a command.
func (g *Guardian) Name(place, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place != 0 && g.table != nil {
		atomic.StoreUint64(&g.table.rows[2*place-1], base32Word(uint64(pid)))
	}
}

// Leave takes a command out.
func (g *Guardian) Leave(place int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place != 0 && g.table != nil {
		g.table.leaveCommand(place)
	}
}

// Rest dismisses the guardian if nothing is under way.
func (g *Guardian) Rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.table != nil && g.table.isEmpty() {
		g.endGuardian()
	}
}

// Stop dismisses the guardian, whatever is under way, and gives the memory back.
func (g *Guardian) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.endGuardian()
	if g.table == nil {
		return
	}
	g.table = nil
	if g.image == nil {
		g.closeFile()
	} else {
		g.image.Free()
	}
}

// PID is the guardian's process id, 0 if there is none.
func (g *Guardian) PID() int { return int(g.pid.Load()) }

// IsOrdinary reports whether there is a guardian that is among the children for which
// the kernel waits where any is waited for.
func (g *Guardian) IsOrdinary() bool { return g.PID() != 0 && (g.Again || !rawfork.Supported) }

// Reaped notes that a child was reaped, which may have been the guardian. Table is held.
func (g *Guardian) Reaped(pid int) { g.pid.CompareAndSwap(int64(pid), 0) }

// Hold has the guardian hold a descriptor of ours, too (of at most 63), from the next
// command on and until Release: what is locked through it stays locked until both are gone.
func (g *Guardian) Hold(fd int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.stale = append(g.held, fd), true
}

// Release is called before a descriptor that is held is closed.
func (g *Guardian) Release(fd int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.held, fd); i >= 0 {
		g.held, g.stale = slices.Delete(g.held, i, i+1), true
	}
}

// startNew starts a guardian, and only then dismisses one that does not hold what it
// should: there is one at any time.
func (g *Guardian) startNew() error {
	if err := g.prepareTable(); err != nil {
		return err
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(ends[0])
	var pid int
	var err error
	if g.image == nil {
		pid, err = g.startAgain(ends[0])
	} else {
		pid, err = g.image.Fork(ends[0], g.held)
	}
	if err != nil {
		unix.Close(ends[1])
		return err
	}
	g.endGuardian()
	g.pid.Store(int64(pid))
	g.pipe, g.stale, g.started = ends[1], false, time.Now()
	g.Spare(pid)
	return nil
}

// prepareTable makes the table, with the first guardian.
func (g *Guardian) prepareTable() (err error) {
	if g.table != nil {
		return nil
	}
	var memory []byte
	if g.image = nil; g.Again || !rawfork.Supported {
		memory, err = g.openFile()
	} else {
		g.image, memory, err = rawfork.Layout(append([]string{Title, Flag}, g.Args()...), unix.Environ(), tableSize)
	}
	if err == nil {
		words := unsafe.Slice((*uint64)(unsafe.Pointer(&memory[0])), tableSize/8)
		g.table = &table{count: &words[0], rows: words[1:]}
	}
	return err
}

// isAlive reports whether nobody has killed a guardian.
func isAlive(pid int) bool {
	var info unix.Siginfo
	return waitEnd(pid, unix.WNOHANG, &info) == nil && info.Signo == 0
}

// endGuardian kills the guardian, waits for that, also if it was stopped, and takes it out of the
// process table, unless it was taken out with other children.
func (g *Guardian) endGuardian() {
	g.Table.Lock()
	pid := int(g.pid.Load())
	if pid != 0 {
		unix.Kill(pid, unix.SIGKILL)
		g.Table.Unlock()
		var info unix.Siginfo
		waitEnd(pid, 0, &info)
		g.Table.Lock()
		if int(g.pid.Load()) == pid {
			unix.Wait4(pid, nil, unix.WNOHANG|unix.WALL, nil)
			g.pid.Store(0)
		}
	}
	g.Table.Unlock()
	if g.pipe != 0 {
		unix.Close(g.pipe)
		g.pipe = 0
	}
}

// waitEnd waits for a child to end, one whose death no signal announces included, and
// leaves it in the process table.
func waitEnd(pid, flags int, info *unix.Siginfo) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, info, unix.WEXITED|unix.WNOWAIT|unix.WALL|flags, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
