package output

import (
	"io"
	"os"
	"runtime"
	"sync/atomic"

	"ftsh/interp/files"
	"ftsh/interp/value"
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
	store  *Store
}

// The blobs that may wait for the collector.
const (
	uncollectedBlobs = 64
	uncollectedBytes = 256 << 20
)

// newBlob makes an empty blob.
func (s *Store) newBlob(dir string) (*blob, error) {
	if s.blobs.Load() >= uncollectedBlobs || s.bytes.Load() >= uncollectedBytes {
		s.blobs.Store(0)
		s.bytes.Store(0)
		runtime.GC()
	}
	fd, err := files.Temporary(dir)
	if err != nil {
		return nil, err
	}
	s.blobs.Add(1)
	return &blob{file: os.NewFile(uintptr(fd), "captured output"), store: s}, nil
}

func (b *blob) write(text []byte) error {
	n, err := b.file.Write(text)
	b.size += int64(n)
	b.store.bytes.Add(int64(n))
	if err != nil {
		return files.TemporaryError{Err: err}
	}
	return nil
}

func (b *blob) cutTo(size int64) error {
	if err := b.file.Truncate(size); err != nil {
		return err
	}
	b.store.bytes.Add(size - b.size)
	b.size = size
	_, err := b.file.Seek(size, io.SeekStart)
	return err
}

// Drop ends what the variable that had a value owned: unless others refer to it, a file is closed.
func Drop(value value.Value) {
	if large, ok := value.Blob(); ok {
		large.(*blob).closeOwned()
	}
}

// closeOwned closes the file unless others refer to it.
func (b *blob) closeOwned() {
	if b.shared.Load() {
		return
	}
	_ = b.file.Close()
	b.store.blobs.Add(-1)
	b.store.bytes.Add(-b.size)
}

// Share implements value.Blob.
func (b *blob) Share() { b.shared.Store(true) }

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
	fd, err := reopen(int(b.file.Fd()))
	runtime.KeepAlive(b)
	return fd, err
}

// inMemory limits the bytes of captured output that are held in memory, in all of
// it; more than that lies in an unlinked file.
const inMemory = 1 << 20

// spool collects bytes, in memory as long as they are few.
type spool struct {
	dir    string
	store  *Store
	memory []byte
	file   *blob // holds everything, if memory did not do
	err    error // what went wrong; from then on nothing is kept
}

func (s *spool) write(text []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.file == nil && len(s.memory)+len(text) <= inMemory {
		s.memory = append(s.memory, text...)
		return nil
	}
	if s.file == nil {
		if s.file, s.err = s.store.newBlob(s.dir); s.err != nil {
			return s.err
		}
		if s.err = s.file.write(s.memory); s.err != nil {
			return s.err
		}
		s.memory = nil
	}
	s.err = s.file.write(text)
	return s.err
}

// size counts what was collected; -1: not all could be held.
func (s *spool) size() int64 {
	switch {
	case s.err != nil:
		return -1
	case s.file != nil:
		return s.file.size
	}
	return int64(len(s.memory))
}

// cutTo forgets what is beyond a size, up to which all was held.
func (s *spool) cutTo(size int64) error {
	s.err = nil
	switch {
	case s.file == nil:
	case len(s.memory) > 0: // there was no room for that in the file
		s.file.closeOwned()
		s.file = nil
	default:
		return s.file.cutTo(size)
	}
	s.memory = s.memory[:min(size, int64(len(s.memory)))]
	return nil
}

// value returns all that was collected.
func (s *spool) value() (value.Value, error) {
	switch {
	case s.err != nil:
		s.dropText()
		return value.Value{}, s.err
	case s.file != nil:
		return value.Large(s.file), nil
	}
	return value.Captured(string(s.memory)), nil
}

func (s *spool) dropText() {
	if s.file != nil {
		s.file.closeOwned()
	}
}

// Hold makes a captured value of a text: a long one lies in a file in dir, if that is possible.
func (s *Store) Hold(dir, text string) value.Value {
	if len(text) > inMemory {
		held := spool{dir: dir, store: s}
		for from := 0; from < len(text); from += inMemory { // not all of it in memory once more
			_ = held.write([]byte(text[from:min(from+inMemory, len(text))])) // it keeps its error
		}
		if value, err := held.value(); err == nil {
			return value
		}
	}
	return value.Captured(text)
}
