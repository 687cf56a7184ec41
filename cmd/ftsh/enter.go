package main

import (
	"sync"

	"golang.org/x/sys/unix"
)

// enter lets the key Enter end the waits of tries: while tries wait and no
// program is under way, which could want to read from the terminal itself.
// Anything else that is typed stays for the prompt. The zero value does nothing.
type enter struct {
	terminal int
	hurry    chan<- struct{}

	mu       sync.Mutex
	tries    int
	programs int
	watching *watch // nil: nobody watches the terminal
}

// watch is one time of watching the terminal.
type watch struct {
	modes unix.Termios // as they were before
	stop  [2]int       // a pipe
	done  chan struct{}
}

// newEnter makes an enter for a terminal. Whatever it sends to hurry ends one wait.
func newEnter(terminal int, hurry chan<- struct{}) *enter {
	return &enter{terminal: terminal, hurry: hurry}
}

// setWaiting says how many tries wait.
func (e *enter) setWaiting(tries int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tries = tries
	e.beginOrEnd()
}

// noteProgram says that a program is about to start (1) or has ended (-1). When it
// returns, the terminal is as programs want it.
func (e *enter) noteProgram(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.programs += change
	e.beginOrEnd()
}

// beginOrEnd begins or ends watching.
func (e *enter) beginOrEnd() {
	want := e.tries > 0 && e.programs == 0 && e.hurry != nil
	switch {
	case want && e.watching == nil:
		e.beginWatch()
	case !want && e.watching != nil:
		e.endWatch()
	}
}

// beginWatch watches the terminal. What is typed is not echoed: it would move what
// is shown of the wait.
func (e *enter) beginWatch() {
	modes, err := unix.IoctlGetTermios(e.terminal, unix.TCGETS)
	if err != nil || modes.Lflag&unix.ICANON == 0 {
		return
	}
	w := &watch{modes: *modes, done: make(chan struct{})}
	if unix.Pipe2(w.stop[:], unix.O_CLOEXEC) != nil {
		return
	}
	silent := *modes
	silent.Lflag &^= unix.ECHO
	_ = unix.IoctlSetTermios(e.terminal, unix.TCSETS, &silent)
	e.watching = w
	go e.watchTerminal(w)
}

// endWatch ends watching.
func (e *enter) endWatch() {
	w := e.watching
	e.watching = nil
	_ = unix.Close(w.stop[1])
	<-w.done
	_ = unix.Close(w.stop[0])
	_ = unix.IoctlSetTermios(e.terminal, unix.TCSETS, &w.modes)
}

// watchTerminal ends waits on Enter. Once anything else is typed, it and all that
// follows is for the prompt.
func (e *enter) watchTerminal(w *watch) {
	defer close(w.done)
	set := []unix.PollFd{{Fd: int32(e.terminal), Events: unix.POLLIN}, {Fd: int32(w.stop[0]), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(set, -1)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || set[1].Revents != 0:
			return
		}
		if set[0].Fd >= 0 && !e.takeEnter() {
			set[0].Fd = -1
		}
	}
}

// takeEnter takes an empty line, and nothing else, from what was typed.
func (e *enter) takeEnter() bool {
	typed, err := unix.IoctlGetInt(e.terminal, unix.TIOCINQ) // of whole lines
	if err != nil || typed != 1 {
		return false
	}
	var b [1]byte
	if n, err := unix.Read(e.terminal, b[:]); n != 1 || err != nil {
		return false
	}
	for range mostWaits {
		select {
		case e.hurry <- struct{}{}:
		default:
			return true
		}
	}
	return true
}

// mostWaits bounds how many waits one Enter ends, as those that fail at once
// would be there again.
const mostWaits = 1000
