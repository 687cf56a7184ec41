package process

import (
	"syscall"
)

// Where there is no /proc, as in some chroots, only a command's own process can
// be found, and if it has a session of its own, those that stayed in its group.

// isBlind tells that there is no /proc.
func isBlind() bool {
	var info syscall.Stat_t
	return syscall.Stat("/proc/self/stat", &info) == syscall.ENOENT
}

// strikeBlind signals what can be found without /proc.
func (r *round) strikeBlind() {
	h := r.host
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.hunt.quarries {
		if q.run.ended {
			continue
		}
		f := found{pid: q.run.pid, quarry: q}
		known := h.hunt.see(f, 0)
		switch {
		case r.now >= q.killAt:
			known.killed = r.now
			q.giveUp = r.now + weakWait
			r.sendBlind(f, syscall.SIGKILL)
		case !known.asked:
			known.asked, r.news = true, true
			r.sendBlind(f, syscall.SIGTERM)
			r.sendBlind(f, syscall.SIGCONT)
		}
	}
}

// sendBlind signals a command's own process, which is not reaped as long as the
// table is locked, and its group.
func (r *round) sendBlind(f found, sig syscall.Signal) {
	if r.host.cfg.Sessions {
		syscall.Kill(-f.pid, sig)
	} else {
		syscall.Kill(f.pid, sig)
	}
	if sig != syscall.SIGCONT {
		r.tell(Signalled, f, sig)
	}
}
