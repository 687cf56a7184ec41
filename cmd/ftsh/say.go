package main

import (
	"errors"
	"fmt"
	"os"

	"ftsh/interp/event"
)

// All that the shell itself writes, besides the log, goes through printText and sayError. What it was given and writes
// as it is (a script in its canonical form, the output of a job, a styled page of the manual) goes through printRaw.

// secrets are those of the script that runs: nothing that goes through here shows them.
var secrets event.Mask

// visibleText is a text as the shell writes it.
func visibleText(text string) string { return event.Visible(secrets.Text(text)) }

// printText writes to standard output.
func printText(text string) error { return printRaw([]byte(visibleText(text))) }

// sayError writes to standard error.
func sayError(text string) { os.Stderr.WriteString(visibleText(text)) }

// printRaw writes to standard output, as it is.
func printRaw(text []byte) error {
	if len(text) > 0 && stdoutClosed() {
		return errors.New("cannot print: standard output is closed")
	}
	if _, err := os.Stdout.Write(text); err != nil {
		return fmt.Errorf("cannot print: %w", unwrapped(err))
	}
	return nil
}

// showAnswer says what was asked for instead of a script's run.
func showAnswer(text string) int { return statusOfPrint(printText(text)) }

// statusOfPrint is the status of a tool that has written all, if that was possible.
func statusOfPrint(err error) int {
	if err != nil {
		return refuseToRun(err, "")
	}
	return statusSuccess
}

// printWarning tells a person something, in one line whatever names it quotes, and what belongs to it in further lines.
func printWarning(text string, further ...string) {
	text = "ftsh: " + event.VisibleLine(secrets.Text(text)) + "\n"
	for _, line := range further {
		text += event.VisibleLine(secrets.Text(line)) + "\n"
	}
	os.Stderr.WriteString(text)
}

// refuseToRun tells why nothing ran: each error, what it explains, and a hint.
func refuseToRun(err error, hint string) int {
	var further []string
	if explained, ok := errors.AsType[*explainedError](err); ok {
		further = explained.lines
	}
	if hint != "" {
		further = append(further, hint)
	}
	printWarning(err.Error(), further...)
	return statusNotRun
}

// explainedError is an error that says more in lines of their own: an excerpt of the script, or what to do.
type explainedError struct {
	error
	lines []string
}

// Unwrap returns the error without the lines.
func (e *explainedError) Unwrap() error { return e.error }
