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
// terminal: no script is named, and there is one to draw on.
func isInteractive(o *options) bool {
	return o.text == nil && len(o.args) == 0 && !o.print && !o.check && isTerminal(terminal) && canvas() >= 0
}

// terminal is where the prompt reads.
const terminal = 0

// canvas is the descriptor on which the prompt draws, or -1: standard error, or
// if that is no terminal standard output.
func canvas() int {
	for _, fd := range []int{2, 1} {
		if isTerminal(fd) {
			return fd
		}
	}
	return -1
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
		Guardian: !o.noGuardian, Marker: os.Getenv("FTSH_COMMAND"), Observe: log.notice(o.weak),
	})
	if err != nil {
		return complain(err, "")
	}
	result, err := converse(o, host, interp.Config{
		Clock: clock, Observer: promptObserver(o, log), Name: "ftsh", Environ: environment(o), Files: inheritedFiles(),
		Seed: o.seed, Backoff: policy, KillTimeout: o.killTimeout, Lenient: o.lenient, Identity: process.Identity, Keep: keeper(host),
		Exec: func(c *process.Command) error { return replace(host, c) },
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

// converse is the prompt on its terminal.
func converse(o *options, host *process.Host, config interp.Config) (repl.Result, error) {
	giveBack, controls := takeTerminal()
	defer giveBack()
	hurry := make(chan struct{})
	enter := repl.NewEnter(terminal, hurry)
	view := openPromptView(o, enter.Waiting)
	defer view.close()
	local := &engine{Host: host}
	config.Engine, config.View, config.Hurry = local, view.observer(), hurry
	prompt := repl.Config{
		Runner: interp.New(config), In: terminal, Out: canvas(), Signals: promptSignals(),
		Plain: isPlain(), Colours: os.Getenv("NO_COLOR") == "", Topics: topics(), Help: manualPage,
		Typing: view.hide, Resized: view.redraw,
		History: home("XDG_STATE_HOME", ".local/state", "ftsh/history"), Start: home("XDG_CONFIG_HOME", ".config", "ftsh/rc.ftsh"),
	}
	if controls {
		prompt.Jobs = &jobs{engine: local, enter: enter}
	}
	return repl.Run(prompt)
}

// promptSignals are the signals that the prompt reacts to, and those that must not
// stop it.
func promptSignals() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGWINCH,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
	return signals
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
