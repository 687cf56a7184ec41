package main

import (
	"errors"
	"os"

	"ftsh/ast/explain"
	"ftsh/backoff"
	"ftsh/interp"
	"ftsh/parser"
)

// explainFiles is --explain: it says in words and numbers what the limits of scripts allow.
func explainFiles(args []string) int {
	files, err := parseTool(&struct{}{}, args)
	if err == nil && len(files) == 0 {
		err = errors.New("--explain: name the scripts to explain")
	}
	policy, wrong := backoff.FromEnvironment(os.LookupEnv)
	if err = errors.Join(err, wrong); err != nil {
		return refuseToRun(err, "ftsh --manual check")
	}
	status := statusSuccess
	for _, name := range files {
		status = max(status, explainFile(name, explain.Config{Backoff: policy, IsBuiltin: interp.IsBuiltin}))
	}
	return status
}

// explainFile explains one script, and returns its status.
func explainFile(name string, config explain.Config) int {
	source, err := readSource(name)
	if err != nil {
		return refuseToRun(err, "")
	}
	file, err := parser.Parse(source, parser.Config{})
	if err != nil {
		return reportErrors(err)
	}
	return showAnswer(explain.Text(file, config))
}
