package process

import (
	"context"
	"os"
	"strings"
	"syscall"
	"time"
)

// launch starts a command's program and enters it among those running.
//
// Where others run, a goroutine of its own does it: loading a program needs a
// stack four times as deep as waiting for it, and 1,000 commands that wait
// would keep theirs.
func (h *Host) launch(ctx context.Context, r *run) error {
	if h.alone() {
		return h.start(r)
	}
	select {
	case h.launcher <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	result := make(chan error)
	go func() {
		err := h.start(r)
		<-h.launcher
		result <- err
	}()
	return <-result
}

// alone tells that no command is under way, and sees to it that orphans come to us.
func (h *Host) alone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cfg.Whole && !h.adopting {
		h.adopt() // after Detach, with no exec after all
	}
	return len(h.running) == 0
}

// start starts the program. The guardian knows of it before.
func (h *Host) start(r *run) error {
	r.slot = h.guard(r)
	h.mu.Lock()
	fork := h.forks.begin()
	h.mu.Unlock()
	r.born = ticksNow()
	err := h.exec(r)
	h.mu.Lock()
	if err == nil {
		h.enter(r, fork)
	}
	h.forks.end()
	h.mu.Unlock()
	if err != nil {
		h.guardian.leave(r.slot)
		return err
	}
	h.guardian.name(r.slot, r.pid)
	h.observe(Notice{Happening: Started, PID: r.pid, Command: r.cmd.Path})
	return nil
}

// enter notes that a program runs; or that it has ended and was reaped before
// anybody knew it.
func (h *Host) enter(r *run, fork uint64) {
	if status, ended := h.forks.early(r.pid, fork); ended {
		r.ended, r.status = true, status
		return
	}
	h.running[r.pid] = r
}

// exec forks and executes the program.
func (h *Host) exec(r *run) error {
	c := r.cmd
	attr := syscall.ProcAttr{Dir: c.Dir, Env: h.environment(r), Files: make([]uintptr, len(c.Files))}
	for i, fd := range c.Files {
		attr.Files[i] = uintptr(fd)
	}
	pidfd := -1
	attr.Sys = &syscall.SysProcAttr{Setsid: h.cfg.Sessions}
	if !h.cfg.Whole {
		attr.Sys.PidFD = &pidfd
	}
	if c.Job != nil {
		defer h.unstick()()
		c.Job.place(attr.Sys)
	}
	pid, errno := h.forkGrouped(r, c.Path, c.Args, &attr)
	if errno == syscall.EPERM && c.Job != nil { // the group's last member has just died
		c.Job.lost()
		c.Job.place(attr.Sys)
		pid, errno = h.forkGrouped(r, c.Path, c.Args, &attr)
	}
	if errno == syscall.ENOEXEC && isText(within(c.Path, c.Dir)) {
		pid, errno = h.forkGrouped(r, "/bin/sh", shellArgs(c.Path, c.Args), &attr)
	}
	if errno != 0 {
		return startError(c, errno)
	}
	r.pid = pid
	if pidfd >= 0 {
		syscall.SetNonblock(pidfd, true) // for the netpoller
		r.pidfd = os.NewFile(uintptr(pidfd), "process")
	}
	return nil
}

// forkGrouped starts a program in a group of the command's own, if there are groups.
func (h *Host) forkGrouped(r *run, path string, args []string, attr *syscall.ProcAttr) (int, syscall.Errno) {
	one := h.groups.take(h.prefix)
	if one == nil {
		return forkExec(path, args, attr)
	}
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, one.fd
	pid, errno := forkExec(path, args, attr)
	attr.Sys.UseCgroupFD = false
	switch errno {
	case 0:
		r.group = one
		return pid, 0
	case syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPERM, syscall.EBUSY, syscall.EINVAL: // before Linux 5.7, or forbidden?
		if pid, errno = forkExec(path, args, attr); errno == 0 {
			h.groups.refuse(one)
			return pid, 0
		}
	}
	h.groups.give(one)
	return pid, errno
}

// busy is how long a program that is just being written is waited for.
const busy = 32 * time.Millisecond

// forkExec starts a program, and again when a signal came in between. A program
// that this shell has just written may be busy for a moment: a child that was
// forked meanwhile holds a copy of the descriptor until it executes its own.
func forkExec(path string, args []string, attr *syscall.ProcAttr) (int, syscall.Errno) {
	for wait := time.Millisecond; ; {
		pid, err := syscall.ForkExec(path, args, attr)
		switch errno := number(err); {
		case errno == syscall.EINTR:
		case errno == syscall.ETXTBSY && wait < busy:
			nap(wait)
			wait *= 2
		default:
			return pid, errno
		}
	}
}

// shellArgs are the arguments with which the POSIX shell runs a script that has
// no first line to say what runs it.
func shellArgs(path string, args []string) []string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	all := append(make([]string, 0, len(args)+1), "sh", path)
	if len(args) > 1 {
		all = append(all, args[1:]...)
	}
	return all
}

// forks are the programs being started. Their processes can end, and be reaped
// by who leads, before anybody knows their ids: then their status waits here.
type forks struct {
	under  int    // how many are under way
	serial uint64 // counts all
	reaped map[int]stash
}

// stash is the status of a process that nobody knew.
type stash struct {
	status Status
	serial uint64 // of the last fork begun by then
}

func (f *forks) begin() uint64 {
	f.under++
	f.serial++
	return f.serial
}

func (f *forks) end() {
	if f.under--; f.under == 0 {
		clear(f.reaped)
	}
}

// keep keeps the status of a process that nobody knows; nearly always it is an
// orphan's.
func (f *forks) keep(pid int, status Status) {
	if f.under == 0 {
		return
	}
	if f.reaped == nil {
		f.reaped = make(map[int]stash)
	}
	f.reaped[pid] = stash{status, f.serial}
}

// early finds the status of a process that was reaped after its fork had begun:
// before that, the id was another's.
func (f *forks) early(pid int, fork uint64) (Status, bool) {
	s, found := f.reaped[pid]
	return s.status, found && s.serial >= fork
}
