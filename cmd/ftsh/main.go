// Command ftsh is the fault-tolerant shell: it reads a script, runs it, and
// ends as it did. Everything that touches the process as a whole happens here:
// options, signals, exit statuses.
package main

import (
	"os"
	"os/signal"
	"strings"

	"ftsh/interp/process"
)

// The exit statuses of the shell itself. A script chooses others with exit.
const (
	statusSuccess = 0
	statusFailed  = 1 // the script ran and failed
	statusNotRun  = 2 // it did not run: usage, syntax, unreadable
)

func main() {
	if status, served := process.Serve(os.Args[1:], signal.Notify, cancelLeft); served {
		os.Exit(status)
	}
	endAtOnce()
	os.Exit(runCommandLine(os.Args[1:]))
}

// runCommandLine does what the command line asks for and returns the exit status.
func runCommandLine(args []string) int {
	if len(args) > 0 && strings.HasPrefix(args[0], "--") {
		if do := toolFor(args[0]); do != nil {
			if err := findRoom(); err != nil {
				return refuseToRun(err, "")
			}
			return do(args[1:])
		}
	}
	o, err := parseOptions(args, os.LookupEnv)
	if err != nil {
		return refuseToRun(err, "ftsh -h shows the options")
	}
	if err := findMemory(); err != nil {
		status := refuseToRun(err, "")
		if o.try != nil {
			status = statusNoAttempt
		}
		return status
	}
	if o.needsRoom() {
		if err := findRoom(); err != nil {
			return refuseToRun(err, "")
		}
	}
	switch {
	case o.help:
		return showAnswer(help)
	case o.version:
		return showAnswer("ftsh " + version + "\n")
	case o.words != nil:
		return searchManual(o.words)
	case o.manual:
		return showManual(o.args)
	case o.resources:
		return showResources(o.args)
	case o.report != "":
		return showReport(o)
	case o.journal.list:
		return listJournals(o.args, o.journal.state)
	case o.journal.goesOn:
		return goOn(o)
	case o.try != nil:
		return runOnce(o)
	case len(o.args) == 0 && isInteractive(o):
		return runPrompt(o)
	}
	return runScript(o)
}
