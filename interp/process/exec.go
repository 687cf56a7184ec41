package process

import (
	"ftsh/interp/world"
	"syscall"
)

// Exec makes the calling process the program of the command, which has to have its
// directory and descriptors by now. env replaces Env. Exec returns only if that fails, with
// the *world.StartError that [Host.Run] would return.
func Exec(c *world.Command, env []string) error {
	err := syscall.Exec(c.Path, c.Args, env)
	if err == syscall.ENOEXEC && isText(c.Path, c.Dir) {
		err = syscall.Exec("/bin/sh", shellArgs(c.Path, c.Args), env)
	}
	return startError(c, err)
}
