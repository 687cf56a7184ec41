package progress

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/event"
)

// Config says where a View draws.
type Config struct {
	Terminal  int             // a descriptor
	Prompt    bool            // the shell looks after the terminal itself; else it draws in the foreground only
	Waiting   func(tries int) // is told how many tries wait before it can be seen; nil: nobody is. It must not call back
	Continued bool            // an earlier run has begun the script
	Shown     func(v *View)   // is called once, before anything is drawn; nil: nothing is
}

// View is an observer that shows what is being waited for. It is safe for
// concurrent use. Close it before anything else uses the terminal for good.
type View struct {
	config Config

	mu      sync.Mutex
	state   state
	area    area
	waiting int         // tries, as they were told
	timer   *time.Timer // of the next drawing; nil: there was nothing to draw yet
	changed time.Time   // when the state was last
	drawn   time.Time   // when something was drawn last
	hidden  bool        // by Hide
	closed  bool        // by Close
}

// New makes a view. It draws nothing, and costs nothing, before there is
// something to wait for.
func New(config Config) *View {
	return &View{config: config, state: newState(config.Continued), area: area{fd: config.Terminal}}
}

// Enabled reports that the view wants to hear of structures.
func (v *View) Enabled(level int) bool { return level <= event.Structures }

// Observe takes an event in. When what was shown is over, it is gone from the
// terminal when Observe returns.
func (v *View) Observe(e event.Event) {
	if !e.Kind.Live() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if v.closed || !v.state.noteEvent(e, now) {
		return
	}
	v.changed = now
	if n := len(v.state.tries); n != v.waiting {
		v.waiting = n
		if v.config.Waiting != nil {
			v.config.Waiting(n)
		}
	}
	if v.state.isEmpty() && len(v.area.lines) > 0 {
		v.area.showLines(nil)
	}
	v.drawSoon()
}

// patience is the time that something goes on before it is shown: what is over by
// then would only flicker. interval is the time between two drawings at least.
const (
	patience = 300 * time.Millisecond
	interval = 100 * time.Millisecond
)

// drawSoon makes the view draw as soon as it may.
func (v *View) drawSoon() {
	soon := max(0, interval-time.Since(v.drawn))
	if v.timer == nil {
		v.timer = time.AfterFunc(soon, v.draw)
	} else {
		v.timer.Reset(soon)
	}
}

// draw draws what has changed, and once more when something has gone on for long enough, or in a second.
func (v *View) draw() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || v.hidden {
		return
	}
	now := time.Now()
	v.drawn = now
	if v.isOurs() {
		columns, _ := v.area.terminalSize()
		lines := v.state.shownLines(now, columns)
		if len(lines) > 0 && v.config.Shown != nil {
			v.config.Shown(v)
			v.config.Shown = nil
		}
		v.area.showLines(lines)
	} else {
		v.area.lost = true // nothing may be written there now, not even to clear it
	}
	switch {
	case v.state.isEmpty() && len(v.area.lines) == 0:
	case now.Sub(v.changed) < patience:
		v.timer.Reset(patience)
	default:
		v.timer.Reset(time.Second)
	}
}

// isOurs reports whether the terminal is the shell's to draw on: no program has set it to a mode of its own, as editors
// do, and drawing from the background would not stop the shell.
func (v *View) isOurs() bool {
	modes, err := unix.IoctlGetTermios(v.config.Terminal, unix.TCGETS)
	if err != nil || modes.Lflag&unix.ICANON == 0 {
		return false
	}
	group, err := unix.IoctlGetInt(v.config.Terminal, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp() || v.config.Prompt && modes.Lflag&unix.TOSTOP == 0
}

// Hide takes the lines off the terminal, and keeps them off, until it is called
// with false: something else is drawn there.
func (v *View) Hide(hidden bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hidden = hidden
	if hidden {
		v.area.showLines(nil)
	} else if !v.closed {
		v.drawn = time.Time{}
		v.drawSoon()
	}
}

// Redraw is called when the terminal has another size, or something else was
// drawn on it.
func (v *View) Redraw() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		v.drawSoon()
	}
}

// Close takes the lines off the terminal for good. It may be called again.
func (v *View) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	v.area.showLines(nil)
}
