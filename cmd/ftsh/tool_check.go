package main

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/ast/check"
	"ftsh/ast/check/findings"
	"ftsh/ast/diag"
	"ftsh/interp"
	"ftsh/parser"
)

// checkFiles is --check: it says what is wrong in scripts without running them.
// The status is 0 if there is nothing, or only notes, 1 if there is, 2 if a file cannot be read or
// is no script.
func checkFiles(args []string) int {
	var options struct {
		Format  string `long:"format" choice:"text" choice:"json" choice:"sarif" default:"text"`
		Journal bool   `long:"journal"`
	}
	files, err := parseTool(&options, args)
	if err == nil && len(files) == 0 {
		err = errors.New("--check: name the scripts to check")
	}
	if err != nil {
		return refuseToRun(err, "ftsh --manual check")
	}
	config := check.Config{OnPath: onPath, Nearest: nearestProgram, IsBuiltin: interp.IsBuiltin, Journal: options.Journal}
	config.Dir, _ = os.Getwd()
	e := examination{config: config, seen: map[string]bool{}}
	for _, name := range files {
		e.checkFile(name)
	}
	var text bytes.Buffer
	switch options.Format {
	case "json":
		err = findings.JSON(&text, e.found)
	case "sarif":
		err = findings.SARIF(&text, version, e.found)
	default:
		err = findings.Text(&text, e.found)
	}
	return max(e.status, statusOfPrint(errors.Join(err, printText(text.String()))))
}

// examination is one run of --check.
type examination struct {
	config check.Config
	found  []check.Finding
	seen   map[string]bool // findings in files that several scripts source
	status int
}

// checkFile checks one script.
func (e *examination) checkFile(name string) {
	source, err := readSource(name)
	if err != nil {
		e.status = refuseToRun(err, "")
		return
	}
	file, err := parser.Parse(source, parser.Config{})
	if list, ok := errors.AsType[diag.List](err); ok {
		e.addFindings(check.Errors(list))
		e.status = statusNotRun
		return
	}
	found := check.Script(file, e.config)
	e.addFindings(found)
	if slices.ContainsFunc(found, func(f check.Finding) bool { return f.Level != check.Note }) {
		e.status = max(e.status, statusFailed)
	}
}

// addFindings notes findings, each once.
func (e *examination) addFindings(found []check.Finding) {
	for _, f := range found {
		key := f.Pos.String() + f.Rule.Code
		if !e.seen[key] {
			e.seen[key] = true
			e.found = append(e.found, f)
		}
	}
}

// onPath reports whether a program of that name is on PATH.
func onPath(name string) bool {
	for dir := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		path := dir + "/" + name
		if dir == "" {
			path = name
		}
		var info unix.Stat_t
		if unix.Stat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG && info.Mode&0o111 != 0 {
			return true
		}
	}
	return false
}

// nearestProgram returns the name of a program on PATH of which that is a misspelt one; "": there is none.
func nearestProgram(name string) string { return diag.Misspelt(name, programsOnPath()) }

// programsOnPath lists what is in the folders of PATH. They are read once, and not for each name.
var programsOnPath = sync.OnceValue(func() (names []string) {
	for dir := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	return names
})
