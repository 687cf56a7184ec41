package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	story "ftsh/interp/event/report"
)

// usualWidth is the width of a report where there is no terminal, in characters.
const usualWidth = 100

// showReport tells what happened according to a log.
func showReport(o *options) int {
	if len(o.args) > 0 {
		return refuseToRun(fmt.Errorf("--report takes one log, but got %q, too", o.args[0]), "")
	}
	told, err := readStory(o.report)
	if err != nil {
		return refuseToRun(fmt.Errorf("cannot read log %s: %w", o.report, unwrapped(err)), "")
	}
	if o.html == "" {
		return showAnswer(told.Text(terminalWidth()))
	}
	if err := os.WriteFile(o.html, []byte(told.HTML()), 0o644); err != nil {
		return refuseToRun(fmt.Errorf("cannot write %s: %w", o.html, unwrapped(err)), "")
	}
	return statusSuccess
}

// readStory reads a log; - is standard input.
func readStory(name string) (*story.Story, error) {
	if name == "-" {
		return story.Read(os.Stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return story.Read(file)
}

// terminalWidth returns the width of the terminal on standard output, or the usual one.
func terminalWidth() int {
	size, err := unix.IoctlGetWinsize(1, unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return usualWidth
	}
	return int(size.Col)
}
