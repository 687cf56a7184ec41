package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/process"
	"ftsh/interp/world"
)

// replaceProcess makes this process another program. It returns only if that fails,
// and leaves directory and descriptors as they were.
func replaceProcess(host *process.Host, c *world.Command) error {
	host.Detach()
	undo, err := arrangeProcess(c)
	defer undo()
	if err == syscall.EINVAL || err == syscall.EBADF { // there is no descriptor of that number
		err = syscall.EMFILE
	}
	if err != nil {
		return &world.StartError{Path: c.Path, Err: err.(syscall.Errno)}
	}
	env := append(c.Told, c.Env...)
	if marker, ok := os.LookupEnv("FTSH_COMMAND"); ok {
		env = append(env, "FTSH_COMMAND="+marker)
	}
	return process.Exec(c, env)
}

// arrangeProcess gives this process the directory and the descriptors of a command,
// until undo.
func arrangeProcess(c *world.Command) (undo func(), err error) {
	var steps []func()
	undo = func() {
		for i := len(steps) - 1; i >= 0; i-- {
			steps[i]()
		}
	}
	if c.Dir != (files.Directory{}) {
		back, err := unix.Open(".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			steps = append(steps, func() { unix.Fchdir(back); unix.Close(back) })
		}
		if err := goTo(c.Dir); err != nil {
			return undo, err
		}
	}
	parked := make([]int, len(c.Files))
	for n, fd := range c.Files {
		if parked[n] = fd; fd >= 0 {
			if parked[n], err = parkDescriptor(fd); err != nil {
				return undo, err
			}
			steps = append(steps, func() { unix.Close(parked[n]) })
		}
	}
	for n, fd := range parked {
		if flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0); fd < 0 && (err != nil || flags&unix.FD_CLOEXEC != 0) {
			continue // it is closed then
		}
		if before, err := parkDescriptor(n); err == nil {
			steps = append(steps, func() { unix.Dup3(before, n, 0); unix.Close(before) })
		} else {
			steps = append(steps, func() { unix.Close(n) })
		}
		if fd < 0 {
			_ = unix.Close(n)
		} else if err := unix.Dup3(fd, n, 0); err != nil {
			return undo, err
		}
	}
	return undo, nil
}

// goTo has this process go to a directory.
func goTo(d files.Directory) error {
	if d.FD != 0 {
		return unix.Fchdir(d.FD)
	}
	return unix.Chdir(d.Name)
}

// parkDescriptor duplicates a descriptor to one out of the way.
func parkDescriptor(fd int) (int, error) {
	const least = 10 // commands have descriptors 0 to 9
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
}
