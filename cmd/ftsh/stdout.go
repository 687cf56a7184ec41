package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// stdoutClosed reports whether the shell was started with standard output closed. Go's runtime has opened /dev/null
// there before any of our code runs, for reading and writing: that tells it from `> /dev/null`, and from what daemons
// have, which open it once for several descriptors.
func stdoutClosed() bool {
	const asked = unix.O_ACCMODE | unix.O_APPEND | unix.O_NONBLOCK
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&asked != unix.O_RDWR {
		return false // it is not as the runtime opens it
	}
	var info, null unix.Stat_t
	opensNull := unix.Fstat(1, &info) == nil && unix.Stat("/dev/null", &null) == nil &&
		info.Mode&unix.S_IFMT == unix.S_IFCHR && info.Rdev == null.Rdev
	return opensNull && !sameDescription(1, 0) && !sameDescription(1, 2) && !parentOpensNull()
}

// parentOpensNull reports whether the shell was started by a program that may itself have opened /dev/null for reading
// and writing as standard output alone: DEVNULL of Python's subprocess, 'ignore' of Node. The kernel does not tell
// who has.
func parentOpensNull() bool {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	name := filepath.Base(path)
	return err == nil && (strings.HasPrefix(name, "python") || strings.HasPrefix(name, "node"))
}

// sameDescription reports whether a descriptor, which is of /dev/null, is a copy of another: they have their flags
// in common. O_APPEND means nothing there.
func sameDescription(fd, other int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return false
	}
	before, err := unix.FcntlInt(uintptr(other), unix.F_GETFL, 0)
	if err != nil {
		return false
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_APPEND)
	after, err := unix.FcntlInt(uintptr(other), unix.F_GETFL, 0)
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags)
	return err == nil && before != after
}
