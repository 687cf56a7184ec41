package process

import (
	"strings"

	"golang.org/x/sys/unix"
)

// Find looks a program up as execvp does. A name with a slash is taken as it
// is; any other is sought in the directories of path, which are separated by
// colons, the empty one meaning the current directory. What is relative is
// relative to dir, and stays so in the answer.
//
// Only regular files that this user may execute count. The error is always a
// *StartError that is Missing: with EACCES (or EISDIR) if there was something
// of that name but nothing to execute, else with ENOENT.
func Find(name, path string, dir Directory) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(name, dir); err != nil {
			return "", &StartError{Path: name, Err: errnoOf(err), Missing: true}
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
	return "", &StartError{Path: name, Err: found, Missing: true}
}

// executable returns nil for a regular file that this user may execute.
func executable(file string, dir Directory) error {
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
