package locked

import (
	"encoding/binary"
	"hash/crc32"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// A state is kept twice, and the older copy is written over: if that is cut short
// (a full disk, a power loss) the other is still whole. Each begins with the
// magic word, a checksum of all that follows, its length and its generation.
const (
	copySize   = 4096
	recordSize = 2 * copySize
	magic      = "ftsh r3\n"
	headerSize = 8 + 4 + 4 + 8
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

// appendState appends a state as bytes: some 500, and 8 for each recent failure.
func appendState(dst []byte, s *state, boot [16]byte) []byte {
	s.boot = boot
	for _, part := range append(s.parts(), s.Breaker.Recent) {
		dst, _ = binary.Append(dst, binary.LittleEndian, part) // all are of a fixed size
	}
	return dst
}

// parseState takes it apart; false if it is of another boot, or makes no sense.
func parseState(text []byte, boot [16]byte) (*state, bool) {
	s := &state{}
	for _, part := range s.parts() {
		n, err := binary.Decode(text, binary.LittleEndian, part)
		if err != nil {
			return nil, false
		}
		text = text[n:]
	}
	n := len(text) / 8
	if n*8 != len(text) || n > shared.MaxFailures {
		return nil, false
	}
	if n > 0 {
		s.Breaker.Recent = make([]time.Duration, n)
		_, _ = binary.Decode(text, binary.LittleEndian, s.Breaker.Recent)
	}
	return s, s.boot == boot && s.Sensible()
}

// sealState puts the header of a copy before a state.
func sealState(body []byte, generation uint64) []byte {
	sealed := make([]byte, headerSize, headerSize+len(body))
	copy(sealed, magic)
	binary.LittleEndian.PutUint32(sealed[12:], uint32(len(body)))
	binary.LittleEndian.PutUint64(sealed[16:], generation)
	sealed = append(sealed, body...)
	binary.LittleEndian.PutUint32(sealed[8:], crc32.ChecksumIEEE(sealed[12:]))
	return sealed
}

// unsealState gives the state of a copy, and its generation; false if it is torn.
func unsealState(text []byte) (body []byte, generation uint64, ok bool) {
	if len(text) < headerSize || string(text[:8]) != magic {
		return nil, 0, false
	}
	length := int(binary.LittleEndian.Uint32(text[12:]))
	if length > len(text)-headerSize {
		return nil, 0, false
	}
	text = text[:headerSize+length]
	if binary.LittleEndian.Uint32(text[8:]) != crc32.ChecksumIEEE(text[12:]) {
		return nil, 0, false
	}
	return text[headerSize:], binary.LittleEndian.Uint64(text[16:]), true
}

// record is the two copies of a state in a file.
type record struct {
	fd         int
	generation uint64 // of the newer copy
	buffer     [recordSize]byte
}

// readState gives the newer state that is whole; false if there is none. The file must
// be locked.
func (r *record) readState(boot [16]byte) (s *state, ok bool) {
	r.generation = 0
	n, err := unix.Pread(r.fd, r.buffer[:], 0)
	if err != nil {
		return nil, false
	}
	var newest []byte
	for at := 0; at < n; at += copySize {
		body, generation, whole := unsealState(r.buffer[at:min(at+copySize, n)])
		if whole && (newest == nil || generation > r.generation) {
			newest, r.generation = body, generation
		}
	}
	if newest == nil {
		return nil, false
	}
	return parseState(newest, boot)
}

// writeState replaces the older copy. The file must be locked, and have been read.
func (r *record) writeState(s *state, boot [16]byte) error {
	next := r.generation + 1
	text := sealState(appendState(nil, s, boot), next)
	n, err := unix.Pwrite(r.fd, text, int64(next%2)*copySize)
	if err == nil && n < len(text) {
		err = unix.ENOSPC
	}
	if err == nil {
		r.generation = next
	}
	return err
}
