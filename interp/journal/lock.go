package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Which bytes of NAME.lock are locked, far behind the end of the file, which stays empty. Locks of
// open file descriptions go with the last descriptor of the description, whatever ends its holders.
const (
	lockAt = 1 << 40 // the lock: by a description that the guardian may have as well
	pidAt  = 1 << 41 // and this many bytes on, by one that the process alone has: its number
	pidEnd = pidAt + 1<<32
)

func (machine) Lock(path string) (*os.File, func(), error) {
	fd, err := openRetry(path, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK)
	if err != nil {
		return nil, nil, err
	}
	if err := lockByte(fd, lockAt); err != nil {
		pid, _ := holderOf(fd)
		_ = unix.Close(fd)
		if err == unix.EAGAIN || err == unix.EACCES {
			return nil, nil, &BusyError{PID: pid}
		}
		return nil, nil, err
	}
	own, err := openRetry(path, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC)
	if err == nil {
		err = lockByte(own, pidAt+int64(os.Getpid()))
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, nil, err
	}
	held := os.NewFile(uintptr(fd), path)
	return held, func() {
		_ = unix.Close(own)
		_ = unix.FcntlFlock(held.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK, Start: lockAt, Len: 1})
		_ = held.Close()
	}, nil
}

func (machine) Holder(path string) (pid int, held bool) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK)
	if err != nil {
		return 0, false
	}
	defer func() { _ = unix.Close(fd) }()
	return holderOf(fd)
}

// lockByte locks a byte for an open file description, or says at once that another has it.
func lockByte(fd int, at int64) error {
	return retryInterrupted(func() error {
		return unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1})
	})
}

// holderOf finds the holder of the lock, and the process that took it, if that lives.
func holderOf(fd int) (pid int, held bool) {
	if _, held = lockedByte(fd, lockAt, lockAt+1); !held {
		return 0, false
	}
	if at, living := lockedByte(fd, pidAt, pidEnd); living {
		pid = int(at - pidAt)
	}
	return pid, true
}

// lockedByte finds a byte in [from, to) that another description has locked.
func lockedByte(fd int, from, to int64) (at int64, found bool) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: from, Len: to - from}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(l.Start, from), true
}
