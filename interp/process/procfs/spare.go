package procfs

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// Spare keeps the kernel's out-of-memory killer from a process, where we may ask for that: without the right one has
// to rely on its being small.
func Spare(pid int) {
	if Missing() {
		return
	}
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_, _ = unix.Write(fd, []byte("-1000"))
	_ = unix.Close(fd)
}
