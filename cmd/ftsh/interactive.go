package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/interp/event"
	"ftsh/interp/process"
	"ftsh/interp/repl"
)

// isInteractive tells whether the shell is to read statements from its
// terminal: no script is named, and both what it reads and where it complains
// are a terminal.
func isInteractive(o *options) bool {
	return o.text == nil && len(o.args) == 0 && !o.print && !o.check && isTerminal(0) && isTerminal(2)
}

// runPrompt reads statements from the terminal and runs them.
func runPrompt(o *options) int {
	log, err := openLog(o)
	if err != nil {
		return complain(err, "")
	}
	defer log.close()
	policy, err := backoff.FromEnvironment(os.LookupEnv)
	if err != nil {
		return complain(err, "")
	}
	clock := process.NewClock()
	defer clock.Close()
	host, err := process.Open(process.Config{
		Clock: clock, KillTimeout: o.killTimeout, Weak: o.weak, Whole: true,
		Guardian: !o.noGuardian, Marker: os.Getenv("FTSH_COMMAND"), Observe: log.notice(),
	})
	if err != nil {
		return complain(err, "")
	}
	giveBack, controls := takeTerminal()
	if controls {
		defer giveBack()
	}
	hurry := make(chan struct{})
	enter := repl.NewEnter(terminal, hurry)
	local := &engine{Host: host}
	view := openPromptView(o, enter.Waiting)
	defer view.close()
	runner := interp.New(interp.Config{
		Engine: local, Clock: clock,
		Observer: promptObserver(o, log), View: view.observer(), Hurry: hurry, Name: "ftsh",
		Environ: environment(o), Files: inheritedFiles(), Seed: o.seed, Backoff: policy, KillTimeout: o.killTimeout,
		Lenient: o.lenient, Identity: process.Identity,
		Exec: func(c *process.Command) error { return replace(host, c) },
	})
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGWINCH,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	var control repl.Jobs
	if controls {
		control = &jobs{engine: local, enter: enter}
	}
	result, err := repl.Run(repl.Config{
		Runner: runner, Jobs: control, In: terminal, Out: 2, Signals: signals, Plain: isPlain(), Colours: os.Getenv("NO_COLOR") == "",
		Topics: topics(), Help: manualPage, Typing: view.hide, Resized: view.redraw,
		History: home("XDG_STATE_HOME", ".local/state", "ftsh/history"), Start: home("XDG_CONFIG_HOME", ".config", "ftsh/rc.ftsh"),
	})
	_ = host.Close()
	if err != nil {
		return complain(err, "")
	}
	if sig, ok := result.Signal.(syscall.Signal); ok {
		log.close()
		die(sig)
	}
	return result.Status
}

// promptObserver is what logs at the prompt, which tells itself how a statement
// failed: nothing, unless there is a log file or more is wanted.
func promptObserver(o *options, log *log) event.Observer {
	if o.logFile == "" && o.logLevel <= event.Failures {
		return nil
	}
	return log.observer
}

// isPlain tells whether the terminal knows no escape sequences.
func isPlain() bool {
	switch os.Getenv("TERM") {
	case "", "dumb", "unknown":
		return true
	}
	return false
}

// home is the path of a file of the user's own, in the directory that a
// variable names or in the usual one; "" where there is neither.
func home(variable, usual, file string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, file)
	}
	if dir := os.Getenv("HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, usual, file)
	}
	return ""
}

// topics lists the pages of the manual.
func topics() []string {
	var names []string
	entries, _ := pages.ReadDir("manual")
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".md"))
	}
	return names
}

// manualPage is the text of a page.
func manualPage(topic string) (string, bool) {
	text, err := pages.ReadFile("manual/" + topic + ".md")
	return string(text), err == nil
}
