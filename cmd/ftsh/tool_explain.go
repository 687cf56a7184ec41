package main

import (
	"errors"
	"os"

	"ftsh/ast/explain"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/parser"
)

// explainFiles is --explain: it says in words and numbers what the limits of scripts allow, and with --journal what of
// them runs again after a crash.
func explainFiles(args []string) int {
	var options struct {
		Journal bool `long:"journal"`
	}
	files, err := parseTool(&options, args)
	if err == nil && len(files) == 0 {
		err = errors.New("--explain: name the scripts to explain")
	}
	if err != nil {
		return refuseToRun(err, "ftsh --manual explain")
	}
	policy, err := backoff.FromEnvironment(os.LookupEnv)
	if err != nil {
		return refuseToRun(err, "ftsh --manual backoff")
	}
	status := statusSuccess
	for _, name := range files {
		status = max(status, explainFile(name, options.Journal, explain.Config{Backoff: policy, IsBuiltin: interp.IsBuiltin}))
	}
	return status
}

// explainFile explains one script, and returns its status.
func explainFile(name string, journal bool, config explain.Config) int {
	source, err := readSource(name)
	if err != nil {
		return refuseToRun(err, "")
	}
	file, err := parser.Parse(source, parser.Config{})
	if err != nil {
		return reportErrors(err)
	}
	if journal {
		return showAnswer(explain.Units(file, config))
	}
	return showAnswer(explain.Text(file, config))
}
