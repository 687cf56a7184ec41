package locked

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"time"

	"golang.org/x/sys/unix"
)

// RunningError says that somebody else has the lock of a script of which one run is to be under way at a time.
type RunningError struct {
	PID   int       // who took it
	Ended bool      // that process is gone, and what it left is still being ended
	Since time.Time // when it was taken
}

// Error says who has the lock, and since when.
func (e *RunningError) Error() string {
	since := e.Since.Format(time.DateTime)
	if e.Ended {
		return fmt.Sprintf("what process %d has left, which ran since %s and is gone, is still being ended", e.PID, since)
	}
	return fmt.Sprintf("process %d runs it, since %s", e.PID, since)
}

// Alone takes the lock that all runs of a script share, whose name may be any text. It is held by the descriptor, and
// by whoever else has that open file description. If another run has it, the error is a *RunningError.
func (f *Folder) Alone(name string) (fd int, err error) {
	sum := fnv.New128a()
	_, _ = sum.Write([]byte(name))
	file := hex.EncodeToString(sum.Sum(nil)) + ".alone"
	for {
		fd, err = f.openName(file, unix.O_CREAT)
		if err != nil {
			return 0, fmt.Errorf("the lock %s/%s cannot be opened: %w", f.path, file, err)
		}
		ours, err := lockByte(fd, mutexAt)
		switch {
		case ours && isNamed(fd, f.path+"/"+file):
			return fd, writeRun(fd)
		case !ours && err == nil:
			err = readRun(fd)
		}
		_ = unix.Close(fd)
		if !ours {
			return 0, err
		}
	}
}

// writeRun says in a lock that this process has it, from now on.
func writeRun(fd int) error {
	text := binary.LittleEndian.AppendUint64(nil, uint64(unix.Getpid()))
	text = binary.LittleEndian.AppendUint64(text, uint64(time.Now().Unix()))
	_, err := unix.Pwrite(fd, text, 0)
	if err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("the lock cannot be written: %w", err)
	}
	return nil
}

// readRun returns who has a lock. Who has just taken it writes that in a moment.
func readRun(fd int) error {
	running := &RunningError{Ended: true}
	for range 10 {
		var text [16]byte
		if n, err := unix.Pread(fd, text[:], 0); err == nil && n == len(text) {
			running.PID = int(binary.LittleEndian.Uint64(text[:]))
			running.Since = time.Unix(int64(binary.LittleEndian.Uint64(text[8:])), 0)
			running.Ended = unix.Kill(running.PID, 0) == unix.ESRCH
		}
		if !running.Ended {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	return running
}
