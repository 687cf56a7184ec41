package journal

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FS is the file system of a journal; Config.FS gives another to tests. Paths are as Open was
// given them. Errors are those of the kernel ([unix.Errno]).
type FS interface {
	// Open opens a file or, with O_DIRECTORY, a folder. Flags are those of open(2); no link
	// is followed, and a new file has mode 0600.
	Open(path string, flag int) (File, error)
	// Mkdir makes a folder of mode 0700.
	Mkdir(path string) error
	// Rename is rename(2): what has the name already is replaced.
	Rename(from, to string) error
	// Unlink removes a file.
	Unlink(path string) error
	// Lstat describes what has that name; no link is followed, and InMemory is not looked at.
	Lstat(path string) (Info, error)
	// List gives the names in a folder, in any order.
	List(path string) ([]string, error)
	// Lock takes the lock that the file stands for, and makes the file. held is the
	// descriptor that holds it, nil if there is none. If another has it, the error is a *BusyError.
	Lock(path string) (held *os.File, release func(), err error)
	// Holder says whether somebody has that lock, and which living process took it; 0: none.
	Holder(path string) (pid int, held bool)
	// SyncAll is sync(2).
	SyncAll()
}

// File is an open file or folder.
//
// ReadAt and WriteAt are io.ReaderAt's and io.WriterAt's, Truncate is ftruncate(2), and Close gives up the descriptor
// even if it fails.
type File interface {
	ReadAt(p []byte, at int64) (int, error)
	WriteAt(p []byte, at int64) (int, error)
	// Sync is fdatasync(2), of a folder fsync(2).
	Sync() error
	Truncate(size int64) error
	// Reserve has the file system keep room from at on, without making the file longer.
	Reserve(at, length int64) error
	Stat() (Info, error)
	Close() error
}

// FileID tells a file from all others of the machine while it is open somewhere.
type FileID struct{ Device, Inode uint64 }

// String is device and inode.
func (id FileID) String() string { return fmt.Sprintf("%d:%d", id.Device, id.Inode) }

// Info tells a journal what it has to know of a file or folder.
type Info struct {
	ID       FileID
	Size     int64
	Mode     uint32 // type and permissions, as stat(2) gives them
	UID      int
	InMemory bool // it lies on a file system that does not outlast the machine's power
}

// machine is the file system of this machine.
type machine struct{}

func (machine) Open(path string, flag int) (File, error) {
	// Without O_NONBLOCK a named pipe would be waited for.
	fd, err := openRetry(path, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	return descriptor{fd, flag&unix.O_DIRECTORY != 0}, nil
}

func openRetry(path string, flag int) (fd int, err error) {
	err = retryInterrupted(func() error { fd, err = unix.Open(path, flag, 0o600); return err })
	return fd, err
}

func (machine) Mkdir(path string) error      { return unix.Mkdir(path, 0o700) }
func (machine) Rename(from, to string) error { return unix.Rename(from, to) }
func (machine) Unlink(path string) error     { return unix.Unlink(path) }
func (machine) SyncAll()                     { unix.Sync() }

func (machine) Lstat(path string) (Info, error) {
	var stat unix.Stat_t
	err := retryInterrupted(func() error { return unix.Lstat(path, &stat) })
	return infoOf(&stat), err
}

func infoOf(stat *unix.Stat_t) Info {
	id := FileID{uint64(stat.Dev), stat.Ino} //nolint:unconvert // it is of another width elsewhere
	return Info{ID: id, Size: stat.Size, Mode: stat.Mode, UID: int(stat.Uid)}
}

func (machine) List(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		if number, ok := errors.AsType[unix.Errno](err); ok {
			return nil, number
		}
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// descriptor is an open file of this machine. No os.File: those want the runtime's poller, which
// ends the program where no descriptor is left for it.
type descriptor struct {
	fd     int
	folder bool
}

// ReadAt reads all of p, or as much as there is.
func (d descriptor) ReadAt(p []byte, at int64) (done int, err error) {
	for done < len(p) && err == nil {
		n := 0
		err = retryInterrupted(func() error { n, err = unix.Pread(d.fd, p[done:], at+int64(done)); return err })
		if n <= 0 {
			return done, err
		}
		done += n
	}
	return done, err
}

func (d descriptor) WriteAt(p []byte, at int64) (done int, err error) {
	for done < len(p) && err == nil {
		n := 0
		err = retryInterrupted(func() error { n, err = unix.Pwrite(d.fd, p[done:], at+int64(done)); return err })
		done += max(n, 0)
		if n == 0 && err == nil {
			err = unix.ENOSPC
		}
	}
	return done, err
}

func (d descriptor) Sync() error {
	return retryInterrupted(func() error {
		if d.folder {
			return unix.Fsync(d.fd)
		}
		return unix.Fdatasync(d.fd)
	})
}

func (d descriptor) Truncate(size int64) error {
	return retryInterrupted(func() error { return unix.Ftruncate(d.fd, size) })
}

func (d descriptor) Reserve(at, length int64) error {
	return retryInterrupted(func() error { return unix.Fallocate(d.fd, unix.FALLOC_FL_KEEP_SIZE, at, length) })
}

func (d descriptor) Close() error { return unix.Close(d.fd) }

func (d descriptor) Stat() (Info, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(d.fd, &stat); err != nil {
		return Info{}, err
	}
	info := infoOf(&stat)
	var system unix.Statfs_t
	if unix.Fstatfs(d.fd, &system) == nil {
		magic := uint32(system.Type) //nolint:unconvert // it is of another width elsewhere
		info.InMemory = magic == unix.TMPFS_MAGIC || magic == unix.RAMFS_MAGIC
	}
	return info, nil
}

// retryInterrupted makes a call until no signal interrupts it.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
