package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/interp/journal"
)

// TestRefused holds what journals are refused, and that they stay as they are.
func TestRefused(t *testing.T) {
	type spoiled struct {
		spoil func(t *testing.T, path string)
		want  string
	}
	for name, c := range map[string]spoiled{
		"open to others":        {func(t *testing.T, path string) { chmod(t, path, 0o640) }, "mode 0640"},
		"a folder others write": {func(t *testing.T, path string) { chmod(t, filepath.Dir(path), 0o770) }, "mode 0770"},
		"a sticky one":          {func(t *testing.T, path string) { sticky(t, filepath.Dir(path)) }, "mode 1777"},
		"a link":                {func(t *testing.T, path string) { link(t, path) }, "link"},
		"a link to the lock":    {func(t *testing.T, path string) { link(t, path+".lock") }, "link"},
		"a link to the folder":  {func(t *testing.T, path string) { link(t, filepath.Dir(path)) }, "link"},
		"a link to nothing":     {func(t *testing.T, path string) { dangle(t, path) }, "link"},
		"a folder":              {func(t *testing.T, path string) { folder(t, path) }, "regular"},
		"open values":           {func(t *testing.T, path string) { open(t, path+".d") }, "mode 0777"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d", "journal")
			if err := mustOpen(t, path, journal.Config{}).Close(); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, path)
			_, err := journal.Open(path, journal.Config{})
			var foreign *journal.ForeignError
			if !errors.As(err, &foreign) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) { must(t, os.Chmod(path, mode)) }

func sticky(t *testing.T, path string) { chmod(t, path, os.ModeSticky|0o777) }

func link(t *testing.T, path string) {
	must(t, os.Rename(path, path+".real"))
	must(t, os.Symlink(path+".real", path))
}

func dangle(t *testing.T, path string) {
	must(t, os.Remove(path))
	must(t, os.Symlink(path+".nowhere", path))
}

func folder(t *testing.T, path string) {
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
}

func open(t *testing.T, path string) {
	must(t, os.Mkdir(path, 0o700))
	must(t, os.Chmod(path, 0o777))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestForeign holds that a journal of another user or machine is refused.
func TestForeign(t *testing.T) {
	fs := newMemory()
	must(t, mustOpen(t, path, memoryConfig(fs)).Close())
	var foreign *journal.ForeignError
	other := memoryConfig(fs)
	other.Machine = "n"
	if _, err := journal.Open(path, other); !errors.As(err, &foreign) {
		t.Errorf("another machine: got %v", err)
	}
	if i, err := journal.Read(path, other); !errors.As(err, &foreign) || i == nil || i.Host() != "h" {
		t.Errorf("reading that of another machine: got %v", err)
	}
	renamed := memoryConfig(fs)
	renamed.Host = "renamed"
	if j, err := journal.Open(path, renamed); err != nil {
		t.Errorf("another name of the host: got %v", err)
	} else {
		must(t, j.Close())
	}
	fs.UID++
	if _, err := journal.Open(path, memoryConfig(fs)); !errors.As(err, &foreign) {
		t.Errorf("another user: got %v", err)
	}
}

// TestModes holds how open to others files and folders are made.
func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e", "d", "journal")
	j := mustOpen(t, path, journal.Config{})
	mustSync(t, j, j.Write(setting("a", strings.Repeat("v", 70_000))))
	for name, want := range map[string]os.FileMode{
		"": os.ModeDir | 0o700, "/..": os.ModeDir | 0o700, "/journal": 0o600, "/journal.lock": 0o600,
		"/journal.d": os.ModeDir | 0o700, "/journal.d/1": 0o600,
	} {
		if info, err := os.Stat(filepath.Dir(path) + name); err != nil || info.Mode() != want {
			t.Errorf("%q: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	must(t, j.Close())
}

// TestReadOnly holds that a folder that cannot be written to is told.
func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("to root nothing is read-only")
	}
	folder := t.TempDir()
	must(t, os.Chmod(folder, 0o500))
	if _, err := journal.Open(folder+"/journal", journal.Config{}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	_, err := journal.Open("/proc/nowhere/journal", journal.Config{})
	if err == nil || !strings.Contains(err.Error(), "/proc/nowhere") {
		t.Errorf("got %v", err)
	}
}

// TestNoJournal holds that a file that is something else stays what it is.
func TestNoJournal(t *testing.T) {
	for name, text := range map[string]string{
		"data": "a,b\n1,2\n", "nothing": "", "JSON": "{\"n\":1}\n", "binary": "\x00\xff",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := journal.Open(path, journal.Config{})
			var corrupt *journal.CorruptError
			if after, _ := os.ReadFile(path); !errors.As(err, &corrupt) || corrupt.Line != 1 || string(after) != text {
				t.Errorf("got %v, and the file has %q", err, after)
			}
		})
	}
}
