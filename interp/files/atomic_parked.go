package files

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// Parked is atomic output that has a name beside its target, and is on disk, so that another process can end it.
type Parked struct {
	Name   string
	Target string
	Inode  uint64
}

// Park gives the file a name, by which another process can put it in its target's place.
func (a *Atomic) Park() (Parked, error) {
	if err := a.named(); err != nil {
		return Parked{}, err
	}
	var info unix.Stat_t
	if err := unix.Fstat(a.fd, &info); err != nil {
		return Parked{}, err
	}
	return Parked{a.dir.From(a.name), a.dir.From(a.target), info.Ino}, a.syncFolder()
}

// IsNamed reports whether the file has a name beside its target.
func (a *Atomic) IsNamed() bool { return a.name != "" }

// Take goes on with atomic output that another process has parked.
func Take(p Parked) (*Atomic, error) {
	_, old, err := atomicTarget(Directory{}, p.Target)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(p.Name, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err == unix.ENOENT {
		var info unix.Stat_t
		if unix.Stat(p.Target, &info) != nil || info.Ino != p.Inode {
			return nil, fmt.Errorf("what was to replace %s is gone; "+
				"another run to the same file may have removed it", p.Target)
		}
		fd, err = unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0) // it is in its place
		return &Atomic{fd: fd, target: p.Target, left: true}, err
	}
	if err != nil {
		return nil, err
	}
	var info unix.Stat_t
	if old != nil && unix.Fstat(fd, &info) == nil {
		old.tighten(info.Mode | specialBits) // as it was when the output began; writing drops these
	}
	_ = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
	if _, err := unix.Seek(fd, 0, io.SeekEnd); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &Atomic{fd: fd, name: p.Name, target: p.Target, old: old, sync: unix.Fsync}, nil
}
