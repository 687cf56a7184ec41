package procfs

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Life is whether a process lives, as far as that could be looked at.
type Life uint8

// What can be found out. Unseen is neither of the others: nothing may be concluded from it.
const (
	Unseen Life = iota
	Dead
	Alive
)

// Name names a process for whoever looks later, perhaps from elsewhere: what [Identity] says of it, and in which space
// of process numbers that holds.
type Name struct {
	Process string `json:"process"` // "": it could not be read
	Space   string `json:"space"`   // "": it could not be read
}

// OwnName is that of this process; empty parts could not be read.
func OwnName() Name {
	pid := unix.Getpid()
	if !showsUs(pid) {
		return Name{Space: strconv.Itoa(pid)}
	}
	return Name{Identity(pid), pidSpace()}
}

// showsUs reports whether /proc is that of the numbers by which we know processes; after `unshare --pid` it may be
// that of others.
func showsUs(pid int) bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(pid)
}

// pidSpace names the space of process numbers that we are in; "": that cannot be read.
func pidSpace() string {
	numbers, _ := os.Readlink("/proc/self/ns/pid")
	if clock, _ := os.Readlink("/proc/self/ns/time"); numbers != "" {
		return numbers + " " + clock // start times are told by the clock of the reader
	}
	return ""
}

// PID is the number of the process, 0 if it could not be read when the name was made.
func (n Name) PID() int {
	pid := 0
	if parts := strings.Split(n.Process, "/"); len(parts) == 3 {
		pid, _ = strconv.Atoi(parts[1])
	}
	return pid
}

// Life looks whether the process lives.
func (n Name) Life() Life {
	v := view{}
	if boot, err := ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		v.boot = string(bytes.TrimSpace(boot))
	}
	if showsUs(unix.Getpid()) {
		v.space, v.look = pidSpace(), lookAt
	}
	return n.lifeIn(v)
}

// lookAt reads a Stat. A process that is there and hidden (hidepid) is not taken for one that is gone.
func lookAt(pid int) (Stat, error) {
	s, err := readStat(pid)
	if err == unix.ENOENT && unix.Kill(pid, 0) != unix.ESRCH {
		err = unix.EACCES
	}
	return s, err
}

// view holds what can be seen from here.
type view struct {
	boot  string                      // "": it cannot be read
	space string                      // likewise
	look  func(pid int) (Stat, error) // nil: /proc is missing, or of other process numbers
}

// lifeIn decides by what can be seen. Of what ran in an earlier boot nothing lives, wherever one looks from.
func (n Name) lifeIn(v view) Life {
	boot, rest, _ := strings.Cut(n.Process, "/")
	_, start, _ := strings.Cut(rest, "/")
	switch {
	case boot == "" || v.boot == "":
		return Unseen
	case boot != v.boot:
		return Dead
	case v.look == nil || v.space == "" || n.Space != v.space:
		return Unseen
	}
	switch s, err := v.look(n.PID()); {
	case err == unix.ENOENT || err == unix.ESRCH:
		return Dead
	case err != nil:
		return Unseen
	case strconv.FormatUint(uint64(s.Start), 10) != start || s.Ended():
		return Dead
	}
	return Alive
}
