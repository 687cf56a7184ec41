package process

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// launchProgram starts a command's program and enters it among those running.
//
// Where others run, a goroutine of its own does it: loading a program needs a
// stack four times as deep as waiting for it, and 1,000 commands that wait
// would keep theirs.
func (h *Host) launchProgram(ctx context.Context, r *run) error {
	h.mu.Lock()
	if h.cfg.Whole && !h.adopting {
		h.becomeSubreaper() // after Detach, with no exec after all
	}
	alone := len(h.running) == 0
	h.mu.Unlock()
	if alone {
		return h.startProgram(r)
	}
	select {
	case h.launching <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	result := make(chan error)
	go func() {
		err := h.startProgram(r)
		<-h.launching
		result <- err
	}()
	return <-result
}

// startProgram starts the program. The guardian knows of it before.
func (h *Host) startProgram(r *run) (err error) {
	h.opening.Do(func() { h.groups = cgroup.Open(h.prefix) })
	h.mu.Lock()
	fork := h.forks.beginFork()
	h.mu.Unlock()
	if h.cfg.Guardian && h.cfg.Whole && !r.cmd.Unguarded {
		if r.place, err = h.guardian.Enter(r.number, r.cmd.Until, false); err != nil {
			h.cfg.Observe(Notice{Happening: Unguarded, Command: r.cmd.Path})
		}
	}
	r.born = procfs.Now()
	err = h.forkProgram(r)
	h.mu.Lock()
	missed := h.forks.missedSignals(fork)
	h.enterStarted(r, fork, err == nil)
	h.mu.Unlock()
	if err != nil {
		h.guardian.Leave(r.place)
		return err
	}
	h.guardian.Name(r.place, r.pid)
	if r.cmd.Started != nil {
		r.cmd.Started()
	}
	h.cfg.Observe(Notice{Happening: Started, PID: r.pid, Command: r.cmd.Path})
	for _, sig := range missed {
		h.signalOwn(sig, r)
	}
	return nil
}

// enterStarted makes known what was started, unless it has ended by now; it may have been stopped. With the lock held.
func (h *Host) enterStarted(r *run, fork uint64, started bool) {
	stopped := h.forks.stopped[r.pid]
	if r.status, r.ended = h.forks.endFork(r.pid, fork); !started || r.ended {
		return
	}
	h.running[r.pid] = r
	if stopped {
		r.takeStop()
	}
}

// forkProgram forks and executes the program.
func (h *Host) forkProgram(r *run) error {
	c := r.cmd
	attr := syscall.ProcAttr{Dir: c.Dir.Name, Env: h.environment(r), Files: make([]uintptr, len(c.Files))}
	for i, fd := range c.Files {
		attr.Files[i] = uintptr(fd)
	}
	if c.Dir.FD != 0 {
		attr.Dir = "/proc/self/fd/" + strconv.Itoa(c.Dir.FD)
	}
	pidfd := -1
	attr.Sys = &syscall.SysProcAttr{Setsid: h.cfg.Sessions}
	if !h.cfg.Whole {
		attr.Sys.PidFD = &pidfd
	}
	if c.Job != nil {
		defer h.watchStarting()()
		jobOf(c).setGroup(attr.Sys)
	}
	err := h.forkGrouped(r, c.Path, c.Args, &attr)
	if err == unix.EPERM && c.Job != nil { // the group's last member has just died
		jobOf(c).noteGroupGone()
		jobOf(c).setGroup(attr.Sys)
		err = h.forkGrouped(r, c.Path, c.Args, &attr)
	}
	if err == unix.ENOEXEC && isText(c.Path, c.Dir) {
		err = h.forkGrouped(r, "/bin/sh", shellArgs(c.Path, c.Args), &attr)
	}
	if err != nil {
		r.pid = 0
		return startError(c, err)
	}
	if pidfd >= 0 {
		unix.SetNonblock(pidfd, true) // for the netpoller
		r.pidfd = os.NewFile(uintptr(pidfd), "process")
	}
	return nil
}

// forkGrouped starts a program in a group of the command's own, if there are groups.
func (h *Host) forkGrouped(r *run, path string, args []string, attr *syscall.ProcAttr) (err error) {
	var g *cgroup.Group
	if h.groups != nil {
		g = h.groups.Take()
	}
	if g == nil {
		r.pid, err = forkExec(r.cmd.Dir, path, args, attr)
		return err
	}
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, g.FD
	r.pid, err = forkExec(r.cmd.Dir, path, args, attr)
	attr.Sys.UseCgroupFD = false
	switch err {
	case nil:
		r.group = g
		return nil
	case unix.ENOSYS, unix.EOPNOTSUPP, unix.EPERM, unix.EBUSY, unix.EINVAL: // before Linux 5.7, or forbidden?
		if r.pid, err = forkExec(r.cmd.Dir, path, args, attr); err == nil {
			h.groups.Refuse(g)
			return nil
		}
	}
	h.groups.Give(g)
	return err
}

// busyTimeout limits the wait for a program that is just being written.
const busyTimeout = 32 * time.Millisecond

// forkExec starts a program, and again when a signal came in between. A program
// that this shell has just written may be busy for a moment: a child that was
// forked meanwhile holds a copy of the descriptor until it executes its own.
func forkExec(d files.Directory, path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	for wait := time.Millisecond; ; {
		pid, err = forkExecIn(d, path, args, attr)
		switch {
		case err == unix.EINTR:
		case err == unix.ETXTBSY && wait < busyTimeout:
			clock.Nap(wait)
			wait *= 2
		default:
			return pid, err
		}
	}
}

// shellArgs are the arguments with which the POSIX shell runs a script that has
// no first line to say what runs it.
func shellArgs(path string, args []string) []string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return append([]string{"sh", path}, args[min(1, len(args)):]...)
}

// forks are the programs being started. Their processes can end, and be reaped
// by the one that leads, before anybody knows their ids: then their status waits here.
type forks struct {
	under   int          // how many are under way
	since   procfs.Ticks // none of these is older
	serial  uint64       // counts all
	reaped  map[int]unclaimed
	stopped map[int]bool // by a key, in the program already
	sent    []sent
}

// unclaimed is the status of a process that nobody knew.
type unclaimed struct {
	status world.Status
	serial uint64 // of the last fork begun by then
}

func (f *forks) beginFork() uint64 {
	if f.under == 0 {
		f.since = procfs.Now()
	}
	f.under++
	f.serial++
	return f.serial
}

// keepStatus keeps the status of a process that nobody knows; nearly always it is an
// orphan's.
func (f *forks) keepStatus(pid int, status world.Status) {
	if f.under == 0 {
		return
	}
	if f.reaped == nil {
		f.reaped = make(map[int]unclaimed)
	}
	f.reaped[pid] = unclaimed{status, f.serial}
	delete(f.stopped, pid)
}

// keepStop keeps that a process has stopped that nobody knows.
func (f *forks) keepStop(pid int) {
	if f.under == 0 {
		return
	}
	if f.stopped == nil {
		f.stopped = make(map[int]bool)
	}
	f.stopped[pid] = true
}

// endFork ends a fork, and finds the status of its process if that was reaped after
// the fork had begun: before that, the id was another's.
func (f *forks) endFork(pid int, fork uint64) (status world.Status, ended bool) {
	if u, found := f.reaped[pid]; found && u.serial >= fork {
		status, ended = u.status, true
	}
	if f.under--; f.under == 0 {
		clear(f.reaped)
		f.stopped, f.sent = nil, nil
	}
	return status, ended
}
