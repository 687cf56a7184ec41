package process

import (
	"strings"

	"golang.org/x/sys/unix"
)

// Find looks a program up as execvp does. A name with a slash is taken as it
// is; any other is sought in the directories of path, which are separated by
// colons, the empty one meaning the current directory. What is relative is
// relative to dir ("": the process's own directory), and stays so in the answer.
//
// Only regular files that this user may execute count. The error is always a
// *StartError that is Missing: with EACCES (or EISDIR) if there was something
// of that name but nothing to execute, else with ENOENT.
func Find(name, path, dir string) (string, error) {
	if strings.Contains(name, "/") {
		if err := executable(name, dir); err != nil {
			return "", &StartError{Path: name, Err: errno(err), Missing: true}
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
			found = errno(err)
		}
		if path = rest; !more {
			break
		}
	}
	return "", &StartError{Path: name, Err: found, Missing: true}
}

// executable returns nil for a regular file that this user may execute.
func executable(file, dir string) error {
	file = within(file, dir)
	var info unix.Stat_t
	if err := unix.Stat(file, &info); err != nil {
		return err
	}
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return unix.Access(file, unix.X_OK)
	case unix.S_IFDIR:
		return unix.EISDIR
	}
	return unix.EACCES
}

// within is a file name as seen from the process's own directory.
func within(file, dir string) string {
	if dir == "" || strings.HasPrefix(file, "/") {
		return file
	}
	return dir + "/" + file
}

// errno is the number in an error of a system call.
func errno(err error) unix.Errno {
	number, ok := err.(unix.Errno)
	if !ok {
		return unix.EIO
	}
	return number
}
