package process

// Kinless makes a Host believe that the kernel does not list children.
func (h *Host) Kinless() { h.kinless.Store(true) }

// Starting runs start as what starts a program of a job.
func (h *Host) Starting(start func()) {
	h.mu.Lock()
	h.forks.begin()
	h.mu.Unlock()
	done := h.unstick()
	start()
	done()
	h.mu.Lock()
	h.forks.end()
	h.mu.Unlock()
}
