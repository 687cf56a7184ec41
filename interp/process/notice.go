package process

import "syscall"

// Happening is what a Notice tells.
type Happening uint8

// What happens to processes.
const (
	Started    Happening = iota // a command's program runs
	Ended                       // and has ended, with Status
	Signalled                   // Signal was sent to it
	OutOfReach                  // it belongs to another user, and is not waited for
	Survivor                    // it outlived SIGKILL: waited for, except in weak mode
)

// Notice tells what happened to a process.
type Notice struct {
	Happening Happening
	PID       int
	Command   string // the path of the command that it belongs to
	Signal    syscall.Signal
	Status    Status
}
