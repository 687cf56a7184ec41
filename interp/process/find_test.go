package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ftsh/interp/files"
	"ftsh/interp/process"
	"ftsh/interp/world"
)

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{
		"bin/tool": 0o755, "bin/plain": 0o644, "other/tool": 0o755, "other/plain": 0o755, "here": 0o755,
	} {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(dir, "bin/folder"), 0o755)
	os.Symlink("tool", filepath.Join(dir, "bin/link"))
	os.Symlink("nothing", filepath.Join(dir, "bin/dangling"))
	os.Symlink("loop", filepath.Join(dir, "bin/loop"))
	for _, tt := range []struct {
		name, path, want string
		errno            syscall.Errno
	}{
		{"tool", "bin:other", "bin/tool", 0},
		{"tool", "nowhere:other:bin", "other/tool", 0},
		{"tool", "bin/", "bin/tool", 0},
		{"plain", "bin:other", "other/plain", 0},
		{"plain", "bin", "", syscall.EACCES},
		{"folder", "bin", "", syscall.EISDIR},
		{"link", "bin", "bin/link", 0},
		{"dangling", "bin", "", syscall.ENOENT},
		{"loop", "bin", "", syscall.ENOENT},
		{"here", "bin:", "./here", 0},
		{"here", ":bin", "./here", 0},
		{"here", "", "./here", 0},
		{"here", "bin", "", syscall.ENOENT},
		{"bin/tool", "", "bin/tool", 0},
		{"./bin/tool", "", "./bin/tool", 0},
		{"bin/plain", "", "", syscall.EACCES},
		{"bin", ":", "", syscall.EISDIR},
		{"no/such", "", "", syscall.ENOENT},
		{"bin/tool/x", "", "", syscall.ENOTDIR},
		{"", "bin", "", syscall.ENOENT},
		{".", "bin", "", syscall.EISDIR},
		{"..", "bin", "", syscall.EISDIR},
	} {
		got, err := process.Find(tt.name, tt.path, files.Directory{Name: dir})
		var e *world.StartError
		errors.As(err, &e)
		switch {
		case tt.errno == 0 && (got != tt.want || err != nil):
			t.Errorf("%q on %q: got %q, %v; want %q", tt.name, tt.path, got, err, tt.want)
		case tt.errno != 0 && (e == nil || e.Err != tt.errno || !e.Missing || e.Path != tt.name || got != ""):
			t.Errorf("%q on %q: got %q, %+v; want %v", tt.name, tt.path, got, e, tt.errno)
		}
	}
	if got, err := process.Find("sh", "/nowhere:/bin", files.Directory{}); got != "/bin/sh" || err != nil {
		t.Error(got, err)
	}
}

func BenchmarkFind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		process.Find("true", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", files.Directory{})
	}
}
