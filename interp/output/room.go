package output

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// room is a file without a name that a program writes to: its standard error, or the output of a branch. It sees to it
// that there is room for what comes: on disk, or in memory where the disk has none.
type room struct {
	fd       int
	inMemory bool
	given    int64 // what is before was given back

	allocates bool // the file system has reserved room for it: not all can
}

const (
	// reserved is the room for what a program can write until the file is looked at again, in bytes.
	reserved = 256 << 10
	// leastFree is the room that a disk must have, in bytes: a program may write more than is
	// reserved before the file is looked at again.
	leastFree = 64 << 20
	// compared is the number of bytes before the copied end that must stay: see differs.
	compared = 64
	// leastLimit is the limit of file sizes from which on a program's errors surely fit.
	leastLimit = 1 << 30
)

// newRoom makes one for standard error; the error tells why there can be none that surely does no harm.
func newRoom(dir string) (r room, err error) {
	if err := FilesMayGrow(); err != nil {
		return r, err
	}
	if fd, err := files.Temporary(dir); err == nil {
		if r = (room{fd: fd}); r.hasFree(leastFree) && r.reserve(0) {
			return r, nil
		}
		_ = unix.Close(fd)
	}
	fd, err := unix.MemfdCreate("ftsh-stderr", unix.MFD_CLOEXEC)
	return room{fd: fd, inMemory: true}, err
}

// FilesMayGrow returns why files may not become long enough for what a program may write; nil: they may.
func FilesMayGrow() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return fmt.Errorf("the limit on the size of files (ulimit -f) is unknown: %w", err)
	}
	if limit.Cur < leastLimit { // to exceed it is a deadly signal
		return fmt.Errorf("files are limited to %d bytes (ulimit -f), and a program that writes more "+
			"would be killed; wanted at least %d",
			limit.Cur, leastLimit)
	}
	return nil
}

// reserve takes room on the disk for what will be written from there on.
func (r *room) reserve(from int64) bool { return r.reserveBytes(from, reserved) }

func (r *room) reserveBytes(from, bytes int64) bool {
	_, err := files.RetryEINTR(func() (int, error) {
		return 0, unix.Fallocate(r.fd, unix.FALLOC_FL_KEEP_SIZE, from, bytes)
	})
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS {
		r.allocates = err == nil
		return err == nil
	}
	return r.hasFree(bytes)
}

// hasFree reports whether the disk has that many bytes free.
func (r *room) hasFree(bytes int64) bool {
	var disk unix.Statfs_t
	return unix.Fstatfs(r.fd, &disk) == nil && disk.Bavail >= uint64(bytes/int64(disk.Bsize))
}

// giveBack gives the room back up to there, but for the end, with which a later look compares.
func (r *room) giveBack(size int64) {
	const block = 4096
	if end := max(0, size-compared) &^ (block - 1); end > r.given {
		_ = unix.Fallocate(r.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, r.given, end-r.given)
		r.given = end
	}
}

// differs reports whether what a file has before an offset is something else than was read there.
func differs(fd int, offset int64, before []byte) bool {
	now, err := readBefore(fd, offset, int64(len(before)))
	return err == nil && !bytes.Equal(now, before)
}

// readBefore returns the n bytes that a file has before an offset, or fewer where it has become shorter.
func readBefore(fd int, offset, n int64) ([]byte, error) {
	text := make([]byte, n)
	length, err := files.RetryEINTR(func() (int, error) { return unix.Pread(fd, text, offset-n) })
	return text[:max(0, length)], err
}
