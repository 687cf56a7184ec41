package process

import (
	"bytes"
	"slices"
	"strconv"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/guardian"
	"ftsh/interp/process/procfs"
)

// Left tells the commands of a shell from all other processes when it is dead, and its guardian with it.
type Left struct {
	Marker  string   // what the markers of all its commands begin with, and of no others on the machine
	Born    uint64   // no command is older, in the kernel's ticks since boot
	Numbers []uint64 // of those that were under way; Config.Under has told of them
}

// Left returns the marks by which this Host's commands will be known, but for the numbers.
func (h *Host) Left() Left { return Left{Marker: h.prefix, Born: uint64(h.born)} }

// Remains tells what is left of commands, as far as that could be looked at.
type Remains uint8

// What can be found out. Processes that do not show the marker of their command cannot be seen.
const (
	Unseen   Remains = iota // nobody has looked, or could
	NoneSeen                // no process shows a marker of the commands
	SomeLeft
)

// End ends the commands that were under way when the shell died, and returns when they are gone, or have survived. It
// must be the same boot of the machine. The only error is that of [Open].
func (l Left) End(cfg Config) (Remains, error) {
	if l.Marker == "" || l.Born == 0 {
		return Unseen, nil
	}
	if len(l.Numbers) > 0 && l.hasSurvivor() {
		if err := l.endRemains(cfg); err != nil {
			return Unseen, err
		}
	}
	return l.findRemains(), nil
}

// findRemains looks what is left of them.
func (l Left) findRemains() Remains {
	switch _, err := procfs.All(nil); {
	case err != nil || len(l.Numbers) == 0 || procfs.OwnName().Process == "":
		return Unseen
	case l.findMarkers():
		return SomeLeft
	}
	return NoneSeen
}

func (l Left) endRemains(cfg Config) error {
	commands := make([]guardian.Command, 0, len(l.Numbers))
	for _, number := range l.Numbers {
		commands = append(commands, guardian.Command{Number: number})
	}
	of := &leftovers{cfg: cfg, prefix: l.Marker, born: procfs.Ticks(l.Born)}
	return of.endCommands(commands)
}

// hasSurvivor reports whether a process of the commands is there. Usually the guardian has ended them, and on a busy
// machine a whole sweep takes seconds. What was just being started is found at the second look.
func (l Left) hasSurvivor() bool {
	if procfs.Missing() || l.findMarkers() {
		return true
	}
	clock.Nap(searchInterval)
	return l.findMarkers()
}

// findMarkers looks once at the markers of all processes.
func (l Left) findMarkers() bool {
	var buf []byte
	found, err := procfs.Any(func(_ int, p procfs.Process) bool {
		var marker []byte
		marker, buf, _ = p.Marker(markerName, buf)
		rest, ours := bytes.CutPrefix(marker, []byte(l.Marker))
		own, _, _ := bytes.Cut(rest, []byte("/"))
		number, err := strconv.ParseUint(string(own), 36, 64)
		return ours && err == nil && slices.Contains(l.Numbers, number)
	})
	return found || err != nil
}
