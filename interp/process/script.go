package process

// Script gives the program and arguments that run a command whose file the kernel
// does not know how to run: a text without a first line to say it is one for the
// POSIX shell. False if it is no text.
func Script(c *Command) (path string, args []string, is bool) {
	return "/bin/sh", shellArgs(c.Path, c.Args), isText(within(c.Path, c.Dir))
}
