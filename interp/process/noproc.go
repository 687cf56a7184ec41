package process

import "golang.org/x/sys/unix"

// Where there is no /proc, as in some chroots, only a command's own process can
// be found, and if it has a session of its own, those that stayed in its group.

// signalWithoutProc signals what can be found without /proc.
func (r *sweep) signalWithoutProc() {
	h := r.host
	h.blind.Store(true)
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.ending.targets {
		if !h.ending.saidBlind {
			h.ending.saidBlind = true
			r.tellHappening(Blind, found{target: t}, 0)
		}
		if t.run.ended {
			continue
		}
		f := found{pid: t.run.pid, target: t}
		known := h.ending.noteSeen(f, 0)
		switch {
		case r.now >= t.killAt:
			t.giveUp = r.now + weakGrace
			r.sendWithoutProc(f, unix.SIGKILL)
		case !known.asked:
			known.asked, r.news = true, true
			r.sendWithoutProc(f, unix.SIGTERM)
			r.sendWithoutProc(f, unix.SIGCONT)
		}
	}
}

// sendWithoutProc signals a command's own process, which is not reaped as long as the
// table is locked, and its group.
func (r *sweep) sendWithoutProc(f found, sig unix.Signal) {
	if r.host.cfg.Sessions {
		unix.Kill(-f.pid, sig)
	} else {
		unix.Kill(f.pid, sig)
	}
	if sig != unix.SIGCONT {
		r.tellHappening(Signalled, f, sig)
	}
}

// signalLeftGroup signals, when the own process of a command that failed or is being ended has ended, what stayed in
// its group. Nothing else can find that later: the table is locked, and the process not reaped, so that the number of
// the group is still its own. Who was asked to end before is asked once more. That is the price: a shell that blocks
// its signals to fork has a child that was not there when the group was asked.
func (h *Host) signalLeftGroup(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.running[pid]
	if r == nil || !h.cfg.Sessions || r.readEnd() == hasSucceeded {
		return
	}
	sig := unix.SIGTERM
	if r.target != nil && h.cfg.Clock.Now() >= r.target.killAt {
		sig = unix.SIGKILL
	}
	unix.Kill(-pid, sig)
	unix.Kill(-pid, unix.SIGCONT)
}
