package process

import "syscall"

// childrenOf appends the ids of a process's children: as the kernel lists them,
// or where it does not (CONFIG_PROC_CHILDREN is missing), as the parents of all
// processes tell.
func (r *round) childrenOf(p handle, pid, threads int, dst []int) (list []int, errno syscall.Errno) {
	if !r.host.kinless.Load() {
		list, errno = p.children(pid, threads, dst)
		if errno != syscall.ENOENT || !kinless() {
			return list, errno // it is gone, if ENOENT
		}
		r.host.kinless.Store(true)
	}
	if r.family == nil {
		if r.family, errno = families(); errno != 0 {
			return dst, errno
		}
	}
	return append(dst, r.family[pid]...), 0
}

// kinless tells that the kernel lists nobody's children, not even ours.
func kinless() bool {
	self, errno := openProcess(syscall.Getpid())
	if errno != 0 {
		return false
	}
	defer self.close()
	_, errno = self.threadChildren(syscall.Getpid(), nil)
	return errno == syscall.ENOENT
}

// families finds the children of all processes.
func families() (map[int][]int, syscall.Errno) {
	all, errno := everybody(nil)
	if errno != 0 {
		return nil, errno
	}
	children := make(map[int][]int)
	for _, pid := range all {
		p, errno := openProcess(pid)
		if errno == 0 {
			var s stat
			if errno = p.stat(&s); errno == 0 {
				children[s.parent] = append(children[s.parent], pid)
			}
			p.close()
		}
		if errno == syscall.EMFILE || errno == syscall.ENFILE {
			return nil, errno
		}
	}
	return children, 0
}

// everybody lists all processes.
func everybody(dst []int) ([]int, syscall.Errno) {
	fd, errno := openAt(atCWD, []byte("/proc\x00"), syscall.O_DIRECTORY)
	if errno != 0 {
		return dst, errno
	}
	defer syscall.Close(fd)
	eachNumber(fd, func(pid int) { dst = append(dst, pid) })
	return dst, 0
}
