package process

import (
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// enterable returns why one cannot go there; nil: one can.
func enterable(d files.Directory) error {
	fd, name := d.At(".")
	return unix.Faccessat(fd, name, unix.X_OK, 0)
}

// forkExecIn starts a program in a directory. A forked child comes there by attr.Dir, in the /proc of this process,
// which costs 2 µs; where there is none, it is forked by a thread that has gone there alone.
func forkExecIn(d files.Directory, path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	pid, err = syscall.ForkExec(path, args, attr)
	if err == nil || d.FD == 0 || leadsTo(attr.Dir, d) {
		return pid, err
	}
	onOwnThread(func() { pid, err = forkInThread(d, path, args, attr) })
	return pid, err
}

// leadsTo reports whether a path is one of the directory.
func leadsTo(path string, d files.Directory) bool {
	var here, there unix.Stat_t
	return unix.Fstat(d.FD, &here) == nil && unix.Stat(path, &there) == nil &&
		here.Dev == there.Dev && here.Ino == there.Ino
}

// forkInThread forks from a thread of its own, whose working directory is then not the process's.
func forkInThread(d files.Directory, path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return 0, err
	}
	if err := unix.Fchdir(d.FD); err != nil {
		return 0, err
	}
	there := *attr
	there.Dir = ""
	return syscall.ForkExec(path, args, &there)
}
