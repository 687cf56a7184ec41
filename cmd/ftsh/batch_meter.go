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
	mu     sync.Mutex
	began  time.Duration
	cpu    time.Duration
	memory int64
}

func (m *meter) beginMeter(now time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began, m.cpu, m.memory = now, 0, 0
}

// addReaped counts a process that was reaped, with those that it has reaped itself.
func (m *meter) addReaped(u *syscall.Rusage) {
	const unit = 1024 // of Maxrss, on Linux
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	m.memory = max(m.memory, int64(u.Maxrss)*unit)
}

// endMeter notes what was used.
func (m *meter) endMeter(now time.Duration, ending *jobs.Ending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ending.Used.Elapsed, ending.Used.CPU, ending.Used.Memory = now-m.began, m.cpu, m.memory
}
