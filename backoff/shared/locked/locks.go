package locked

import (
	"golang.org/x/sys/unix"
)

// Where in the file which locks are, far behind all that is written. The lock of a
// byte that is not there is as good.
const (
	mutexAt   = 1 << 40 // the state
	slotsAt   = 1 << 41 // the slots
	readyAt   = 1 << 60 // tickets of the line before the slots
	retriesAt = 1 << 61 // tickets of the line before the budget
)

// lockByte locks a byte for an open file description; false if another has it.
func lockByte(fd int, at int64) (bool, error) {
	for {
		err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1})
		switch err {
		case unix.EINTR:
		case unix.EAGAIN, unix.EACCES:
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// unlockByte gives a byte back.
func unlockByte(fd int, at int64) {
	_ = unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK, Start: at, Len: 1})
}

// lockedByte finds a byte in [from, to) that another description has locked. Which one,
// if there are several, is the kernel's choice: nearly always the one that was
// locked first.
func lockedByte(fd int, from, to int64) (at int64, found bool) {
	if from >= to {
		return 0, false
	}
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: from, Len: to - from}
	if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(l.Start, from), true
}

// lowestLocked finds the lowest such byte.
func lowestLocked(fd int, from, to int64) (at int64, found bool) {
	for {
		next, more := lockedByte(fd, from, to)
		if !more {
			return at, found
		}
		at, to, found = next, next, true
	}
}

// highestLocked finds the highest such byte.
func highestLocked(fd int, from, to int64) (at int64, found bool) {
	for {
		next, more := lockedByte(fd, from, to)
		if !more {
			return at, found
		}
		at, from, found = next, next+1, true
	}
}

// countLocked counts such bytes.
func countLocked(fd int, from, to int64) (n int) {
	at, found := lockedByte(fd, from, to)
	if !found {
		return 0
	}
	return 1 + countLocked(fd, from, at) + countLocked(fd, at+1, to)
}
