package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// meter shows on standard error how far a long run is, if that is a terminal.
type meter struct {
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

// show is told after each run. What is done within half a second shows nothing.
func (m *meter) show(done, all int) {
	if now := time.Now(); m.on && now.Sub(m.last) >= 500*time.Millisecond {
		m.last, m.shown = now, true
		left := time.Duration(float64(now.Sub(m.start)) / float64(done) * float64(all-done))
		fmt.Fprintf(os.Stderr, "\r%s: %d of %d runs, about %v left (Ctrl-C prints what there is) \x1b[K", m.name, done, all, left.Round(time.Second))
	}
}

// clear removes the line.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
