package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/progress"
)

// openView makes the view of what a script waits for; nil where the options do not want it. It is off where
// standard error is no terminal, and for what -c or standard input has, which
// never touches the terminal; unless it shall be there always: then it is on
// the terminal that the shell was started from. It says that a script is continued.
func openView(o *options, continued bool) (view *progress.View) {
	file := o.text == nil && len(o.args) > 0 && o.args[0] != "-"
	terminal := 2
	switch {
	case o.progress == "never":
		return nil
	case o.progress == "auto" && (!file || !isTerminal(terminal) || isPlain()):
		return nil
	case !isTerminal(terminal):
		var err error
		if terminal, err = openTerminal(); err != nil {
			return nil
		}
	}
	return progress.New(progress.Config{Terminal: terminal, Shown: catchStops, Continued: continued})
}

// catchStops is called before something is drawn for the first time: from then on
// Ctrl-Z has to clear it before the shell stops.
func catchStops(view *progress.View) {
	stops, goes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	signal.Notify(goes, syscall.SIGCONT)
	go func() {
		for range stops {
			view.Hide(true)
			for len(goes) > 0 {
				<-goes
			}
			_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
			<-goes // this thread may go on for a moment before it is stopped
			view.Hide(false)
		}
	}()
}
