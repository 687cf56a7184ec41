package interp_test

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// scratchHome holds folders that live for moments, by the thousand: in memory, where the machine has room
// for files there, unless somebody says another place: FTSH_SCRATCH, or TMPDIR. On a disk a quarter of the processor
// time of these tests would go into finding places for them.
var scratchHome = sync.OnceValue(func() string {
	const memory = "/dev/shm"
	if named := os.Getenv("FTSH_SCRATCH"); named != "" {
		return named
	}
	if os.Getenv("TMPDIR") == "" && unix.Access(memory, unix.W_OK|unix.X_OK) == nil {
		return memory
	}
	return os.TempDir()
})

// scratchDir makes a folder there for a test.
func scratchDir(t testing.TB) string {
	t.Helper()
	dir := makeScratch(t)
	t.Cleanup(func() { removeScratch(t, dir) })
	return dir
}

// makeScratch makes a folder there. No program may be in it: some machines execute none from there.
func makeScratch(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratchHome(), "ftsh-test-")
	must(t, err)
	return dir
}

func removeScratch(t testing.TB, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
