package main

import (
	"sync"
	"syscall"
	"time"

	"ftsh/interp/jobs"
)

// meter measures what the programs of a job use, from begin to end. The processes that they leave behind are reaped
// by the runner, too, and count.
type meter struct {
	mu    sync.Mutex
	began time.Duration
	used  jobs.Usage
}

func (m *meter) beginMeter(now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began, m.used = now, jobs.Usage{}
}

// addReaped counts a process that was reaped, with those that it has reaped itself.
func (m *meter) addReaped(u *syscall.Rusage) {
	const unit = 1024 // of Maxrss, on Linux
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.CPU += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	m.used.Memory = max(m.used.Memory, int64(u.Maxrss)*unit)
}

func (m *meter) endMeter(now time.Duration) jobs.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used.Elapsed = now - m.began
	return m.used
}
