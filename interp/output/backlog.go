package output

import (
	"os"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// A backlog holds output that waits to be handed on: first a part in memory, then one in a file without a name. Output
// that was handed on takes no room.
type backlog struct {
	dir     string // for the file
	inRAM   *int   // bytes that this backlog and others hold in memory
	text    []byte
	file    *os.File // nil: there is none yet
	at, end int64    // where what waits lies in the file
}

// size is how much waits.
func (b *backlog) size() int { return len(b.text) + int(b.end-b.at) }

// add adds a text; false: there is no room. The one whose turn it is always has room for one text.
func (b *backlog) add(text []byte, first bool) bool {
	if b.at == b.end && (*b.inRAM+len(text) <= inMemory || first && len(b.text) == 0) {
		*b.inRAM += len(text)
		b.text = append(b.text, text...)
		return true
	}
	if b.file == nil {
		if FilesMayGrow() != nil || haveSpare(descriptorsOfOthers) != nil {
			return false
		}
		fd, err := files.Temporary(b.dir)
		if err != nil {
			return false
		}
		b.file = os.NewFile(uintptr(fd), "what a branch wrote")
	}
	if _, err := b.file.WriteAt(text, b.end); err != nil {
		_ = b.file.Truncate(b.end)
		return false
	}
	b.end += int64(len(text))
	return true
}

// next returns the beginning of what waits.
func (b *backlog) next() ([]byte, error) {
	const most = 64 << 10
	if len(b.text) > 0 {
		return b.text[:min(most, len(b.text))], nil
	}
	return b.inFile(min(most, b.end-b.at))
}

// all returns all that waits.
func (b *backlog) all() (string, error) {
	rest, err := b.inFile(b.end - b.at)
	return string(b.text) + string(rest), err
}

func (b *backlog) inFile(n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	text := make([]byte, n)
	if _, err := b.file.ReadAt(text, b.at); err != nil {
		return nil, cannotKeep(err)
	}
	return text, nil
}

// remove removes so much of what next returned.
func (b *backlog) remove(n int) {
	if len(b.text) > 0 {
		*b.inRAM -= n
		b.text = b.text[n:]
		return
	}
	if b.at += int64(n); b.at == b.end {
		b.drop()
	} else if n > 0 {
		_ = unix.Fallocate(int(b.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, b.at)
	}
}

// drop forgets all that waits.
func (b *backlog) drop() {
	*b.inRAM -= len(b.text)
	if b.file != nil {
		_ = b.file.Close()
	}
	b.text, b.file, b.at, b.end = nil, nil, 0, 0
}
