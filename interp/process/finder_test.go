package process

import (
	"errors"
	"ftsh/interp/files"
	"ftsh/interp/world"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFinder has a Finder remember what was found for one PATH and one directory, and nothing else: no failure, and no
// name that says itself where the program is.
func TestFinder(t *testing.T) {
	var looked []string
	missing := errors.New("missing")
	f := &Finder{}
	f.Look = func(name, path string, dir files.Directory) (string, error) {
		looked = append(looked, name+" "+path+" "+dir.Name)
		if name == "none" {
			return "", missing
		}
		return path + "/" + name, nil
	}
	for _, step := range []struct {
		name, path, dir string
		looks           bool
	}{
		{"a", "/bin", "/", true}, {"a", "/bin", "/", false}, {"b", "/bin", "/", true}, {"a", "/bin", "/", false},
		{"none", "/bin", "/", true}, {"none", "/bin", "/", true}, {"./a", "/bin", "/", true}, {"./a", "/bin", "/", true},
		{"a", "/sbin", "/", true}, {"a", "/sbin", "/", false}, {"a", "/sbin", "/tmp", true}, {"a", "/sbin", "/", true},
	} {
		looked = nil
		got, err := f.Find(step.name, step.path, files.Directory{Name: step.dir})
		want, wantErr := step.path+"/"+step.name, error(nil)
		if step.name == "none" {
			want, wantErr = "", missing
		}
		if got != want || err != wantErr {
			t.Errorf("%+v: %q, %v; want %q, %v", step, got, err, want, wantErr)
		}
		if !step.looks != (len(looked) == 0) {
			t.Errorf("%+v: looked for %q", step, looked)
		}
	}
}

// TestForget has a program be looked up again that was forgotten, and the others not.
func TestForget(t *testing.T) {
	var looked []string
	f := &Finder{}
	f.Look = func(name, _ string, _ files.Directory) (string, error) {
		looked = append(looked, name)
		return "/" + name, nil
	}
	if f.Forget("a") {
		t.Error("it was remembered before anybody looked for it")
	}
	for range 2 {
		f.Find("a", "", files.Directory{})
		f.Find("b", "", files.Directory{})
		if !f.Forget("a") || f.Forget("a") {
			t.Error("it is not remembered once, and forgotten then")
		}
	}
	if want := []string{"a", "b", "a"}; !slices.Equal(looked, want) {
		t.Errorf("looked for %q, want %q", looked, want)
	}
}

// TestFinderLocks has a Finder be held by one alone, as long as one looks, and by nobody afterwards.
func TestFinderLocks(t *testing.T) {
	f := &Finder{}
	f.Look = func(string, string, files.Directory) (string, error) {
		if f.mu.TryLock() {
			f.mu.Unlock()
			t.Error("another may change it meanwhile")
		}
		return "", unix.ENOENT
	}
	f.Find("a", "", files.Directory{})
	for _, step := range []func(){
		func() { f.Find("a", "", files.Directory{}) }, func() { f.Forget("a") },
	} {
		if step(); !f.mu.TryLock() {
			t.Fatal("it is held for ever")
		}
		f.mu.Unlock()
	}
	f.Look = func(string, string, files.Directory) (string, error) {
		if !f.mu.TryLock() {
			t.Fatal("a program that is not remembered keeps others waiting")
		}
		f.mu.Unlock()
		return "", nil
	}
	f.Find("./a", "", files.Directory{})
}

// An error without a number is one of input and output.
func TestErrnoOf(t *testing.T) {
	for err, want := range map[error]unix.Errno{
		unix.ENOENT: unix.ENOENT, unix.EACCES: unix.EACCES, errors.New("other"): unix.EIO,
	} {
		if got := errnoOf(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// What is no file cannot be executed, whatever its mode says.
func TestFindNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "./pipe"} {
		got, err := Find(name, ".", files.Directory{Name: dir})
		if failed, ok := err.(*world.StartError); !ok || failed.Err != unix.EACCES || !failed.Missing {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
