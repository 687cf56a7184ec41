package output

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/value"
)

// closed stands where a descriptor is not open.
const closed = -1

// A Store makes what holds the output of one script's programs. The zero value works. Safe for concurrent use.
type Store struct {
	poller poller

	// The blobs that were made since the collector ran and are not closed. It cannot see that descriptors and disk run
	// out, and so is run when there are many.
	blobs atomic.Int32
	bytes atomic.Int64
}

// A poller makes the runtime wait for pipes. When it is used first and no
// descriptor is left for it, the runtime ends the whole process; so that is seen to before.
type poller struct {
	mu      sync.Mutex
	started bool
}

// start fails if there are too few descriptors by now: that many, more than the two that are needed, since others may
// be opened at the same time.
func (p *poller) start(few int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return nil
	}
	if err := haveSpare(few); err != nil {
		return err
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return err
	}
	p.started = true
	return os.NewFile(uintptr(fd), "poller").Close()
}

// haveSpare makes and drops so many descriptors, and says why there are too few left.
func haveSpare(wanted int) error {
	var spare []int
	defer func() { closeAll(spare) }()
	for range wanted {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return err
		}
		spare = append(spare, fd)
	}
	return nil
}

// Pipe makes a pipe: what is written to the second end is read from the first.
func (s *Store) Pipe() (ends [2]int, err error) {
	return ends, unix.Pipe2(ends[:], unix.O_CLOEXEC)
}

// Close closes descriptors.
func (s *Store) Close(streams []int) { closeAll(streams) }

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// inPipe is the number of bytes that a pipe takes without a reader, on every kernel and
// for users who have used up their share of larger pipes.
const inPipe = 4096

// Text opens a value's exact bytes for reading; again tells that they may be read more than once. What neither
// a pipe nor memory takes lies in a file in dir.
func (s *Store) Text(value value.Value, dir string, again bool) (int, error) {
	if large, ok := value.Blob(); ok {
		return large.(*blob).open()
	}
	text, err := value.Exact()
	if err != nil {
		return closed, err
	}
	if again && len(text) <= inPipe {
		if fd, err := heldInput(text); err == nil {
			return fd, nil
		}
	}
	if len(text) <= inPipe {
		return filledPipe(text)
	}
	fd, err := files.Temporary(dir)
	if err != nil {
		return closed, err
	}
	if err = files.WriteAll(fd, []byte(text)); err == nil {
		_, err = unix.Seek(fd, 0, 0)
	}
	if err != nil {
		_ = unix.Close(fd)
		return closed, files.TemporaryError{Err: fmt.Errorf("cannot hold the input: %w", err)}
	}
	return fd, nil
}

// heldInput is a file in memory that holds a short text. It is opened once more, by a name: only then does the kernel
// let those who share the descriptor read one after another, as from any other file, and each byte is read once.
func heldInput(text string) (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur < inPipe {
		return closed, unix.EFBIG // to exceed it is a deadly signal
	}
	fd, err := unix.MemfdCreate("ftsh-input", unix.MFD_CLOEXEC)
	if err != nil {
		return closed, err
	}
	defer func() { _ = unix.Close(fd) }()
	if n, err := unix.Pwrite(fd, []byte(text), 0); err != nil || n < len(text) {
		return closed, unix.ENOMEM
	}
	return reopen(fd)
}

// reopen opens a file that is open for reading, from its beginning.
func reopen(fd int) (int, error) {
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// filledPipe is the reading end of a pipe that holds a short text.
func filledPipe(text string) (int, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return closed, fmt.Errorf("cannot make a pipe: %w", err)
	}
	err := files.WriteAll(ends[1], []byte(text))
	_ = unix.Close(ends[1])
	return ends[0], err
}
