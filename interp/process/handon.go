package process

import "golang.org/x/sys/unix"

// Signal sends a signal to the own process of each command under way. Who gets it
// decides what it means; nothing is done to those below.
func (h *Host) Signal(sig unix.Signal) {
	for _, n := range h.signalRunning(sig) {
		h.cfg.Observe(n)
	}
}

// signalRunning returns what there is to tell. None of the processes is reaped as long as the
// table is locked, so that no id is another's by now.
func (h *Host) signalRunning(sig unix.Signal) (told []Notice) {
	h.table.Lock()
	defer h.table.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for pid, r := range h.running {
		if unix.Kill(pid, sig) == nil {
			told = append(told, Notice{Happening: Signalled, PID: pid, Command: r.cmd.Path, Signal: sig})
		}
	}
	return told
}
