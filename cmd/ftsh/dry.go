package main

import (
	"ftsh/ast"
	"ftsh/interp/dry"
	"ftsh/interp/event"
)

// rehearse makes the script run nothing (--dry-run). What it returns is called at the end: it counts what would run,
// and says why that or anything before could not be printed.
func (s *shell) rehearse(file *ast.File) (counted func() error) {
	var failed error
	printLine := func(line string) {
		if failed == nil {
			failed = printText(event.VisibleLine(line) + "\n")
		}
	}
	shown := func(words []string) string { return event.Quoted(secrets.Words(words)) }
	w := dry.New(s.config.World, file, printLine, shown)
	s.config.World, s.config.Script.Deadline = w, 0
	return func() error {
		w.Summarize()
		return failed
	}
}
