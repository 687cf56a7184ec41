package progress

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/event"
)

// Config says where a View draws.
type Config struct {
	Terminal int // a descriptor
	// Mine reports whether the terminal is the shell's to draw on now; nil: it is
	// while the shell is in its foreground.
	Mine func() bool
	// Waiting is told how many tries wait, whenever that changes, before it can be
	// seen; nil: nobody is told. It must not call back.
	Waiting func(tries int)
	// Continued says that an earlier run has begun the script.
	Continued bool
	// Shown is called once, before anything is drawn; nil: nothing is.
	Shown func()
}

// View is an observer that shows what is being waited for. It is safe for
// concurrent use. Close it before anything else uses the terminal for good.
type View struct {
	config Config

	mu      sync.Mutex
	state   state
	area    area
	waiting int           // tries, as they were told
	drawn   time.Time     // when something was drawn last
	hidden  bool          // by Hide
	closed  bool          // by Close
	wake    chan struct{} // tells the drawer that something has changed; nil: there is no drawer
	left    chan struct{} // closed when the drawer has left
}

// New makes a view. It draws nothing, and costs nothing, before there is
// something to wait for.
func New(config Config) *View {
	v := &View{config: config}
	v.area.fd, v.state.continued = config.Terminal, config.Continued
	if v.config.Mine == nil {
		v.config.Mine = v.inForeground
	}
	return v
}

// inForeground reports whether this process is in the terminal's foreground.
func (v *View) inForeground() bool {
	group, err := unix.IoctlGetInt(v.config.Terminal, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// Enabled tells that the view wants to hear of structures.
func (v *View) Enabled(level int) bool { return level <= event.Structures }

// Observe takes an event in. When what was shown is over, it is gone from the
// terminal when Observe returns.
func (v *View) Observe(e event.Event) {
	if !e.Kind.Live() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed || !v.state.noteEvent(e, time.Now()) {
		return
	}
	v.tellWaiting()
	if len(v.area.lines) > 0 && len(v.state.tries)+len(v.state.foralls)+len(v.state.jobs.live) == 0 {
		v.area.showLines(nil)
	}
	v.stirDrawer()
}

func (v *View) tellWaiting() {
	if n := len(v.state.tries); n != v.waiting {
		v.waiting = n
		if v.config.Waiting != nil {
			v.config.Waiting(n)
		}
	}
}

// stirDrawer has the drawer look again, and starts it at first.
func (v *View) stirDrawer() {
	if v.closed {
		return
	}
	if v.wake == nil {
		v.wake, v.left = make(chan struct{}, 1), make(chan struct{})
		go v.drawChanges(v.wake, v.left)
	}
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// patience is the time that something goes on before it is shown: what is over by
// then would only flicker. interval is the time between two drawings at least.
const (
	patience = 300 * time.Millisecond
	interval = 100 * time.Millisecond
)

// drawChanges draws whenever something has changed or a second has passed.
func (v *View) drawChanges(wake <-chan struct{}, left chan<- struct{}) {
	defer close(left)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, closed := v.drawNow()
		if closed {
			return
		}
		timer.Reset(next)
		select {
		case <-timer.C:
		case _, open := <-wake:
			if !open {
				return
			}
		}
	}
}

// drawNow draws, unless it was done just now, and returns when to look again.
func (v *View) drawNow() (next time.Duration, closed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if soon := interval - now.Sub(v.drawn); soon > 0 && !v.closed {
		return soon, false
	}
	v.drawn = now
	if v.closed || v.hidden {
		return time.Hour, v.closed
	}
	if !v.isOurs() {
		v.area.lost = true // nothing may be written there now, not even to clear it
		return time.Second, false
	}
	columns, _, _ := v.area.terminalSize()
	lines := v.state.shownLines(now, columns)
	if len(lines) > 0 && v.config.Shown != nil {
		v.config.Shown()
		v.config.Shown = nil
	}
	v.area.showLines(lines)
	return v.untilChange(now), false
}

// isOurs reports whether the terminal is the shell's to draw on: no program has
// set it to a mode of its own, as editors do.
func (v *View) isOurs() bool {
	modes, err := unix.IoctlGetTermios(v.config.Terminal, unix.TCGETS)
	if err != nil || modes.Lflag&unix.ICANON == 0 {
		return false
	}
	if modes.Lflag&unix.TOSTOP != 0 && !v.inForeground() {
		return false // drawing would stop the shell
	}
	return v.config.Mine()
}

// untilChange returns how long the lines stay as they are: until a countdown shows
// another second, or for an hour.
func (v *View) untilChange(now time.Time) time.Duration {
	next := time.Hour
	for _, t := range v.state.tries {
		if young := patience - now.Sub(t.began); young > 0 {
			next = min(next, young)
		} else {
			next = min(next, t.next.Sub(now)%time.Second)
		}
	}
	for _, f := range v.state.foralls {
		next = min(next, max(patience-now.Sub(f.began), interval), time.Second)
	}
	if next <= 0 {
		next = interval
	}
	return next + time.Millisecond
}

// Hide takes the lines off the terminal, and keeps them off, until it is called
// with false: something else is drawn there.
func (v *View) Hide(hidden bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hidden = hidden
	if hidden {
		v.area.showLines(nil)
	} else if v.wake != nil {
		v.drawn = time.Time{}
		v.stirDrawer()
	}
}

// Redraw is called when the terminal has another size, or something else was
// drawn on it.
func (v *View) Redraw() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.wake != nil {
		v.stirDrawer()
	}
}

// Close takes the lines off the terminal for good, and returns when nothing of
// the view is at work any more. It may be called again.
func (v *View) Close() {
	v.mu.Lock()
	if !v.closed {
		v.closed = true
		v.area.showLines(nil)
		if v.wake != nil {
			close(v.wake)
		}
	}
	left := v.left
	v.mu.Unlock()
	if left != nil {
		<-left
	}
}
