package process

import (
	"ftsh/interp/files"
	"ftsh/interp/world"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Find looks a program up as execvp does. A name with a slash is taken as it
// is; any other is sought in the directories of path, which are separated by
// colons, the empty one meaning the current directory. What is relative is
// relative to dir, and stays so in the answer.
//
// Only regular files that this user may execute count. The error is always a
// *world.StartError that is Missing: with EACCES (or EISDIR) if there was something
// of that name but nothing to execute, else with ENOENT.
func Find(name, path string, dir files.Directory) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(name, dir); err != nil {
			return "", &world.StartError{Path: name, Err: errnoOf(err), Missing: true}
		}
		return name, nil
	}
	found := unix.ENOENT
	for name != "" {
		folder, rest, more := strings.Cut(path, ":")
		if folder == "" {
			folder = "."
		}
		candidate := strings.TrimSuffix(folder, "/") + "/" + name
		switch err := executable(candidate, dir); err {
		case nil:
			return candidate, nil
		case unix.EACCES, unix.EISDIR:
			found = errnoOf(err)
		}
		if path = rest; !more {
			break
		}
	}
	return "", &world.StartError{Path: name, Err: found, Missing: true}
}

// A Finder remembers where programs were found, for one value of PATH and one directory. Safe for concurrent use.
type Finder struct {
	// Look finds a program, as Find does. It must be set.
	Look func(name, path string, dir files.Directory) (string, error)

	mu    sync.Mutex
	path  string
	dir   files.Directory
	found map[string]string
}

// Find looks a program up, or says where it was found.
func (f *Finder) Find(name, path string, dir files.Directory) (string, error) {
	if strings.Contains(name, "/") {
		return f.Look(name, path, dir)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.found == nil || f.path != path || f.dir != dir {
		f.path, f.dir, f.found = path, dir, make(map[string]string)
	}
	if found, ok := f.found[name]; ok {
		return found, nil
	}
	found, err := f.Look(name, path, dir)
	if err == nil {
		f.found[name] = found
	}
	return found, err
}

// Forget makes the next use of a program look it up again; it reports whether it was remembered.
func (f *Finder) Forget(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, known := f.found[name]
	delete(f.found, name)
	return known
}

// executable returns nil for a regular file that this user may execute.
func executable(file string, dir files.Directory) error {
	at, file := dir.At(file)
	var info unix.Stat_t
	if err := unix.Fstatat(at, file, &info, 0); err != nil {
		return err
	}
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return unix.Faccessat(at, file, unix.X_OK, 0)
	case unix.S_IFDIR:
		return unix.EISDIR
	}
	return unix.EACCES
}

// errnoOf is the number in an error of a system call.
func errnoOf(err error) unix.Errno {
	number, ok := err.(unix.Errno)
	if !ok {
		return unix.EIO
	}
	return number
}
