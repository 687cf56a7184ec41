package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ftsh/interp/event"
)

// errUnnamed refuses what is mostly a variable that was not set.
var errUnnamed = errors.New("the name of a journal is empty: wanted a name, or a file with a slash")

const journalSuffix = ".journal"

// journalFolder returns the folder of the journals whose names have no slash.
func journalFolder() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // what is relative is to be ignored, says the XDG specification
		home := os.Getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", errors.New("there is no folder for journals: set HOME or XDG_STATE_HOME, or name a file with a slash")
		}
		state = home + "/.local/state"
	}
	return filepath.Join(state, "ftsh"), nil
}

// journalPath is the file of a journal.
func journalPath(name string) (string, error) {
	if strings.Contains(name, "/") {
		return filepath.Abs(name)
	}
	if name == "" {
		return "", errUnnamed
	}
	folder, err := journalFolder()
	return folder + "/" + name + journalSuffix, err
}

// journalName returns the name by which the command line calls the journal in a file.
func journalName(path string) string {
	folder, err := journalFolder()
	name, named := strings.CutSuffix(filepath.Base(path), journalSuffix)
	if err == nil && named && filepath.Dir(path) == folder {
		return name
	}
	return path
}

// journalPaths are the files of journals with those names, or without any of all in the folder.
func journalPaths(names []string) (paths []string, err error) {
	if len(names) == 0 {
		folder, err := journalFolder()
		if err != nil {
			return nil, err
		}
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			if strings.HasSuffix(entry.Name(), journalSuffix) {
				paths = append(paths, folder+"/"+entry.Name())
			}
		}
		return paths, nil
	}
	for _, name := range names {
		path, failed := journalPath(name)
		paths, err = append(paths, path), cmp.Or(err, failed)
	}
	return slices.Compact(paths), err
}

// quoteWord is a word as a shell reads it.
func quoteWord(word string) string { return event.Quoted([]string{word}) }
