package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/progress"
)

// view shows what the script waits for; nil where that is not wanted. The methods
// that the prompt calls may be called on nil.
type view struct{ *progress.View }

// openView makes the view that the options want for a script. It is off where
// standard error is no terminal, and for what -c or standard input has, which
// never touches the terminal; unless it shall be there always: then it is on
// the terminal that the shell was started from. It says that a script is continued.
func openView(o *options, continued bool) *view {
	file := o.text == nil && len(o.args) > 0 && o.args[0] != "-"
	terminal := 2
	switch {
	case o.progress == "never":
		return nil
	case o.progress == "auto" && (!file || !isTerminal(terminal) || isPlain()):
		return nil
	case !isTerminal(terminal):
		var err error
		if terminal, err = unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0); err != nil {
			return nil
		}
	}
	v := &view{}
	v.View = progress.New(progress.Config{Terminal: terminal, Shown: v.catchStops, Continued: continued})
	return v
}

// openPromptView makes the view for the prompt, which looks after the terminal
// itself. What is waiting is told to waiting.
func openPromptView(o *options, waiting func(tries int)) *view {
	if o.progress == "never" || isPlain() {
		return nil
	}
	v := &view{progress.New(progress.Config{Terminal: drawingTerminal(), Mine: func() bool { return true },
		Waiting: waiting})}
	return v
}

// hideView takes it off the terminal until it is called with false.
func (v *view) hideView(hidden bool) {
	if v != nil {
		v.View.Hide(hidden)
	}
}

// redrawView is called when the terminal has another size.
func (v *view) redrawView() {
	if v != nil {
		v.View.Redraw()
	}
}

// catchStops is called before something is drawn for the first time: from then on
// Ctrl-Z has to clear it before the shell stops.
func (v *view) catchStops() {
	stops, goes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	signal.Notify(goes, syscall.SIGCONT)
	go func() {
		for range stops {
			v.Hide(true)
			drainSignals(goes)
			_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
			<-goes // this thread may go on for a moment before it is stopped
			v.Hide(false)
		}
	}()
}

func drainSignals(signals <-chan os.Signal) {
	for len(signals) > 0 {
		<-signals
	}
}

// closeView takes it off the terminal for good.
func (v *view) closeView() {
	if v != nil {
		v.View.Close()
	}
}
