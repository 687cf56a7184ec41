package main

import (
	"os"

	"ftsh/ast"
	"ftsh/interp/dry"
)

// rehearse makes the script run nothing (--dry-run). What it returns is called at the end, and counts what would run.
func (s *shell) rehearse(file *ast.File) (counted func()) {
	w := dry.New(s.config.World, file, os.Stdout, secrets.Words)
	s.config.World, s.config.Script.Deadline = w, 0
	return func() { _ = printText(w.Summary()) }
}
