package files

import (
	"fmt"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Atomic is output that replaces a file: written beside its target, and put in its place at the
// end. It has no name until then, so that nothing of it stays however the shell ends;
// but where the file system cannot do that (NFS), or there is no /proc.
type Atomic struct {
	fd     int
	dir    Directory // in which the names are meant
	name   string    // beside its target; "": it has none yet
	target string    // where it goes; links are resolved
	old    *attributes
	sync   func(fd int) error

	left bool // another run of a durable script has ended it, or will
}

// Stream implements world.Draft.
func (a *Atomic) Stream() int { return a.fd }

// Leave leaves the file to another process, which has ended it or will.
func (a *Atomic) Leave() { a.left = true }

// NewAtomic begins atomic output. It removes what shells that were killed
// have left of earlier output to the same target.
func NewAtomic(d Directory, name string) (*Atomic, error) {
	target, old, err := atomicTarget(d, name)
	if err != nil {
		return nil, unfit(err)
	}
	removeLeftovers(d, target)
	output := &Atomic{dir: d.Share(), target: target, old: old, sync: unix.Fsync}
	if err := output.open(); err != nil {
		output.dir.Leave()
		return nil, unfit(fmt.Errorf("cannot write beside %s: %w", target, err))
	}
	// The lock keeps other shells from taking the file for a leftover. Some file systems have none.
	if err = unix.Flock(output.fd, unix.LOCK_EX|unix.LOCK_NB); err == unix.ENOLCK || err == unix.EOPNOTSUPP {
		err = nil
	}
	if err == nil && old != nil {
		err = old.give(output.fd)
	}
	if err != nil {
		_ = output.End(false)
		return nil, fmt.Errorf("cannot prepare what will replace %s: %w", target, err)
	}
	return output, nil
}

// open makes the file, without a name if that is possible.
func (a *Atomic) open() (err error) {
	const flags, mode = unix.O_RDWR | unix.O_CLOEXEC, 0o666
	at, folder := a.dir.At(filepath.Dir(a.target))
	if a.fd, err = unix.Openat(at, folder, unix.O_TMPFILE|flags, mode); err == nil {
		if unix.Access(a.descriptor(), unix.F_OK) == nil {
			return nil
		}
		_ = unix.Close(a.fd)
	}
	return a.claimName(func(at int, name string) (err error) {
		a.fd, err = RetryEINTR(func() (int, error) {
			return unix.Openat(at, name, unix.O_CREAT|unix.O_EXCL|flags, mode)
		})
		return err
	})
}

// claimName finds a name beside the target that nobody has, for what create makes.
func (a *Atomic) claimName(create func(at int, name string) error) error {
	for {
		name := leftoverName(a.target)
		at, path := a.dir.At(name)
		switch err := create(at, path); err {
		case nil:
			a.name = name
			return nil
		case unix.EEXIST:
		default:
			return err
		}
	}
}

// descriptor is a path to the open file.
func (a *Atomic) descriptor() string { return "/proc/self/fd/" + strconv.Itoa(a.fd) }

// End puts the file in its target's place, or drops it.
func (a *Atomic) End(keep bool) error {
	defer a.dir.Leave()
	var err error
	switch {
	case a.left:
	case keep:
		if err = a.commit(); err == nil {
			break
		}
		err = fmt.Errorf("cannot replace %s: %w", a.target, err)
		fallthrough
	case a.name != "":
		at, name := a.dir.At(a.name)
		_ = unix.Unlinkat(at, name, 0)
	}
	if failed := unix.Close(a.fd); err == nil {
		err = failed
	}
	return err
}

// commit makes sure that the file is on disk before it takes the place of the old one,
// and then that it has done so.
func (a *Atomic) commit() error {
	if err := a.named(); err != nil {
		return err
	}
	at, name := a.dir.At(a.name)
	_, target := a.dir.At(a.target)
	if err := unix.Renameat(at, name, at, target); err != nil {
		return err
	}
	return a.syncFolder()
}

// named makes sure that the file is on disk and has a name.
func (a *Atomic) named() error {
	if err := checkRoom(a.fd); err != nil {
		return err
	}
	if a.old != nil && (a.tighten() || a.old.lostByWriting()) {
		if err := a.old.give(a.fd); err != nil {
			return err
		}
	}
	if err := a.sync(a.fd); err != nil {
		return err
	}
	if a.name == "" {
		link := func(at int, name string) error {
			return unix.Linkat(unix.AT_FDCWD, a.descriptor(), at, name, unix.AT_SYMLINK_FOLLOW)
		}
		if err := a.claimName(link); err != nil {
			return err
		}
		// Some file systems write what had no name only now: after a power loss the target would be empty.
		if err := a.sync(a.fd); err != nil {
			return err
		}
	}
	return nil
}

// tighten makes the mode the stricter of what the old file had and has: it may have been closed meanwhile.
func (a *Atomic) tighten() (changed bool) {
	var info unix.Stat_t
	at, target := a.dir.At(a.target)
	return unix.Fstatat(at, target, &info, unix.AT_SYMLINK_NOFOLLOW) == nil && a.old.tighten(info.Mode)
}

// syncFolder makes sure that the names beside the target are on disk.
func (a *Atomic) syncFolder() error {
	at, folder := a.dir.At(filepath.Dir(a.target))
	dir, err := unix.Openat(at, folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // it may be written but not read
	}
	_ = a.sync(dir)
	return unix.Close(dir)
}
