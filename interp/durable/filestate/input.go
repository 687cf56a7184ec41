package filestate

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
)

// Kind tells what kind of file a descriptor leads to.
type Kind string

// The kinds that are state of a script. Others, such as /dev/null, have none.
const (
	File     Kind = "file"
	Pipe     Kind = "pipe"
	Terminal Kind = "terminal"
	Other    Kind = ""
)

// Saved is the journal's record of a descriptor that a script reads from.
type Saved struct {
	Kind   Kind         `json:"kind"`
	Name   journal.Text `json:"name,omitempty"` // of a file, from the root
	Device uint64       `json:"device,omitempty"`
	Inode  uint64       `json:"inode,omitempty"`
	Made   int64        `json:"made,omitempty"`   // when it was made: another may get the inode of one that was removed
	Offset int64        `json:"offset,omitempty"` // after the last command that has ended, or `read`
	Read   bool         `json:"read,omitempty"`   // something was read from it
}

// found describes the file behind a descriptor, or a name, now.
type found struct {
	kind          Kind
	device, inode uint64
	made          int64 // 0: the file system does not tell
	size          int64
	offset        int64
}

// is reports whether it is the file that there was, and as long as what was read of it.
func (f found) is(s Saved) bool { return f.isThat(s) && f.size >= s.Offset }

func (f found) isThat(s Saved) bool {
	known := f.made != 0 && s.Made != 0
	return f.kind == File && f.device == s.Device && f.inode == s.Inode && (f.made == s.Made || !known)
}

// source says from what a script that goes on reads.
type source uint8

const (
	asGiven  source = iota // by what the shell is given, as it is
	setGiven               // likewise, at the offset
	byName                 // by the file of that name, at the offset
	lost                   // nowhere: what was left to be read is not there
)

// choose decides where a script that goes on reads, by what it had, what it is given now, and what has the name
// of then.
func choose(s Saved, given, named found) source {
	switch {
	case s.Kind == File && given.is(s):
		return setGiven
	case s.Kind == File && named.is(s):
		return byName
	case s.Read:
		return lost
	}
	return asGiven
}

// Input is a descriptor that a script reads from: one that the shell was given, or that a block has opened.
type Input struct {
	Saved
	FD   int    // of this process
	Lost string // why nothing can be read from it; "": it can

	Block bool // a block has opened it

	opened  bool // FD is to be closed
	waiting int  // bytes in a pipe
}

// Describe gives what is to be kept of a descriptor; false: nothing is.
func Describe(fd int) (in *Input, kept bool) {
	now := lookAt(fd)
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if now.kind == Other || err != nil || flags&unix.O_ACCMODE == unix.O_WRONLY {
		return nil, false
	}
	in = &Input{FD: fd, Saved: Saved{Kind: now.kind}}
	if now.kind == File {
		in.Name, in.Device, in.Inode, in.Made, in.Offset = nameOf(fd), now.device, now.inode, now.made, now.offset
	}
	in.waiting = in.unread()
	return in, true
}

// Resume gives the descriptor with which a script, or a block of it, goes on that had one of that number; given is what
// the shell has now for it, -1: nothing. After a reboot devices may have other numbers. nil: there is none.
func Resume(number int, s Saved, given int, rebooted, block bool) *Input {
	var named found
	if s.Name != "" {
		var info unix.Stat_t
		if unix.Stat(string(s.Name), &info) == nil {
			named = foundIn(&info)
			named.made = Made(unix.AT_FDCWD, string(s.Name))
		}
	}
	if rebooted && named.inode == s.Inode {
		s.Device = named.device
	}
	now := lookAt(given)
	in := &Input{FD: given, Saved: s, Block: block}
	switch choose(s, now, named) {
	case asGiven:
		in, _ = Describe(given)
		return in
	case byName:
		return in.openByName(number)
	case lost:
		return in.lose(number, in.missing(now, named))
	}
	return in.goTo(number)
}

// openByName opens the file again, unless that is not possible or it is another one meanwhile.
func (in *Input) openByName(number int) *Input {
	fd, err := unix.Open(string(in.Name), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return in.lose(number, "and cannot be opened: "+err.Error())
	}
	if now := lookAt(fd); !now.is(in.Saved) {
		_ = unix.Close(fd)
		return in.lose(number, in.missing(found{}, now))
	}
	in.FD, in.opened = fd, true
	return in.goTo(number)
}

func (in *Input) goTo(number int) *Input {
	if _, err := unix.Seek(in.FD, in.Offset, 0); err != nil {
		return in.lose(number, "and cannot be set to where it was: "+err.Error())
	}
	return in
}

// lose makes it one from which nothing can be read. Where nothing is given there is a descriptor nevertheless, by which
// the failure is known. A program that reads from it fails, too: an empty file would pass for the end of the input.
func (in *Input) lose(number int, why string) *Input {
	if in.FD < 0 {
		if in.FD, _ = unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0); in.FD >= 0 {
			in.opened = true
		}
	}
	in.Lost = called(number) + " " + in.was() + " when the " + in.began() + " began, " + why
	return in
}

// began tells what began to read the input.
func (in *Input) began() string {
	if in.Block {
		return "block"
	}
	return "script"
}

// called names a descriptor in messages.
func called(number int) string {
	if number == 0 {
		return "standard input"
	}
	return "descriptor " + strconv.Itoa(number)
}

func (s Saved) was() string {
	if s.Kind == File {
		return fmt.Sprintf("was the file %s", s.Name)
	}
	return "was a " + string(s.Kind)
}

// missing says why what was left to be read is not there, and what to do.
func (in *Input) missing(given, named found) string {
	s := in.Saved
	if s.Kind != File {
		return "and what it had still to give is gone: begin anew (--restart) with all that is to be read in a file"
	}
	state := "which is gone"
	switch {
	case given.isThat(s), named.isThat(s):
		state = fmt.Sprintf("which is shorter now than the %d bytes that were read of it", s.Offset)
	case s.Name == "":
		return fmt.Sprintf("whose name has a secret in it, and so is not in the journal; it was read up to byte %d: give "+
			"the file itself", s.Offset)
	case named.kind != Other:
		state = "and another file has that name now"
	}
	if in.Block {
		return fmt.Sprintf("%s; it was read up to byte %d: put that file back", state, s.Offset)
	}
	return fmt.Sprintf("%s; it was read up to byte %d: give the file itself, as in  < %s", state, s.Offset, s.Name)
}

// Sample notes what was read meanwhile, and reports whether that is more than was known. Of a pipe it is seen if
// less is in it than before: only who reads takes something out.
func (in *Input) Sample() (changed bool) {
	before := in.Saved
	switch {
	case in.Lost != "":
	case in.Kind == File:
		if at, err := unix.Seek(in.FD, 0, 1); err == nil && at != in.Offset {
			in.Offset, in.Read = at, true
		}
	case in.Kind == Pipe:
		now := in.unread()
		in.Read, in.waiting = in.Read || now < in.waiting, now
	}
	return in.Saved != before
}

// unread returns the number of bytes in a pipe, 0 of anything else.
func (in *Input) unread() int {
	if in.Kind != Pipe {
		return 0
	}
	n, _ := unix.IoctlGetInt(in.FD, unix.TIOCINQ)
	return n
}

// Close closes what Resume has opened.
func (in *Input) Close() {
	if in.opened {
		_ = unix.Close(in.FD)
	}
}

// lookAt describes the file behind a descriptor.
func lookAt(fd int) (f found) {
	var info unix.Stat_t
	if fd < 0 || unix.Fstat(fd, &info) != nil {
		return f
	}
	if f = foundIn(&info); f.kind == File {
		f.offset, _ = unix.Seek(fd, 0, 1)
		f.made = Made(fd, "")
	}
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); f.kind == Other && err == nil {
		f.kind = Terminal
	}
	return f
}

func foundIn(info *unix.Stat_t) found {
	device := uint64(info.Dev) //nolint:unconvert // it is of another width elsewhere
	f := found{device: device, inode: info.Ino, size: info.Size}
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind = File
	case unix.S_IFIFO, unix.S_IFSOCK:
		f.kind = Pipe
	}
	return f
}

// Made is when the file at a path was made, or an open one where that is empty; 0: the kernel or the file system does
// not tell, or it is an overlay, which copies a file when it is first written to.
func Made(at int, path string) int64 {
	var info unix.Statx_t
	var system unix.Statfs_t
	look := func() error { return unix.Statfs(path, &system) }
	if path == "" {
		look = func() error { return unix.Fstatfs(at, &system) }
	}
	known := unix.Statx(at, path, unix.AT_EMPTY_PATH, unix.STATX_BTIME, &info) == nil && info.Mask&unix.STATX_BTIME != 0
	//nolint:unconvert // it is of another width elsewhere
	if !known || look() != nil || uint32(system.Type) == unix.OVERLAYFS_SUPER_MAGIC {
		return 0
	}
	return info.Btime.Sec*1e9 + int64(info.Btime.Nsec)
}

// nameOf is the name of a file that is open; "": it has none any more, or it cannot be looked at.
func nameOf(fd int) journal.Text {
	var buf [4096]byte
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	name := string(buf[:max(n, 0)])
	if err != nil || n == len(buf) || !strings.HasPrefix(name, "/") {
		return ""
	}
	return journal.Text(name)
}
