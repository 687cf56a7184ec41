package process

// Kinless makes a Host believe that the kernel does not list children.
func (h *Host) Kinless() { h.kinless.Store(true) }
