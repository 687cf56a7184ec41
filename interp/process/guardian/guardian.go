// Package guardian keeps a small process that ends the commands of this one where it cannot do that
// itself: all that were under way when it has died, and those that are past their limits while it
// is stopped.
//
// The guardian is this program once more. Which commands are under way, and until when they may run,
// the shell writes into memory that both share ([table]), without a system call. A socket connects
// them: over it the shell wakes a guardian that waits for longer than a new command may run, and
// hands it descriptors to hold; and its end says that the shell has died.
//
// A guardian costs two milliseconds of a processor. So the first command goes without one for a
// moment, unless something is locked. What a shell leaves behind that is killed before that is the
// one gap. A guardian has the title ftsh-guardian and a session of its own, blocks
// all signals, holds no descriptors but these two and those that it is to hold, and sleeps
// until it is needed. It has nothing to clean up, and is killed to be dismissed.
package guardian

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
)

// Flag is the first argument with which the shell's own program is executed as its guardian. The
// others are its Args.
const Flag = "--guardian"

// Title names a guardian in lists of processes.
const Title = "ftsh-guardian"

// delay is the time for which the first command goes without a guardian; the reference allows 20 ms.
const delay = 10 * time.Millisecond

// Guardian is the shell's side: it starts a guardian when one is needed, and another whenever that
// has gone. Its methods are safe for concurrent use.
type Guardian struct {
	Args      func() []string // what the guardian's program is told
	Spare     func(pid int)   // makes the kernel end another process first where memory runs out
	Table     sync.Locker     // held by whoever reaps children of this process
	Unguarded func()          // told that none could be started for what is under way

	pid     atomic.Int64 // 0: there is none
	waiting sync.WaitGroup
	stopped clock.Sleeper

	mu      sync.Mutex
	table   *table    // nil before the first command
	line    int       // our end of the socket
	held    []int     // descriptors that it is to hold, too
	first   time.Time // when the first command was entered
	started time.Time // the last guardian
}

// Enter notes a command and until when it may run, by the kernel's time since boot (0: for ever), and
// returns its place, from 1. It fails if there should be a guardian and is none, or it
// has too much to guard. At once demands a guardian for the first command, too.
func (g *Guardian) Enter(number uint64, until time.Duration, atOnce bool) (place int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.table == nil {
		g.table = newTable()
	}
	if pid := g.PID(); (pid == 0 || !isAlive(pid)) && (g.isDue() || atOnce) {
		if err := g.startNew(); err != nil {
			return 0, err
		}
	}
	place, err = g.table.enterCommand(number, until)
	if err == nil && until != 0 && until < g.table.wakeTime() {
		g.send(wake, 0)
	}
	return place, err
}

// isDue reports whether the next command needs a guardian before it begins.
func (g *Guardian) isDue() bool {
	if len(g.held) > 0 || !g.started.IsZero() {
		return true
	}
	if g.first.IsZero() {
		g.first = time.Now()
		g.waiting.Go(g.startLate)
	}
	return time.Since(g.first) >= delay
}

// startLate starts the first guardian after the delay, if a command is still under way.
func (g *Guardian) startLate() {
	if g.stopped.Sleep(delay) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.table == nil || g.table.isEmpty() || g.PID() != 0 {
		return
	}
	if g.startNew() != nil {
		g.Unguarded()
	}
}

// Replace starts another guardian if that child was it, which somebody has killed. One that dies as soon as it was
// started is not replaced before the next command.
func (g *Guardian) Replace(pid int) (err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pid != g.PID() || pid == 0 || isAlive(pid) {
		return nil // it was another, or is dismissed already
	}
	if err = errors.New("the guardian was killed as soon as it was started"); time.Since(g.started) >= shortLife {
		err = g.startNew()
	}
	if err != nil {
		g.endGuardian()
	}
	return err
}

// shortLife is the least age at which a guardian is replaced while a command runs.
const shortLife = 10 * time.Millisecond

// Name notes the process id of a command.
func (g *Guardian) Name(place, pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place != 0 && g.table != nil {
		g.table.rows[place].pid.Store(uint64(pid))
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

// HasEnded reports whether the guardian has ended a command that was past its limit, while the shell was stopped.
func (g *Guardian) HasEnded(place int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return place != 0 && g.table != nil && g.table.rows[place].ended.Load() != 0
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
	g.stopped.Wake()
	g.waiting.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.endGuardian()
	if g.table != nil {
		g.table.close()
	}
	g.table = nil
}

// PID is the guardian's process id, 0 if there is none.
func (g *Guardian) PID() int { return int(g.pid.Load()) }

// Reaped notes that a child was reaped, which may have been the guardian. Table is held.
func (g *Guardian) Reaped(pid int) { g.pid.CompareAndSwap(int64(pid), 0) }

// Hold has the guardian hold a descriptor of ours, too, until Release: what is locked through it stays locked until
// both are gone. From then on no command begins without a guardian.
func (g *Guardian) Hold(fd int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = append(g.held, fd)
	g.send(hold, fd)
}

// Release is called before a descriptor that is held is closed.
func (g *Guardian) Release(fd int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.held, fd); i >= 0 {
		g.held = slices.Delete(g.held, i, i+1)
		g.send(release, fd)
	}
}

// The messages to a guardian: a byte, and the number that a descriptor has here, which itself goes with it.
const (
	wake    = 'w' // look at the table again
	hold    = 'h'
	release = 'r'
)

const messageSize = 5

// send tells the guardian something, if there is one. One that takes nothing more is stopped: the next command has
// another then, but what wakes it may be lost, as it has been woken.
func (g *Guardian) send(kind byte, fd int) {
	message := binary.NativeEndian.AppendUint32([]byte{kind}, uint32(fd))
	var rights []byte
	if kind == hold {
		rights = unix.UnixRights(fd)
	}
	if g.PID() == 0 {
		return
	}
	_, err := unix.SendmsgN(g.line, message, rights, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	if err != nil && kind != wake {
		g.endGuardian()
	}
}

// startNew starts a guardian, and only then dismisses one that is there.
func (g *Guardian) startNew() error {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(ends[1])
	pid := 0
	if err = g.table.share(); err == nil {
		pid, err = g.execute(ends[1])
	}
	if err != nil {
		unix.Close(ends[0])
		return err
	}
	g.endGuardian()
	g.pid.Store(int64(pid))
	g.line, g.started = ends[0], time.Now()
	for _, fd := range g.held {
		g.send(hold, fd)
	}
	g.Spare(pid)
	return nil
}

// execute starts this program as the guardian. It blocks all signals: they are inherited as they are on this thread.
func (g *Guardian) execute(line int) (pid int, err error) {
	files := []uintptr{lineEnd: uintptr(line), tableFile: uintptr(g.table.file), spareFile: uintptr(line)}
	// With more processors Go's runtime has more threads, and to learn their number it would hold descriptors.
	env := append(unix.Environ(), "GOMAXPROCS=1", "GODEBUG=containermaxprocs=0")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return 0, err
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return syscall.ForkExec("/proc/self/exe", append([]string{Title, Flag}, g.Args()...), &syscall.ProcAttr{
		Dir: "/", Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

// isAlive reports whether nobody has killed a guardian.
func isAlive(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == nil && info.Signo == 0
}

// endGuardian kills the guardian, also one that is stopped, and takes it out of the process table.
func (g *Guardian) endGuardian() {
	g.Table.Lock()
	if pid := g.PID(); pid != 0 {
		unix.Kill(pid, unix.SIGKILL)
		for err := error(unix.EINTR); err == unix.EINTR; {
			_, err = unix.Wait4(pid, nil, 0, nil)
		}
		g.pid.Store(0)
	}
	g.Table.Unlock()
	if g.line != 0 {
		unix.Close(g.line)
		g.line = 0
	}
}
