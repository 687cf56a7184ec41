package interp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// atomicFile is `=> file`: written beside its target, and put in its place at the
// end. It has no name until then, so that nothing of it stays however the shell ends;
// but where the file system cannot do that (NFS), or there is no /proc.
type atomicFile struct {
	fd     int
	name   string // beside its target; "": it has none yet
	target string // where it goes; links are resolved
	old    *attributes
	prefix string // of names beside the target
	sync   func(fd int) error

	left bool // another run of a durable script has ended it, or will
}

// longest is how much of the target's name stands in the name beside it, which
// must not be longer than file names may be.
const longest = 200

// newAtomicFile begins atomic output. It removes what shells that were killed
// have left of earlier output to the same target.
func newAtomicFile(name string) (*atomicFile, error) {
	target, old, err := atomicTarget(name)
	if err != nil {
		return nil, err
	}
	dir, base := filepath.Split(target)
	prefix := "." + base[:min(len(base), longest)] + ".ftsh-"
	removeLeftovers(dir, prefix)
	output := &atomicFile{target: target, old: old, prefix: dir + prefix, sync: unix.Fsync}
	if err := output.open(dir); err != nil {
		return nil, fmt.Errorf("cannot write beside %s: %w", target, err)
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
		return nil, fmt.Errorf("cannot prepare what will replace %s: %w", target, err)
	}
	return output, nil
}

// open makes the file, without a name if that is possible.
func (a *atomicFile) open(dir string) (err error) {
	const flags, mode = unix.O_RDWR | unix.O_CLOEXEC, 0o666
	if dir == "" {
		dir = "."
	}
	if a.fd, err = unix.Open(dir, unix.O_TMPFILE|flags, mode); err == nil {
		if unix.Access(a.descriptor(), unix.F_OK) == nil {
			return nil
		}
		_ = unix.Close(a.fd)
	}
	return a.claimName(func(name string) (err error) {
		a.fd, err = retryEINTR(func() (int, error) { return unix.Open(name, unix.O_CREAT|unix.O_EXCL|flags, mode) })
		return err
	})
}

// claimName finds a name beside the target that nobody has, for what create makes.
func (a *atomicFile) claimName(create func(name string) error) error {
	for {
		name := a.prefix + strconv.FormatUint(rand.Uint64(), 36)
		switch err := create(name); err {
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

// removeLeftovers removes files that nobody writes any more.
func removeLeftovers(dir, prefix string) {
	where := dir
	if where == "" {
		where = "."
	}
	// (os.Open would set up the runtime's poller, which ends the shell where no descriptor is left for it.)
	fd, err := unix.Open(where, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	handle := os.NewFile(uintptr(fd), where)
	defer handle.Close()
	names, _ := handle.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			removeLeftover(dir + name)
		}
	}
}

func removeLeftover(name string) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	regular := unix.Fstat(fd, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG
	if regular && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = unix.Unlink(name)
	}
}

// end puts the file in its target's place, or drops it.
func (a *atomicFile) end(keep bool) error {
	if a.left {
		return unix.Close(a.fd)
	}
	if keep {
		if err := a.commit(); err != nil {
			_ = a.end(false)
			return fmt.Errorf("cannot replace %s: %w", a.target, err)
		}
		return unix.Close(a.fd)
	}
	if a.name != "" {
		_ = unix.Unlink(a.name)
	}
	return unix.Close(a.fd)
}

// commit makes sure that the file is on disk before it takes the place of the old one,
// and then that it has done so.
func (a *atomicFile) commit() error {
	if err := a.named(); err != nil {
		return err
	}
	if err := unix.Rename(a.name, a.target); err != nil {
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
		link := func(name string) error {
			return unix.Linkat(unix.AT_FDCWD, a.descriptor(), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
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
	dir, err := unix.Open(filepath.Dir(a.target), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // it may be written but not read
	}
	_ = a.sync(dir)
	return unix.Close(dir)
}
