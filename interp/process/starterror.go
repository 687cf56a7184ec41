package process

import (
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/world"
)

// startError tells why a program was not started.
func startError(c *world.Command, err error) error {
	e := &world.StartError{Path: c.Path, Err: errnoOf(err)}
	switch e.Err {
	case unix.EBADF: // the child may have no descriptor of the number that a file is to have
		e.Err = unix.EMFILE
	case unix.ENOENT, unix.EACCES, unix.ENOTDIR, unix.ELOOP, unix.ENAMETOOLONG:
		if c.Dir != (files.Directory{}) && enterable(c.Dir) != nil {
			e.Dir = c.Dir.Name
			return e
		}
		e.Missing = true
		if e.Err == unix.ENOENT {
			e.Interpreter = interpreter(c.Path, c.Dir)
		}
	case unix.EISDIR, unix.ENOEXEC, unix.EPERM, unix.ELIBBAD, unix.EINVAL:
		e.Missing = true
	}
	return e
}

// interpreter returns the program that the first line of another names, or a word for its dynamic
// loader; "" if there is no such program.
func interpreter(file string, dir files.Directory) string {
	line, ok := firstLine(file, dir)
	if !ok {
		return ""
	}
	if rest, script := strings.CutPrefix(line, "#!"); script {
		if words := strings.Fields(rest); len(words) > 0 {
			return words[0]
		}
	}
	return "(dynamic loader)"
}

// isText reports whether a file may be a script: its first line has no NUL byte.
func isText(file string, dir files.Directory) bool {
	line, ok := firstLine(file, dir)
	return ok && !strings.Contains(line, "\x00")
}

// firstLine reads what the kernel looks at: the first line, at most 256 bytes.
func firstLine(file string, dir files.Directory) (string, bool) {
	at, file := dir.At(file)
	fd, err := unix.Openat(at, file, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(fd)
	var head [256]byte
	n, err := unix.Read(fd, head[:])
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return line, true
}
