package procfs

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// Children appends the ids of its children, of all its threads; 0: how many it has is not known. ENOENT: the
// process is gone, or the kernel does not list them.
func (p Process) Children(pid, threads int, dst []int) ([]int, error) {
	if threads == 1 {
		return p.childrenOfThread(pid, dst)
	}
	fd, err := unix.Openat(int(p), "task", readOnly|unix.O_DIRECTORY, 0)
	if err != nil {
		return dst, err
	}
	defer unix.Close(fd)
	var failed error
	for _, tid := range appendNumbered(fd, nil) {
		if dst, err = p.childrenOfThread(tid, dst); err != nil && (tid == pid || err != unix.ENOENT) {
			failed = err
		}
	}
	return dst, failed
}

// childrenOfThread appends the ids of one thread's children (Linux 3.5 with
// CONFIG_CHECKPOINT_RESTORE, 4.2 with CONFIG_PROC_CHILDREN).
func (p Process) childrenOfThread(tid int, dst []int) ([]int, error) {
	fd, err := unix.Openat(int(p), "task/"+strconv.Itoa(tid)+"/children", readOnly, 0)
	if err != nil {
		return dst, err
	}
	defer unix.Close(fd)
	var buf [1024]byte // on the stack: most have few
	text, err := readAll(fd, buf[:0])
	for number := range bytes.FieldsSeq(text) {
		child, _ := strconv.Atoi(string(number))
		dst = append(dst, child)
	}
	return dst, err
}

// Orphans are the children of a process's first thread: those that have come to it, and those that it forked itself.
func Orphans(pid int) ([]int, error) {
	p, err := Open(pid)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.childrenOfThread(pid, nil)
}

// appendNumbered appends the entries of a directory whose names are numbers.
func appendNumbered(fd int, dst []int) []int {
	var buf [4096]byte
	for {
		n, err := unix.ReadDirent(fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return dst
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if number, err := strconv.Atoi(name); err == nil {
				dst = append(dst, number)
			}
		}
	}
}

// ListsChildren reports whether the kernel lists the children of a process, if
// only ours. (Where /proc cannot be opened at all, it is taken to do so.)
func ListsChildren() bool {
	self, err := Open(unix.Getpid())
	if err != nil {
		return true
	}
	defer self.Close()
	_, err = self.childrenOfThread(unix.Getpid(), nil)
	return err != unix.ENOENT
}

// Families finds the children of all processes, by the parents that they name.
func Families() (map[int][]int, error) {
	all, err := All(nil)
	if err != nil {
		return nil, err
	}
	children := make(map[int][]int)
	for _, pid := range all {
		s, err := readStat(pid)
		if err == nil {
			children[s.Parent] = append(children[s.Parent], pid)
		}
		if Scarce(err) {
			return nil, err
		}
	}
	return children, nil
}

// All appends the ids of all processes.
func All(dst []int) ([]int, error) {
	fd, err := unix.Open("/proc", readOnly|unix.O_DIRECTORY, 0)
	if err != nil {
		return dst, err
	}
	defer unix.Close(fd)
	return appendNumbered(fd, dst), nil
}

// Any reports whether look says yes to one of all processes, and does not ask it about the others then, nor about those
// that cannot be opened.
func Any(look func(pid int, p Process) bool) (bool, error) {
	pids, err := All(nil)
	return err == nil && slices.ContainsFunc(pids, func(pid int) bool {
		p, err := Open(pid)
		if err != nil {
			return false
		}
		defer p.Close()
		return look(pid, p)
	}), err
}

// Missing reports whether there is no /proc in which we can look by the numbers that we know, as in some chroots,
// or after `unshare --pid` without a /proc of its own: that shows others under these numbers.
func Missing() bool {
	self, err := os.Readlink("/proc/self")
	return errors.Is(err, unix.ENOENT) || err == nil && self != strconv.Itoa(unix.Getpid())
}
