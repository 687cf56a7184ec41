package journal_test

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
	"ftsh/interp/journal/memory"
)

// mutant is a file system by which a journal does something wrong that it would not notice.
type mutant struct {
	*memory.FS
	unsynced      func(path string) bool // syncs that are left out
	renamedBefore bool                   // files are synced after they come to their name
	retried       bool                   // a sync that failed is tried once more
	waiting       journal.File
}

type mutantFile struct {
	journal.File
	fs   *mutant
	path string
}

func (m *mutant) Open(path string, flag int) (journal.File, error) {
	file, err := m.FS.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return &mutantFile{file, m, path}, nil
}

func (m *mutant) Rename(from, to string) error {
	err := m.FS.Rename(from, to)
	if m.waiting != nil && err == nil {
		err = m.waiting.Sync()
	}
	m.waiting = nil
	return err
}

func (f *mutantFile) Sync() error {
	switch {
	case f.fs.renamedBefore && strings.HasSuffix(f.path, ".new") && f.fs.Contents(f.path) != nil:
		f.fs.waiting = f.File
		return nil
	case f.fs.unsynced != nil && f.fs.unsynced(f.path):
		return nil
	}
	err := f.File.Sync()
	if err == unix.EIO && f.fs.retried {
		err = f.File.Sync()
	}
	return err
}

// TestMutants holds that histories show what is wrong with a journal that leaves something out.
func TestMutants(t *testing.T) {
	isFolder := func(path string) bool { return path == "/d" || path == "/d/journal.d" || path == "/" }
	for name, wrong := range map[string]mutant{
		"no sync":                  {unsynced: func(path string) bool { return !isFolder(path) }},
		"no sync of folders":       {unsynced: isFolder},
		"no sync of long values":   {unsynced: func(path string) bool { return strings.HasPrefix(path, "/d/journal.d/") }},
		"no sync of their names":   {unsynced: func(path string) bool { return path == "/d/journal.d" }},
		"rename before the sync":   {renamedBefore: true},
		"a failed sync once again": {retried: true},
	} {
		t.Run(name, func(t *testing.T) {
			seed, _, err := histories(20_000, func(h *history) {
				m := wrong
				m.FS = h.fs
				h.config.FS = &m
			})
			if err == nil {
				t.Fatal("no history shows it")
			}
			t.Logf("history %d: %v", seed, err)
		})
	}
}
