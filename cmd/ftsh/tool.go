package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jessevdk/go-flags"

	"ftsh/ast"
)

// toolFor finds what to do with scripts other than to run them. The option that asks
// for it comes first, and what follows is the tool's own; nil if it asks for none.
func toolFor(option string) func(args []string) int {
	switch option {
	case "--check":
		return checkFiles
	case "--explain":
		return explainFiles
	case "--job":
		return runJob
	case "--jobs":
		return tendJobs
	case "--fmt":
		return formatFiles
	}
	return nil
}

// parseTool reads the options of a tool into its struct, and returns the files.
func parseTool(options any, args []string) ([]string, error) {
	files, err := flags.NewParser(options, flags.PassDoubleDash).ParseArgs(args)
	if err != nil {
		text, _, _ := strings.Cut(err.Error(), " (expected")
		return nil, errors.New(text)
	}
	return files, nil
}

// readSource reads a file to work on, or standard input for -.
func readSource(name string) (*ast.Source, error) {
	if name == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return nil, fmt.Errorf("cannot read standard input: %w", unwrapped(err))
		}
		return &ast.Source{Name: "stdin", Text: string(text)}, nil
	}
	text, err := readScript(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return &ast.Source{Name: name, Text: text}, nil
}
