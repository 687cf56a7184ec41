// Package write writes what tests need.
package write

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Program writes a program that can be run at once, also where other tests start processes meanwhile. Whoever runs it
// while it is replaced runs the one before, or this one.
func Program[T string | []byte](t testing.TB, path string, text T) {
	t.Helper()
	// While it is open for writing, nothing forks: a child would have it open, too, and it could not be run yet.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	File(t, path, text, 0o755)
}

// File writes a file that others see as it was before or as it is now, and never in part.
func File[T string | []byte](t testing.TB, path string, text T, mode os.FileMode) {
	t.Helper()
	beside, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		t.Fatal(err)
	}
	_, err = beside.WriteString(string(text))
	err = errors.Join(err, beside.Chmod(mode), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
}
