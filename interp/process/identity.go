package process

import (
	"bytes"
	"strconv"
	"strings"
	"syscall"
)

// Identity names this process for good: the boot id of the machine, its process
// id, and its start time, since a process id alone is given again. It is what
// FTSH_PARENT holds. Empty where /proc cannot be read.
func Identity() string { return identity(syscall.Getpid()) }

func identity(pid int) string {
	boot, errno := readFile("/proc/sys/kernel/random/boot_id")
	if errno != 0 {
		return ""
	}
	s, ok := look(pid)
	if !ok {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + strconv.Itoa(pid) + "/" + strconv.FormatUint(uint64(s.start), 10)
}

// look reads the stat of a process, false if there is none.
func look(pid int) (s stat, ok bool) {
	p, errno := openProcess(pid)
	if errno != 0 {
		return s, false
	}
	defer p.close()
	return s, p.stat(&s) == 0
}

// IsAncestor tells whether the process that an Identity names is alive and an
// ancestor of this one.
func IsAncestor(name string) bool {
	for pid := syscall.Getppid(); pid > 0; {
		s, ok := look(pid)
		if !ok {
			return false
		}
		if strings.Contains(name, "/"+strconv.Itoa(pid)+"/") && name == identity(pid) {
			return true
		}
		pid = s.parent
	}
	return false
}
