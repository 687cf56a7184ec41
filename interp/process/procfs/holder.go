package procfs

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// HasLocked reports whether it has a descriptor of that file by which something of the file is locked, as far as the
// kernel lets us see that.
func (p Process) HasLocked(file *unix.Stat_t) bool {
	fds, err := unix.Openat(int(p), "fd", readOnly|unix.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fds)
	for _, fd := range appendNumbered(fds, nil) {
		name := strconv.Itoa(fd)
		var info unix.Stat_t
		if unix.Fstatat(fds, name, &info, 0) != nil || info.Dev != file.Dev || info.Ino != file.Ino {
			continue
		}
		var buf [4096]byte
		if n, err := p.Read("fdinfo/"+name, buf[:]); err == nil && bytes.Contains(buf[:n], []byte("\nlock:")) {
			return true
		}
	}
	return false
}

// IsStopped reports whether a signal or a tracer has stopped it.
func (s *Stat) IsStopped() bool { return s.State == 'T' || s.State == 't' }
