package procfs

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Identity names a process for good: the boot id of the machine, its process
// id, and its start time, since a process id alone is given again. FTSH_PARENT
// holds it. Empty where /proc cannot be read.
func Identity(pid int) string {
	boot, err := ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	s, err := readStat(pid)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + "/" + strconv.Itoa(pid) + "/" + strconv.FormatUint(uint64(s.Start), 10)
}

// readStat reads the Stat of the process with that id.
func readStat(pid int) (s Stat, err error) {
	text, err := ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		err = s.parseLine(text)
	}
	return s, err
}

// IsAncestor reports whether the process that an Identity names is alive and an
// ancestor of this one.
func IsAncestor(name string) bool {
	for pid := unix.Getppid(); pid > 0; {
		s, err := readStat(pid)
		if err != nil {
			return false
		}
		if strings.Contains(name, "/"+strconv.Itoa(pid)+"/") && name == Identity(pid) {
			return true
		}
		pid = s.Parent
	}
	return false
}
