package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAtomicSyncs holds what is on disk when: the file before it has a name, the file
// with its name before that replaces the target, and the folder after.
func TestAtomicSyncs(t *testing.T) {
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := NewAtomic(Directory{}, target)
	if err != nil {
		t.Fatal(err)
	}
	unnamed := output.name == ""
	var synced []string
	output.sync = func(fd int) error {
		var info unix.Stat_t
		if err := unix.Fstat(fd, &info); err != nil {
			t.Error(err)
		}
		text, _ := os.ReadFile(target)
		switch {
		case info.Mode&unix.S_IFMT == unix.S_IFDIR:
			synced = append(synced, "folder, "+string(text))
		case info.Nlink == 0:
			synced = append(synced, "without a name, "+string(text))
		default:
			synced = append(synced, "with a name, "+string(text))
		}
		return nil
	}
	if _, err := unix.Write(output.Stream(), []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := output.End(true); err != nil {
		t.Fatal(err)
	}
	want := []string{"without a name, old", "with a name, old", "folder, new"}
	if !unnamed {
		want = want[1:]
	}
	if !slices.Equal(synced, want) {
		t.Errorf("synced %q, wanted %q", synced, want)
	}
}
