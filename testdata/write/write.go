// Package write writes what tests need.
package write

import (
	"os"
	"syscall"
	"testing"
)

// Program writes a program that can be run at once, also where other tests start processes meanwhile.
func Program[T string | []byte](t testing.TB, path string, text T) {
	t.Helper()
	// While it is open for writing, nothing forks: a child would have it open, too, and it could not be run yet.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o755); err != nil { // it may have been there before
		t.Fatal(err)
	}
}
