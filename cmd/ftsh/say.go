package main

import (
	"errors"
	"fmt"
	"os"

	"ftsh/interp/event"
)

// What the shell itself writes, besides the log, goes through here: say and sayError. What it was given and writes as it is
// (a script in its canonical form, the output of a job, a styled page of the manual) goes through hand.

// secrets are those of the script that runs: nothing that goes through here shows them.
var secrets event.Mask

// shown is a text as the shell writes it.
func shown(text string) string { return event.Visible(secrets.Text(text)) }

// say writes to standard output.
func say(text string) error { return hand([]byte(shown(text))) }

// sayError writes to standard error.
func sayError(text string) { os.Stderr.WriteString(shown(text)) }

// hand writes to standard output, as it is.
func hand(text []byte) error {
	if len(text) > 0 && stdoutClosed() {
		return errors.New("cannot print: standard output is closed")
	}
	if _, err := os.Stdout.Write(text); err != nil {
		return fmt.Errorf("cannot print: %w", unwrapped(err))
	}
	return nil
}

// show says what was asked for instead of a script's run.
func show(text string) int { return printed(say(text)) }

// printed is the status of a tool that has written all, if that was possible.
func printed(err error) int {
	if err != nil {
		return complain(err, "")
	}
	return statusSuccess
}

// warn tells a person something.
func warn(text string) { sayError("ftsh: " + text + "\n") }

// complain tells why nothing ran.
func complain(err error, hint string) int {
	warn(err.Error())
	if hint != "" {
		sayError(hint + "\n")
	}
	return statusNotRun
}
