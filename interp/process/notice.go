package process

import (
	"ftsh/interp/world"

	"golang.org/x/sys/unix"
)

// Happening names the event that a Notice tells of.
type Happening uint8

// What happens to processes.
const (
	Started    Happening = iota // a command's program runs
	Ended                       // and has ended, with Status
	Signalled                   // Signal was sent to it
	OutOfReach                  // it may not be signalled, as it changed user: not waited for
	Survivor                    // it outlived SIGKILL by a second: waited for, but in weak mode given up
	// an orphan that hides whose it is, at a time when it could be another's: left alone; told once
	Unowned
	// there is no /proc, so that only a command's own process and its group are ended; told once (PID is 0)
	Blind
	Unguarded // no guardian could be started, or it has too much to guard (PID is 0)
)

// Notice tells what happened to a process.
type Notice struct {
	Happening Happening
	PID       int          // of the process; 0: none is meant
	Command   string       // the path of the command that it belongs to
	Signal    unix.Signal  // of Signalled
	Status    world.Status // of Ended
}
