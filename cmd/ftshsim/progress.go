package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// meter shows on standard error how far a long run is, if that is a terminal. It is
// safe for concurrent use.
type meter struct {
	mu    sync.Mutex
	name  string
	on    bool
	start time.Time
	last  time.Time
	shown bool
}

func newMeter(name string) *meter {
	_, err := unix.IoctlGetTermios(2, unix.TCGETS)
	return &meter{name: name, on: err == nil, start: time.Now(), last: time.Now()}
}

// showDone is called after each run. Runs that take less than half a second in all show nothing.
func (m *meter) showDone(done, all int) {
	m.printAfter(500*time.Millisecond, func() string {
		left := time.Duration(float64(time.Since(m.start)) / float64(done) * float64(all-done))
		return fmt.Sprintf("%d of %d runs, about %v left", done, all, left.Round(time.Second))
	})
}

// showWithin is called while a run takes long.
func (m *meter) showWithin(now, until time.Duration) {
	m.printAfter(2*time.Second, func() string {
		return fmt.Sprintf("a run is at %v of at most %v", now.Round(time.Second), until)
	})
}

// printAfter shows something, if nothing was shown for a while.
func (m *meter) printAfter(quiet time.Duration, text func() string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); m.on && now.Sub(m.last) >= quiet {
		m.last, m.shown = now, true
		fmt.Fprintf(os.Stderr, "\r%s: %s (Ctrl-C prints what there is) \x1b[K", m.name, text())
	}
}

func (m *meter) clearLine() {
	if m.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
