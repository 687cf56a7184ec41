package interp

import (
	"fmt"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// atomicFile is `=> file`: written beside its target, and put in its place at the
// end. It has no name until then, so that nothing of it stays however the shell ends;
// but where the file system cannot do that (NFS), or there is no /proc.
type atomicFile struct {
	fd     int
	dir    directory // in which the names are meant
	name   string    // beside its target; "": it has none yet
	target string    // where it goes; links are resolved
	old    *attributes
	sync   func(fd int) error

	left bool // another run of a durable script has ended it, or will
}

// newAtomicFile begins atomic output. It removes what shells that were killed
// have left of earlier output to the same target.
func newAtomicFile(d directory, name string) (*atomicFile, error) {
	target, old, err := atomicTarget(d, name)
	if err != nil {
		return nil, unfit(err)
	}
	removeLeftovers(d, target)
	output := &atomicFile{dir: d.share(), target: target, old: old, sync: unix.Fsync}
	if err := output.open(); err != nil {
		output.dir.leave()
		return nil, unfit(fmt.Errorf("cannot write beside %s: %w", d.show(target), err))
	}
	// The lock keeps other shells from taking the file for a leftover. Some file systems have none.
	if err = unix.Flock(output.fd, unix.LOCK_EX|unix.LOCK_NB); err == unix.ENOLCK || err == unix.EOPNOTSUPP {
		err = nil
	}
	if err == nil && old != nil {
		err = old.give(output.fd)
	}
	if err != nil {
		_ = output.end(false)
		return nil, fmt.Errorf("cannot prepare what will replace %s: %w", d.show(target), err)
	}
	return output, nil
}

// open makes the file, without a name if that is possible.
func (a *atomicFile) open() (err error) {
	const flags, mode = unix.O_RDWR | unix.O_CLOEXEC, 0o666
	at, folder := a.dir.At(filepath.Dir(a.target))
	if a.fd, err = unix.Openat(at, folder, unix.O_TMPFILE|flags, mode); err == nil {
		if unix.Access(a.descriptor(), unix.F_OK) == nil {
			return nil
		}
		_ = unix.Close(a.fd)
	}
	return a.claimName(func(at int, name string) (err error) {
		a.fd, err = retryEINTR(func() (int, error) {
			return unix.Openat(at, name, unix.O_CREAT|unix.O_EXCL|flags, mode)
		})
		return err
	})
}

// claimName finds a name beside the target that nobody has, for what create makes.
func (a *atomicFile) claimName(create func(at int, name string) error) error {
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
func (a *atomicFile) descriptor() string { return "/proc/self/fd/" + strconv.Itoa(a.fd) }

// end puts the file in its target's place, or drops it.
func (a *atomicFile) end(keep bool) error {
	defer a.dir.leave()
	var err error
	switch {
	case a.left:
	case keep:
		if err = a.commit(); err == nil {
			break
		}
		err = fmt.Errorf("cannot replace %s: %w", a.dir.show(a.target), err)
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
func (a *atomicFile) commit() error {
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
func (a *atomicFile) named() error {
	if a.old.lostByWriting() {
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

// syncFolder makes sure that the names beside the target are on disk.
func (a *atomicFile) syncFolder() error {
	at, folder := a.dir.At(filepath.Dir(a.target))
	dir, err := unix.Openat(at, folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // it may be written but not read
	}
	_ = a.sync(dir)
	return unix.Close(dir)
}
