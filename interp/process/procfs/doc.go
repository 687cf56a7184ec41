// Package procfs reads /proc: what a process is, whose child it is, and the
// marker in its environment.
//
// It uses plain system calls, on the caller's thread: a file of package os would
// set up the runtime's poller first, which takes 60 µs, and if no descriptor is
// left for it ends the program.
package procfs
