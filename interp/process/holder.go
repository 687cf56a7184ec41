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
	pids, _ := procfs.All(nil)
	for _, pid := range pids {
		if h, holds := wakeHolder(pid, &file); holds {
			found = append(found, h)
		}
	}
	return found
}

func wakeHolder(pid int, file *unix.Stat_t) (h Holder, holds bool) {
	p, err := procfs.Open(pid)
	if err != nil {
		return h, false
	}
	defer p.Close()
	var comm [32]byte
	n, err := p.Read("comm", comm[:])
	if err != nil || string(comm[:n]) != guardian.Title+"\n" || !p.HasLocked(file) {
		return h, false
	}
	var s procfs.Stat
	if p.Stat(&s) != nil {
		return h, false
	}
	if h = (Holder{pid, s.IsStopped()}); h.Stopped {
		_ = p.Signal(pid, unix.SIGCONT)
	}
	return h, true
}
