// Package guardian keeps a small process that ends the commands of this one where it cannot do that
// itself: all that were under way when it has died, and those that are past their limits while it
// is stopped.
//
// The guardian is this program once more. Which commands are under way, and until when they may run,
// the shell writes into memory that both share ([table]), without a system call. A socket connects
// them: over it the shell wakes a guardian that waits for longer than a new command may run; its end says
// that the shell has died. Descriptors that it is to hold it inherits: with others, there is another guardian.
//
// A guardian costs two milliseconds of a processor. So the first command goes without one for a
// moment, unless something is locked. What a shell leaves behind that is killed before that is the
// one gap. A guardian has the title ftsh-guardian and a session of its own, blocks
// all signals, holds no descriptors but these two and those that it is to hold, and sleeps
// until it is needed. It has nothing to clean up, and is killed to be dismissed.
package guardian

import (
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
)

const (
	// Flag is the first argument with which the shell's own program is executed as its guardian. Its Args follow, and
	// the number of descriptors that it has inherited for a purpose.
	Flag = "--guardian"
	// Title names a guardian in lists of processes.
	Title = "ftsh-guardian"

	delay     = 10 * time.Millisecond // for which the first command goes without one; the reference allows 20 ms
	shortLife = 10 * time.Millisecond // one that was killed so soon is not replaced before the next command
)

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
	if g.first.IsZero() {
		g.first = time.Now()
		g.waiting.Go(g.startLate)
	}
	due := atOnce || len(g.held) > 0 || !g.started.IsZero() || time.Since(g.first) >= delay
	if pid := g.PID(); due && (pid == 0 || !isAlive(pid)) {
		if err := g.startNew(); err != nil {
			return 0, err
		}
	}
	place, err = g.table.enterCommand(number, until)
	if err == nil && until != 0 && until < g.table.wakeTime() && g.PID() != 0 {
		// One that takes nothing more is stopped, and has been woken.
		_ = unix.Sendto(g.line, []byte{0}, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
	}
	return place, err
}

// startLate starts the first guardian after the delay, if a command is still under way.
func (g *Guardian) startLate() {
	if g.stopped.Sleep(delay) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.PID() == 0 {
		g.renew()
	}
}

// renew starts another guardian, if a command is under way. Otherwise the next command has one.
func (g *Guardian) renew() {
	switch {
	case g.table.isEmpty():
		g.endGuardian()
	case g.startNew() != nil:
		g.endGuardian()
		g.Unguarded()
	}
}

// Replace starts another guardian if that child was it, which somebody has killed.
func (g *Guardian) Replace(pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case pid == 0 || pid != g.PID() || isAlive(pid): // it was another, or is dismissed already
	case time.Since(g.started) < shortLife:
		g.endGuardian()
		g.Unguarded()
	default:
		g.renew()
	}
}

// Name notes the process id of a command.
func (g *Guardian) Name(place, pid int) {
	g.change(place, func(t *table) { t.rows[place].pid.Store(uint64(pid)) })
}

// Leave takes a command out.
func (g *Guardian) Leave(place int) {
	g.change(place, func(t *table) { t.leaveCommand(place) })
}

// HasEnded reports whether the guardian has ended a command that was past its limit, while the shell was stopped.
func (g *Guardian) HasEnded(place int) (ended bool) {
	g.change(place, func(t *table) { ended = t.rows[place].ended.Load() != 0 })
	return ended
}

// change does something to a command, if it was entered.
func (g *Guardian) change(place int, do func(*table)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if place != 0 && g.table != nil {
		do(g.table)
	}
}

// Rest dismisses the guardian if nothing is under way.
func (g *Guardian) Rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.table.isEmpty() {
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
	g.table.close()
	g.table = nil
}

// PID is the guardian's process id, 0 if there is none.
func (g *Guardian) PID() int { return int(g.pid.Load()) }

// Reaped notes that a child was reaped, which may have been the guardian. Table is held.
func (g *Guardian) Reaped(pid int) { g.pid.CompareAndSwap(int64(pid), 0) }

// Hold has the guardian hold a descriptor of ours, too, until release is called, before that is closed: what is locked
// through it stays locked until both are gone. From then on no command begins without a guardian.
func (g *Guardian) Hold(fd int) (release func()) {
	g.changeHeld(func() { g.held = append(g.held, fd) })
	return func() {
		g.changeHeld(func() { g.held = slices.DeleteFunc(g.held, func(held int) bool { return held == fd }) })
	}
}

// changeHeld changes what is held. A guardian holds what it was started with: another takes its place.
func (g *Guardian) changeHeld(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
	if g.PID() != 0 {
		g.renew()
	}
}

// startNew starts a guardian, and only then dismisses one that is there.
func (g *Guardian) startNew() error {
	if err := g.table.share(); err != nil {
		return err
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(ends[1])
	pid, err := g.execute(ends[1])
	if err != nil {
		unix.Close(ends[0])
		return err
	}
	g.endGuardian()
	g.pid.Store(int64(pid))
	g.line, g.started = ends[0], time.Now()
	g.Spare(pid)
	return nil
}

// execute starts this program as the guardian. It blocks all signals: they are inherited as they are on this thread.
func (g *Guardian) execute(line int) (pid int, err error) {
	files := []uintptr{lineEnd: uintptr(line), tableFile: uintptr(g.table.file), spareFile: uintptr(line)}
	for _, fd := range g.held {
		files = append(files, uintptr(fd))
	}
	args := slices.Concat([]string{Title, Flag}, g.Args(), []string{strconv.Itoa(len(files))})
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
	return syscall.ForkExec("/proc/self/exe", args, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
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
