package process

// Unlisted makes a Host believe that the kernel does not list children.
func (h *Host) Unlisted() { h.unlisted.Store(true) }

// Starting runs start as what starts a program of a job.
func (h *Host) Starting(start func()) {
	h.mu.Lock()
	h.forks.begin()
	h.mu.Unlock()
	done := h.unstick()
	start()
	done()
	h.mu.Lock()
	h.forks.end(0, 0)
	h.mu.Unlock()
}
