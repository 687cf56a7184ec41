package main

import (
	"cmp"
	"fmt"
	"os"

	story "ftsh/interp/event/report"
)

// usualWidth is the width of a report where there is no terminal, in characters.
const usualWidth = 100

// showReport writes the report of a log; - is standard input.
func showReport(o *options) int {
	if len(o.args) > 0 {
		return refuseToRun(fmt.Errorf("--report takes one log, but got %q, too", o.args[0]), "")
	}
	var err error
	log := os.Stdin
	if o.report != "-" {
		log, err = os.Open(o.report)
	}
	var told *story.Story
	if err == nil {
		told, err = story.Read(log)
		_ = log.Close()
	}
	if err != nil {
		return refuseToRun(fmt.Errorf("cannot read log %s: %w", o.report, unwrapped(err)), "")
	}
	if o.html == "" {
		return showAnswer(told.Text(cmp.Or(terminalColumns(1), usualWidth)))
	}
	if err := os.WriteFile(o.html, []byte(told.HTML()), 0o644); err != nil {
		return refuseToRun(fmt.Errorf("cannot write %s: %w", o.html, unwrapped(err)), "")
	}
	return statusSuccess
}
