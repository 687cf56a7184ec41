package interp

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// blob is bytes in a file that has no name. The variable that it was made for is its owner,
// and closes it when it gets another value. Once a second value refers to it, it has no
// owner any more, and os.File closes it when the collector finds it out of reach.
//
// Why it is not counted to the end: values are copied into lists, arguments, results and
// forked frames, and stay in expressions under way; each of these places would have to
// give back what it holds, on every way out. A blob that is closed while somebody
// still refers to it loses data, so what is shared at all is left to the collector.
type blob struct {
	file   *os.File
	size   int64
	shared atomic.Bool
	files  *blobs
}

// blobs counts the blobs of a script that were made since the collector ran and are not
// closed. It cannot see that descriptors and disk run out, and so is run when there are many.
type blobs struct {
	made  atomic.Int64
	bytes atomic.Int64
}

// The blobs that may wait for the collector.
const (
	uncollectedBlobs = 64
	uncollectedBytes = 256 << 20
)

// create makes an empty blob.
func (s *blobs) create(dir string) (*blob, error) {
	if s.made.Load() >= uncollectedBlobs || s.bytes.Load() >= uncollectedBytes {
		s.made.Store(0)
		s.bytes.Store(0)
		runtime.GC()
	}
	fd, err := files.Temporary(dir)
	if err != nil {
		return nil, err
	}
	s.made.Add(1)
	return &blob{file: os.NewFile(uintptr(fd), "captured output"), files: s}, nil
}

func (b *blob) write(text []byte) error {
	n, err := b.file.Write(text)
	b.size += int64(n)
	b.files.bytes.Add(int64(n))
	if err != nil {
		return files.TemporaryError{Err: err}
	}
	return nil
}

// Share implements expand.Blob.
func (b *blob) Share() { b.shared.Store(true) }

// closeOwned closes the file unless others refer to it.
func (b *blob) closeOwned() {
	if b.shared.Load() {
		return
	}
	_ = b.file.Close()
	b.files.made.Add(-1)
	b.files.bytes.Add(-b.size)
}

// dropValue ends what a variable owns.
func (v *variable) dropValue() {
	if large, ok := v.value.Blob(); ok {
		large.(*blob).closeOwned()
	}
}

// copyVariables is the variables for another frame. What they hold is shared then.
func copyVariables(list []variable) []variable {
	for i := range list {
		if large, ok := list[i].value.Blob(); ok {
			large.Share()
		}
	}
	return append([]variable(nil), list...)
}

// Size returns the number of bytes.
func (b *blob) Size() int64 { return b.size }

// Bytes returns all of them.
func (b *blob) Bytes() (string, error) {
	text := make([]byte, b.size)
	_, err := b.file.ReadAt(text, 0)
	return string(text), err
}

// open opens the bytes for reading, from their beginning.
func (b *blob) open() (int, error) {
	name := "/proc/self/fd/" + strconv.Itoa(int(b.file.Fd()))
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	runtime.KeepAlive(b)
	return fd, err
}

// inPipe is the number of bytes that a pipe takes without a reader, on every kernel and
// for users who have used up their share of larger pipes.
const inPipe = 4096

// openToRead opens a value's exact bytes for reading; again tells that they may be read more than once.
func openToRead(value expand.Value, dir string, again bool) (int, error) {
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

// heldInput is a file in memory that holds a short text.
func heldInput(text string) (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur < inPipe {
		return closed, unix.EFBIG // to exceed it is a deadly signal
	}
	fd, err := unix.MemfdCreate("ftsh-input", unix.MFD_CLOEXEC)
	if err != nil {
		return closed, err
	}
	if n, err := unix.Pwrite(fd, []byte(text), 0); err != nil || n < len(text) {
		_ = unix.Close(fd)
		return closed, unix.ENOMEM
	}
	return fd, nil
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
