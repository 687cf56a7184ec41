package locked

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// A state is written over in one page of the file, so that no death of a shell leaves it cut: and what a power loss
// does to it is of another boot. It begins with the magic word, a checksum of all that follows, and its length.
const (
	recordSize = 4096
	magic      = "ftsh r4\n"
	headerSize = 8 + 4 + 4
)

// state holds all that the users of a resource know together, but for what locks tell.
type state struct {
	shared.Admission
	boot    [16]byte      // of the machine, in which it was written
	written time.Duration // when
	heir    bool          // a removed file of this name may be in use still
}

// parts are what of a state stands before the failures that the breaker counts, in the order in which it is stored.
func (s *state) parts() []any {
	return []any{&s.boot, &s.written, &s.heir, &s.Rules, &s.Budget, &s.Floor, &s.Retries, &s.Ready,
		&s.Breaker.Open, &s.Breaker.Since, &s.Breaker.Next, &s.Breaker.Ramp}
}

// readState gives the state in a file; false if there is none that is whole and of this boot. The file must be locked.
func readState(fd int, boot [16]byte) (s *state, ok bool) {
	var text [recordSize]byte
	if _, err := unix.Pread(fd, text[:], 0); err != nil || string(text[:8]) != magic {
		return nil, false
	}
	length := binary.LittleEndian.Uint32(text[12:])
	if length > recordSize-headerSize {
		return nil, false
	}
	rest := text[headerSize : headerSize+length]
	if binary.LittleEndian.Uint32(text[8:]) != crc32.ChecksumIEEE(text[12:headerSize+length]) {
		return nil, false
	}
	s = &state{}
	for _, part := range s.parts() {
		n, err := binary.Decode(rest, binary.LittleEndian, part)
		if err != nil {
			return nil, false
		}
		rest = rest[n:]
	}
	s.Breaker.Recent = make([]time.Duration, len(rest)/8)
	_, err := binary.Decode(rest, binary.LittleEndian, s.Breaker.Recent)
	return s, err == nil && s.boot == boot
}

// writeState replaces the state in a file, which must be locked: some 500 bytes, and 8 for each recent failure.
func writeState(fd int, s *state, boot [16]byte) error {
	s.boot = boot
	text := make([]byte, headerSize, recordSize)
	for _, part := range append(s.parts(), s.Breaker.Recent) {
		text, _ = binary.Append(text, binary.LittleEndian, part) // all are of a fixed size
	}
	copy(text, magic)
	binary.LittleEndian.PutUint32(text[12:], uint32(len(text)-headerSize))
	binary.LittleEndian.PutUint32(text[8:], crc32.ChecksumIEEE(text[12:]))
	n, err := unix.Pwrite(fd, text, 0)
	if err == nil && n < len(text) {
		err = unix.ENOSPC
	}
	return err
}
