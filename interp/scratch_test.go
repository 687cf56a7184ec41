package interp_test

import (
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// scratchHome is where folders are made that live for moments, by the thousand: in memory, where the machine has room
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

// scratchDir makes a folder there. No program may be in it: some machines execute none from there.
func scratchDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratchHome(), "ftsh-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeScratch(t, dir) })
	return dir
}

func removeScratch(t testing.TB, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}
