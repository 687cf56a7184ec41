package process

// Unlisted makes a Host believe that the kernel does not list children.
func (h *Host) Unlisted() { h.unlisted.Store(true) }

// Starting runs start as what starts a program of a job.
func (h *Host) Starting(start func()) {
	h.StartingWithoutJob(func() {
		defer h.watchStarting()()
		start()
	})
}

// StartingWithoutJob runs start as what starts a program.
func (h *Host) StartingWithoutJob(start func()) {
	h.mu.Lock()
	h.forks.beginFork()
	h.mu.Unlock()
	start()
	h.mu.Lock()
	h.forks.endFork(0, 0)
	h.mu.Unlock()
}
