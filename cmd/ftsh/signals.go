package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/interp/event"
	"ftsh/interp/process"
)

// signalled is the cause of the cancellation of a script by a signal.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return "the shell received signal " + unix.SignalName(s.signal) }

// signals reacts to the signals that the shell receives: the first cancels the
// script, the second kills what is still running, the third ends the shell at once.
// SIGUSR1 and SIGUSR2 are not meant for the shell, and not counted: its programs get them.
type signals struct {
	log    *log
	host   *process.Host
	came   chan os.Signal
	cancel context.CancelCauseFunc
	kill   chan struct{}
	first  atomic.Int32         // the signal that cancelled the script, 0 if none has come
	leave  func()               // called before the shell dies at once
	jobs   func(syscall.Signal) // hands on what is meant for programs to the jobs of batch systems
}

// newSignals returns the context of a script, which signals cancel once catch was called.
func newSignals(log *log, host *process.Host) (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(context.Background())
	return ctx, &signals{
		log: log, host: host, came: make(chan os.Signal, 8), cancel: cancel, kill: make(chan struct{}), leave: func() {},
		jobs: func(syscall.Signal) {},
	}
}

// catchSignals makes signals cancel the script. Before that they just end the shell,
// which does as long as there is nothing to clean up, and starts it 0.4 ms
// sooner (measured: each Notify and Stop waits for a thread of the runtime).
// For the same reason it goes on until the process ends.
func (s *signals) catchSignals() {
	notifyShell(s.came)
	go s.reactToSignals()
	if hasTerminal() {
		came := make(chan os.Signal, 8)
		signal.Notify(came, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGCONT)
		go outliveStops(came, s.host)
	}
}

// outliveStops keeps the shell from being stopped when one of its programs, which share its process group, wants the
// terminal from the background: that program alone is stopped, and limits hold. A program is told once. The shell
// itself, which must not ignore these signals, or its programs would, would be told without an end if it read from
// the terminal: then it is stopped after all, until it goes on. A program that is just being started, and would be
// stopped before it can ask for the terminal, goes on: the shell waits until it has started. Those that are stopped go
// on when the terminal is given to them: nobody else would tell them, as the shell is no stopped job.
func outliveStops(came <-chan os.Signal, host *process.Host) {
	s := stops{host: host, left: map[syscall.Signal]action{}, since: time.Now()}
	var look <-chan time.Time // for what is being started, or waits for the terminal; nil: nothing is
	for {
		select {
		case received := <-came:
			sig, _ := received.(syscall.Signal)
			s.takeSignal(sig)
		case <-look:
		}
		look = s.nextLook()
	}
}

// stops are what the shell knows of those by which the terminal stops its programs.
type stops struct {
	host   *process.Host
	wanted time.Time                 // when a program last wanted the terminal; zero: none waits for it
	left   map[syscall.Signal]action // to the kernel; their handlers
	count  int                       // of the signals that came
	since  time.Time                 // then
}

// takeSignal takes in that a program wants the terminal, or that the shell goes on.
func (s *stops) takeSignal(sig syscall.Signal) {
	const flood = 200 // in a second
	s.wanted = time.Now()
	if sig == syscall.SIGCONT {
		s.wanted = time.Time{}
		for sig, handler := range s.left {
			setReaction(sig, &handler)
		}
		clear(s.left)
	}
	if sig == syscall.SIGCONT || time.Since(s.since) > time.Second {
		s.count, s.since = 0, time.Now()
	}
	if s.count++; s.count > flood && s.left[sig].handler == 0 {
		s.left[sig] = setReaction(sig, &action{})
	}
}

// nextLook lets go on what can, and says when to look again whether something else can; nil: nothing is to be.
func (s *stops) nextLook() <-chan time.Time {
	const startsIn, givenIn = time.Millisecond, 250 * time.Millisecond
	if !s.wanted.IsZero() && !s.waitForTerminal() {
		s.wanted = time.Time{}
	}
	switch {
	case s.host.Unstick():
		return time.After(startsIn)
	case !s.wanted.IsZero():
		return time.After(givenIn)
	}
	return nil
}

// waitForTerminal reports whether programs that have wanted the terminal from the background still wait for it. If it
// has been given to them they go on, with all of the process group that was stopped with them.
func (s *stops) waitForTerminal() bool {
	if inForeground() {
		_ = unix.Kill(0, unix.SIGCONT)
		return false
	}
	const stopsIn = time.Second // for a program that was told to
	return time.Since(s.wanted) < stopsIn || s.host.HasStopped()
}

// notifyShell sends the signals that a shell reacts to. SIGHUP and SIGINT that were ignored when the shell started stay
// ignored (nohup).
func notifyShell(came chan<- os.Signal) {
	for _, sig := range []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU, syscall.SIGUSR1, syscall.SIGUSR2,
	} {
		if !signal.Ignored(sig) {
			notifySignals(came, sig)
		}
	}
}

// echo is the time after a signal in which the same one counts as that one: GNU timeout
// sends it to the shell and to its process group, Ctrl-C and a supervisor may
// both send SIGINT.
const echo = 100 * time.Millisecond

// reactToSignals reacts to signals.
func (s *signals) reactToSignals() {
	count := 0
	var last time.Time
	for received := range s.came {
		sig, ok := received.(syscall.Signal)
		if sig == syscall.SIGUSR1 || sig == syscall.SIGUSR2 {
			s.log.tellShell(event.Event{Kind: event.ShellSignal, Signal: sig})
			s.host.Signal(sig)
			s.jobs(sig)
			continue
		}
		if !ok || int32(sig) == s.first.Load() && time.Since(last) < echo {
			continue
		}
		count++
		last = time.Now()
		s.log.tellShell(event.Event{Kind: event.ShellSignal, Signal: sig, Count: count})
		switch count {
		case 1:
			s.first.Store(int32(sig))
			s.cancel(signalled{sig})
		case 2:
			close(s.kill)
		default:
			s.leave()
			s.log.flushLog()
			dieOfSignal(sig)
		}
	}
}

// leftToKernel are signals that end the shell by the kernel's hand until somebody is notified of them, and what the
// runtime does on them: on SIGQUIT it would print all goroutines, on SIGXCPU do nothing.
var leftToKernel = map[syscall.Signal]action{syscall.SIGQUIT: {}, syscall.SIGXCPU: {}}

// endAtOnce has signals end the shell before it does anything else.
func endAtOnce() {
	for sig := range leftToKernel {
		if !signal.Ignored(sig) {
			leftToKernel[sig] = setReaction(sig, &action{})
		}
	}
}

// notifySignals is signal.Notify for what endAtOnce has left to the kernel, too.
func notifySignals(came chan<- os.Signal, list ...os.Signal) {
	signal.Notify(came, list...)
	for _, one := range list {
		sig, _ := one.(syscall.Signal)
		if runtime, left := leftToKernel[sig]; left && runtime.handler != 0 {
			setReaction(sig, &runtime)
		}
	}
}

// dieOfSignal ends the shell by a signal, so that whoever started it sees what happened.
// The runtime's own default for SIGQUIT would print all goroutines.
func dieOfSignal(sig syscall.Signal) {
	setReaction(sig, &action{})
	_ = unix.Kill(unix.Getpid(), sig)
	select {}
}

// action tells the kernel what to do with a signal, in its own terms; the zero value
// is the usual thing.
type action struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// setReaction changes what the kernel does with a signal, and returns what it did.
func setReaction(sig syscall.Signal, next *action) (before action) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(next)),
		uintptr(unsafe.Pointer(&before)), unsafe.Sizeof(before.mask), 0, 0)
	return before
}
