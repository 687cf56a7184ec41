package process

import (
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Directory is the one that a program runs in, and that relative names begin at. The zero value is this
// process's own.
type Directory struct {
	Name string // for people; where there is no descriptor, the directory is entered by it
	FD   int    // an open descriptor of it, so that nobody can put another in its place; 0: none
}

// At gives a name as the system calls that end in "at" want it.
func (d Directory) At(name string) (dirFD int, relative string) {
	switch {
	case d.FD != 0:
		return d.FD, name
	case d.Name != "" && !strings.HasPrefix(name, "/"):
		return unix.AT_FDCWD, d.Name + "/" + name
	}
	return unix.AT_FDCWD, name
}

// procPath leads the calling process to the directory, where it has a /proc; "": it is there.
func (d Directory) procPath() string {
	if d.FD == 0 {
		return d.Name
	}
	return "/proc/self/fd/" + strconv.Itoa(d.FD)
}

// enterable returns why one cannot go there; nil: one can.
func (d Directory) enterable() error {
	fd, name := d.At(".")
	return unix.Faccessat(fd, name, unix.X_OK, 0)
}

// forkExecIn starts a program in a directory. A forked child comes there by the /proc of this process,
// which costs 2 µs; where there is none, it is forked by a thread that has gone there alone.
func forkExecIn(d Directory, path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
	pid, err = syscall.ForkExec(path, args, attr)
	if err == nil || d.FD == 0 || leadsTo(d) {
		return pid, err
	}
	onOwnThread(func() { pid, err = forkInThread(d, path, args, attr) })
	return pid, err
}

// leadsTo reports whether the path of a directory's descriptor is one.
func leadsTo(d Directory) bool {
	var here, there unix.Stat_t
	return unix.Fstat(d.FD, &here) == nil && unix.Stat(d.procPath(), &there) == nil &&
		here.Dev == there.Dev && here.Ino == there.Ino
}

// forkInThread forks from a thread of its own, whose working directory is then not the process's.
func forkInThread(d Directory, path string, args []string, attr *syscall.ProcAttr) (pid int, err error) {
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
