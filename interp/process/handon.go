package process

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the own process of each command under way. Who gets it
// decides what it means; nothing is done to those below. One that is just being started
// gets it then: its program may run already, though nobody has its id yet.
func (h *Host) Signal(sig unix.Signal) {
	h.mu.Lock()
	h.forks.keepSignal(sig)
	running := slices.Collect(maps.Values(h.running))
	h.mu.Unlock()
	for _, r := range running {
		h.signalOwn(sig, r)
	}
}

// signalOwn signals a command's own process, if it is still there. It is not reaped as long as
// the table is locked, so that its id is not another's by now.
func (h *Host) signalOwn(sig unix.Signal, r *run) {
	h.table.Lock()
	h.mu.Lock()
	signalled := h.running[r.pid] == r && unix.Kill(r.pid, sig) == nil
	h.mu.Unlock()
	h.table.Unlock()
	if signalled {
		h.cfg.Observe(Notice{Happening: Signalled, PID: r.pid, Command: r.cmd.Path, Signal: sig})
	}
}

// sent is a signal that came while programs were being started.
type sent struct {
	signal unix.Signal
	serial uint64 // of the last fork begun by then
}

// keepSignal keeps a signal for the programs that are being started.
func (f *forks) keepSignal(sig unix.Signal) {
	if f.under > 0 {
		f.sent = append(f.sent, sent{sig, f.serial})
	}
}

// missedSignals are the signals that came after a fork had begun.
func (f *forks) missedSignals(fork uint64) (signals []unix.Signal) {
	for _, s := range f.sent {
		if s.serial >= fork {
			signals = append(signals, s.signal)
		}
	}
	return signals
}
