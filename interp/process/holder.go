package process

import (
	"golang.org/x/sys/unix"

	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
)

// Holder is a guardian by which a file is locked.
type Holder struct {
	PID     int  // of the guardian
	Stopped bool // when it was looked at; it has been sent SIGCONT since, if that is allowed
}

// WakeHolders looks for guardians by which something of a file is locked, and wakes those that are stopped: one whose
// shell is dead holds the lock until it has done its work. It finds none where /proc cannot be looked at.
func WakeHolders(path string) (found []Holder) {
	var file unix.Stat_t
	if procfs.Missing() || unix.Stat(path, &file) != nil {
		return nil
	}
	_, _ = procfs.Any(func(pid int, p procfs.Process) bool {
		var s procfs.Stat
		if p.Name() != guardian.Title || !p.HasLocked(&file) || p.Stat(&s) != nil {
			return false
		}
		if s.IsStopped() {
			_ = p.Signal(pid, unix.SIGCONT)
		}
		found = append(found, Holder{pid, s.IsStopped()})
		return false
	})
	return found
}
