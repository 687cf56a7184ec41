package event

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// OpenOutput opens a log file for appending, and makes it with mode 0600 if there is
// none. Programs that the shell starts do not inherit it.
//
// A symbolic link is followed, unless it lies in a sticky directory that
// everybody may write to (such as /tmp) and belongs neither to this user nor to
// the directory's owner: somebody else could aim our log at any of our files. A
// FIFO is waited for until somebody reads it, for a second. Errors are
// *fs.PathError.
func OpenOutput(path string) (*Output, error) {
	fd, err := openFile(path)
	if err == nil {
		err = checkWritable(fd)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "cannot open log", Path: path, Err: err}
	}
	o := OutputTo(fd)
	o.owned = true
	return o, nil
}

// checkWritable refuses what cannot be appended to, and closes it.
func checkWritable(fd int) error {
	var stat unix.Stat_t
	err := unix.Fstat(fd, &stat)
	if kind := stat.Mode & unix.S_IFMT; err == nil && kind == unix.S_IFBLK {
		err = errors.New("is a block device")
	}
	if err != nil {
		unix.Close(fd)
	}
	return err
}

const flags = unix.O_WRONLY | unix.O_APPEND | unix.O_CREAT | unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK

// openFile opens without following a link first: only where there is one is it
// looked at, and a link that passes cannot be exchanged by others any more.
func openFile(path string) (int, error) {
	fd, err := openSoon(path, flags|unix.O_NOFOLLOW)
	if err != unix.ELOOP {
		return fd, err
	}
	if err := checkLinks(path); err != nil {
		return -1, err
	}
	return openSoon(path, flags)
}

// openSoon opens, and gives a FIFO that nobody reads a second to find a reader.
func openSoon(path string, flags int) (int, error) {
	const pause, most = 20 * time.Millisecond, time.Second
	for waited := time.Duration(0); ; {
		fd, err := unix.Open(path, flags, 0o600)
		switch {
		case err == unix.EINTR:
			continue
		case err != unix.ENXIO || !isFIFO(path):
			return fd, err
		case waited >= most:
			return -1, errors.New("nobody reads this FIFO")
		}
		time.Sleep(pause)
		waited += pause
	}
}

func isFIFO(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// checkLinks refuses a chain of links with one in it that somebody else has laid.
func checkLinks(path string) error {
	for range 40 {
		target, err := os.Readlink(path)
		if err != nil {
			return nil // the end of the chain, or a link of /proc: open will tell
		}
		if err := checkLink(path); err != nil {
			return err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return unix.ELOOP
}

// checkLink applies the rule of fs.protected_symlinks, whether the kernel does or not.
func checkLink(path string) error {
	link, err := os.Lstat(path)
	if err != nil {
		return err
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	const everybody = 0o002
	if dir.Mode()&fs.ModeSticky == 0 || dir.Mode().Perm()&everybody == 0 {
		return nil
	}
	if owner := ownerOf(link); owner != uint32(os.Geteuid()) && owner != ownerOf(dir) {
		return errors.New("is a symbolic link that belongs to another user")
	}
	return nil
}

func ownerOf(info fs.FileInfo) uint32 {
	return info.Sys().(*syscall.Stat_t).Uid
}
