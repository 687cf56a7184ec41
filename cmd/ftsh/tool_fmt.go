package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"

	"ftsh/ast/printer"
	"ftsh/parser"
)

// formatFiles is --fmt: it prints scripts in their canonical form, writes them back
// (-w), or shows what would change (-d). The status is 1 if -d shows a difference.
func formatFiles(args []string) int {
	var options struct {
		Write bool `short:"w"`
		Diff  bool `short:"d"`
	}
	files, err := parseTool(&options, args)
	if err == nil && options.Write && options.Diff {
		err = errors.New("--fmt: -w writes, -d only shows; wanted one of them")
	}
	if err == nil && options.Write && len(files) == 0 {
		err = errors.New("--fmt -w: name the scripts to write")
	}
	if err != nil {
		return refuseToRun(err, "ftsh --manual options")
	}
	if len(files) == 0 {
		files = []string{"-"}
	}
	status := statusSuccess
	for _, name := range files {
		status = max(status, formatFile(name, options.Write, options.Diff))
	}
	return status
}

// formatFile formats one script, and returns its status.
func formatFile(name string, write, compare bool) int {
	source, err := readSource(name)
	if err != nil {
		return refuseToRun(err, "")
	}
	file, err := parser.Parse(source, parser.Config{Alone: true})
	if err != nil {
		return reportErrors(err)
	}
	var text bytes.Buffer
	_ = printer.Print(&text, file)
	switch same := text.String() == source.Text; {
	case write && (same || name == "-"):
		return statusSuccess
	case write:
		err = rewriteFile(name, text.Bytes())
	case compare && same:
		return statusSuccess
	case compare:
		changes := diff.Diff(source.Title(), []byte(source.Text), source.Title()+" formatted", text.Bytes())
		return max(statusFailed, showAnswer(string(changes)))
	default:
		return statusOfPrint(printRaw(text.Bytes()))
	}
	if err != nil {
		return refuseToRun(fmt.Errorf("cannot write: %w", err), "")
	}
	return statusSuccess
}

// rewriteFile replaces a file at once, or not at all, and keeps its mode and its owner. A
// link is followed.
func rewriteFile(name string, text []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	out, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".ftsh-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // which fails once it has its name
	defer out.Close()
	if _, err := out.Write(text); err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		if err := out.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("cannot keep the owner of %s: %w", name, err)
		}
	}
	// After chown, which takes the set-uid bits away.
	if err := out.Chmod(info.Mode()); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	return os.Rename(out.Name(), target)
}
