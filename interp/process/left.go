package process

import (
	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
)

// Left is what tells the commands of a shell from all other processes when it is dead, and its guardian with it.
type Left struct {
	Marker  string   // what the markers of all its commands begin with
	Born    uint64   // no command is older, in the kernel's ticks since boot
	Numbers []uint64 // of those that were under way; Config.Under has told of them
}

// Left is what this Host's commands will be known by, but for the numbers.
func (h *Host) Left() Left { return Left{Marker: h.prefix, Born: uint64(h.born)} }

// EndLeft ends commands that were under way when a shell died, and returns when they are gone. It must be the
// same boot of the machine.
func EndLeft(cfg Config, l Left) error {
	if len(l.Numbers) == 0 || l.Marker == "" || l.Born == 0 {
		return nil
	}
	commands := make([]guardian.Command, 0, len(l.Numbers))
	for _, number := range l.Numbers {
		commands = append(commands, guardian.Command{Number: number})
	}
	return endLeft(cfg, l.Marker, procfs.Ticks(l.Born), "", commands)
}
