package filestate

import (
	"time"

	"golang.org/x/sys/unix"
)

// Written is whether a file was written to since a moment, as far as its times tell.
type Written uint8

// What can be found out. The first says nothing, and Remote and Future say why.
const (
	TooClose Written = iota // the times are too close to the moment, or contradict each other
	Remote                  // another machine tells the times
	Future                  // the file is newer than now
	NotWritten
	WasWritten
	Missing // there is no such file
)

// Moment is when something began, by the clock that files have their times from.
type Moment struct {
	At time.Time
	// Apart is by how much that clock was set since; times that differ by less say nothing.
	Apart time.Duration
}

const (
	// tick is more than what the kernel's times of files may lag behind the clock: it takes them from its last tick, of
	// which there are at least 100 a second.
	tick = 20 * time.Millisecond
	// unfractioned is that of file systems that keep no fractions; FAT has only even seconds.
	unfractioned = 2 * time.Second
)

// times are told of a file by its file system.
type times struct {
	written, changed time.Time // its text; that or its name, mode, owner: nobody can set this one
	remote           bool
}

// since decides whether a file with these times was written since a moment.
func (t times) since(m Moment, now time.Time) Written {
	lag := tick + m.Apart.Abs()
	if t.written.Nanosecond() == 0 && t.changed.Nanosecond() == 0 {
		lag = unfractioned + m.Apart.Abs()
	}
	switch {
	case t.remote:
		return Remote
	case t.written.After(now.Add(lag)):
		return Future
	case t.changed.Before(m.At.Add(-lag)):
		return NotWritten
	case !t.written.Before(m.At.Add(m.Apart.Abs())):
		return WasWritten
	}
	return TooClose
}

// Since looks whether a file was written since a moment, and when it was last.
func Since(name string, m Moment) (Written, time.Time, error) {
	var info unix.Stat_t
	if err := unix.Stat(name, &info); err != nil {
		if err == unix.ENOENT || err == unix.ENOTDIR {
			return Missing, time.Time{}, nil
		}
		return TooClose, time.Time{}, err
	}
	t := times{time.Unix(info.Mtim.Unix()), time.Unix(info.Ctim.Unix()), isRemote(name)}
	return t.since(m, time.Now()), t.written, nil
}

// isRemote reports whether a file lies where another machine, or a program, says when it was written.
func isRemote(name string) bool {
	var system unix.Statfs_t
	if unix.Statfs(name, &system) != nil {
		return true
	}
	switch uint32(system.Type) { //nolint:unconvert // it is of another width elsewhere
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC,
		unix.CEPH_SUPER_MAGIC,
		unix.NCP_SUPER_MAGIC, unix.OCFS2_SUPER_MAGIC, lustre, gfs2:
		return true
	}
	return false
}

const (
	lustre = 0x0BD00BD0
	gfs2   = 0x01161970
)
