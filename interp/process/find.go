package process

import (
	"strings"
	"syscall"
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
		if errno := executable(name, dir); errno != 0 {
			return "", &StartError{Path: name, Err: errno, Missing: true}
		}
		return name, nil
	}
	found := syscall.ENOENT
	for name != "" {
		folder, rest, more := strings.Cut(path, ":")
		if folder == "" {
			folder = "."
		}
		candidate := strings.TrimSuffix(folder, "/") + "/" + name
		switch errno := executable(candidate, dir); errno {
		case 0:
			return candidate, nil
		case syscall.EACCES, syscall.EISDIR:
			found = errno
		}
		if path = rest; !more {
			break
		}
	}
	return "", &StartError{Path: name, Err: found, Missing: true}
}

// executable returns 0 for a regular file that this user may execute.
func executable(file, dir string) syscall.Errno {
	file = within(file, dir)
	var info syscall.Stat_t
	if err := syscall.Stat(file, &info); err != nil {
		return number(err)
	}
	switch info.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return number(syscall.Access(file, 1)) // X_OK
	case syscall.S_IFDIR:
		return syscall.EISDIR
	}
	return syscall.EACCES
}

// within is a file name as seen from the process's own directory.
func within(file, dir string) string {
	if dir == "" || strings.HasPrefix(file, "/") {
		return file
	}
	return dir + "/" + file
}

// number is the errno in an error of package syscall, 0 for nil.
func number(err error) syscall.Errno {
	errno, ok := err.(syscall.Errno)
	if err != nil && !ok {
		return syscall.EIO
	}
	return errno
}
