package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// attributes pass from a replaced file to the new one.
type attributes struct {
	mode, uid, gid uint32
	extended       map[string][]byte // by name: access lists, too
}

// The bits of a mode that are no type; and those that mean more than who may do what.
const (
	allBits     = 0o7777
	specialBits = 0o7000
)

// Extended attributes that the kernel treats in its own way.
const (
	accessList   = "system.posix_acl_access" // a new file may have one from its folder
	capabilities = "security.capability"     // dropped when the file is written to
)

// attributesOf returns those of a file.
func attributesOf(at int, path string, info *unix.Stat_t) (*attributes, error) {
	a := &attributes{mode: info.Mode & allBits, uid: info.Uid, gid: info.Gid}
	fd, err := unix.Openat(at, path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	a.extended, err = extendedOf(fd)
	return a, err
}

// extendedOf returns the extended attributes of an open file. A file system may have none.
func extendedOf(fd int) (map[string][]byte, error) {
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	names := make([]byte, 64<<10) // the most that the kernel gives
	n, err := unix.Listxattr(path, names)
	if err == unix.ENOTSUP || err == unix.ENOENT { // ENOENT: there is no /proc
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("its extended attributes cannot be listed: %w", err)
	}
	all := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00") {
		value := make([]byte, 64<<10)
		n, err := unix.Getxattr(path, name, value)
		switch {
		case name == "" || err == unix.ENODATA || err == unix.ENOTSUP:
		case err != nil:
			return nil, fmt.Errorf("its extended attribute %s cannot be read: %w", name, err)
		default:
			all[name] = value[:n]
		}
	}
	return all, nil
}

// give gives them to a file, and makes sure that it has them: the kernel may drop a bit
// without a word.
func (a *attributes) give(fd int) error {
	var is unix.Stat_t
	if err := unix.Fstat(fd, &is); err != nil {
		return err
	}
	if is.Uid != a.uid || is.Gid != a.gid {
		if err := unix.Fchown(fd, int(a.uid), int(a.gid)); err != nil {
			return fmt.Errorf("it could not keep its owner and group (%d:%d): %w", a.uid, a.gid, err)
		}
	}
	if err := a.giveExtended(fd); err != nil { // before the mode, which an access list changes
		return err
	}
	if err := unix.Fchmod(fd, a.mode); err != nil { // after the owner, whose change drops the set-uid bit
		return err
	}
	if err := unix.Fstat(fd, &is); err != nil {
		return err
	}
	if is.Mode&allBits != a.mode || is.Uid != a.uid || is.Gid != a.gid {
		return fmt.Errorf("it could not keep its mode %04o: %w", a.mode, fs.ErrPermission)
	}
	return nil
}

// giveExtended gives a file the extended attributes. Labels of security modules are given where they may be.
func (a *attributes) giveExtended(fd int) error {
	is, err := extendedOf(fd)
	if err != nil {
		return err
	}
	for name, value := range a.extended {
		if has, ok := is[name]; ok && bytes.Equal(has, value) {
			continue
		}
		label := strings.HasPrefix(name, "security.") && name != capabilities
		if err := unix.Fsetxattr(fd, name, value, 0); err != nil && !label {
			return fmt.Errorf("it could not keep its extended attribute %s: %w", name, err)
		}
	}
	if _, inherited := is[accessList]; inherited && a.extended[accessList] == nil {
		return unix.Fremovexattr(fd, accessList)
	}
	return nil
}

// lostByWriting reports whether the kernel takes some of them away when the file is written to.
func (a *attributes) lostByWriting() bool {
	return a.mode&specialBits != 0 || a.extended[capabilities] != nil
}

// tighten takes the bits of a mode away that another one lacks.
func (a *attributes) tighten(mode uint32) (changed bool) {
	before := a.mode
	a.mode &= mode
	return a.mode != before
}

// errFull is the error of what may be incomplete, though nobody said so.
var errFull = errors.New("the file system has no room left, and what was written may be incomplete")

// errLargest is the error of what may be incomplete, since it cannot become larger.
var errLargest = errors.New("it is as large as a file may be (ulimit -f), and what was written may be incomplete")

// checkRoom fails where the file system has no free block left for this user, or the file may not become larger: a
// program that does not look at the errors of its writes has lost some, then.
func checkRoom(fd int) error {
	var disk unix.Statfs_t
	var info unix.Stat_t
	if unix.Fstatfs(fd, &disk) != nil || unix.Fstat(fd, &info) != nil || disk.Blocks == 0 { // it does not tell
		return nil
	}
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && uint64(info.Size) >= limit.Cur {
		return errLargest
	}
	free := disk.Bavail
	if unix.Geteuid() == 0 {
		free = disk.Bfree
	}
	if free == 0 {
		return TemporaryError{fmt.Errorf("%w: %w", errFull, unix.ENOSPC)}
	}
	// A quota is known to the kernel only.
	_, err := RetryEINTR(func() (int, error) {
		return 0, unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, info.Size, int64(disk.Bsize)) // 32 bits on some machines
	})
	switch err {
	case nil:
		return unix.Ftruncate(fd, info.Size) // which gives it back
	case unix.ENOSPC, unix.EDQUOT:
		return TemporaryError{fmt.Errorf("%w: %w", errFull, err)}
	}
	return nil
}
