package process

import (
	"strings"

	"golang.org/x/sys/unix"
)

// StartError tells that a program could not be started.
type StartError struct {
	Path        string     // of the Command; or the name that Find was asked for
	Err         unix.Errno // of the system call that failed
	Missing     bool       // kind `missing`: it is not there, or nothing that can be executed
	Interpreter string     // named in its first line, and itself missing
	Dir         string     // the working directory, if that was what could not be entered
}

// System reports whether the machine could not start it, for want of processes,
// memory or descriptors, or since the program is just being written: kind
// `system`, often gone a minute later.
func (e *StartError) System() bool {
	switch e.Err {
	case unix.EAGAIN, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.ETXTBSY:
		return true
	}
	return false
}

// Error says what could not be started, and why.
func (e *StartError) Error() string {
	switch {
	case e.Dir != "":
		return "cannot start " + e.Path + " in " + e.Dir + ": " + e.Err.Error()
	case e.Interpreter != "":
		return e.Path + ": its interpreter " + e.Interpreter + " is missing"
	case e.Err == unix.ENOENT && !strings.Contains(e.Path, "/"):
		return e.Path + ": no such program"
	case e.Err == unix.EACCES:
		return e.Path + ": not executable"
	case e.Err == unix.E2BIG:
		return e.Path + ": the arguments and the environment are too long"
	case e.Err == unix.ENOEXEC:
		return e.Path + ": not a program for this machine"
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap gives the errno.
func (e *StartError) Unwrap() error { return e.Err }

// startError tells why a program was not started.
func startError(c *Command, err error) error {
	e := &StartError{Path: c.Path, Err: errnoOf(err)}
	switch e.Err {
	case unix.EBADF: // the child may have no descriptor of the number that a file is to have
		e.Err = unix.EMFILE
	case unix.ENOENT, unix.EACCES, unix.ENOTDIR, unix.ELOOP, unix.ENAMETOOLONG:
		if c.Dir != (Directory{}) && c.Dir.enterable() != nil {
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
func interpreter(file string, dir Directory) string {
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
func isText(file string, dir Directory) bool {
	line, ok := firstLine(file, dir)
	return ok && !strings.Contains(line, "\x00")
}

// firstLine reads what the kernel looks at: the first line, at most 256 bytes.
func firstLine(file string, dir Directory) (string, bool) {
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
