package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ftsh/cmd/ftsh/manual"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/interp/progress"
	"ftsh/interp/repl"
)

// isInteractive reports whether the shell is to read statements from its
// terminal, as no script is named: there is one to read from and to draw on.
func isInteractive(o *options) bool {
	return o.text == nil && !o.print && !o.check && isTerminal(terminal) && drawingTerminal() >= 0
}

// terminal is the descriptor from which the prompt reads.
const terminal = 0

// drawingTerminal is the descriptor on which the prompt draws, or -1: standard error, or
// if that is no terminal standard output.
func drawingTerminal() int {
	for _, fd := range []int{2, 1} {
		if isTerminal(fd) {
			return fd
		}
	}
	return -1
}

// runPrompt reads statements from the terminal and runs them.
func runPrompt(o *options) int {
	if len(o.faults) > 0 || o.trace != "" {
		return refuseToRun(errors.New("--inject and --trace are for scripts: name one"), "")
	}
	s, err := openShell(o)
	if err != nil {
		return refuseToRun(err, "")
	}
	defer s.closeShell()
	result, err := s.runPrompt()
	_ = s.host.Close()
	if err != nil {
		return refuseToRun(err, "")
	}
	if sig, ok := result.Signal.(syscall.Signal); ok {
		s.closeShell()
		dieOfSignal(sig)
	}
	return result.Status
}

// runPrompt is the prompt on its terminal.
func (s *shell) runPrompt() (repl.Result, error) {
	giveBack, controls := takeTerminal()
	defer giveBack()
	hurry := make(chan struct{})
	enter := newEnter(terminal, hurry)
	s.local.Hurry = hurry
	s.openWorld()
	config := s.config
	config.Script.Name, config.Script.Deadline, config.Mode.Aside = "ftsh", 0, true
	if s.options.logFile == "" && s.options.logLevel <= event.Failures {
		config.Observer = nil // the prompt tells itself how a statement failed
	}
	view := progress.New(progress.Config{Terminal: drawingTerminal(), Prompt: true, Waiting: enter.setWaiting})
	defer view.Close()
	if s.options.progress != "never" && !isPlain() {
		config.View = view
	}
	prompt := repl.Config{
		Runner: interp.New(config), In: terminal, Out: drawingTerminal(), Signals: promptSignals(), HandOn: s.host.Signal,
		Plain: isPlain(), Colours: os.Getenv("NO_COLOR") == "",
		Topics: manual.Topics(), TopicOf: manual.TopicOf, Help: manual.Page, HelpOn: laidOut,
		Contents: manual.List, Greeting: "ftsh " + strings.TrimSuffix(version, ".0") + " — help for help, Ctrl-D leaves",
		Typing: view.Hide, Resized: view.Redraw,
		History: userFile("XDG_STATE_HOME", ".local/state", "ftsh/history"),
		Start:   userFile("XDG_CONFIG_HOME", ".config", "ftsh/rc.ftsh"),
	}
	if controls {
		prompt.Jobs = &promptJobs{engine: s.engine, enter: enter}
	}
	return repl.Run(prompt)
}

// promptSignals are the signals that the prompt reacts to, and those that must not
// stop it.
func promptSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	notifySignals(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGWINCH,
		syscall.SIGXCPU, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	return signals
}

// isPlain reports whether the terminal knows no escape sequences.
func isPlain() bool {
	switch os.Getenv("TERM") {
	case "", "dumb", "unknown":
		return true
	}
	return false
}

// userFile is the path of a file of the user's own, in the directory that a
// variable names or in the usual one; "" where there is neither.
func userFile(variable, usual, file string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, file)
	}
	if dir := os.Getenv("HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, usual, file)
	}
	return ""
}
