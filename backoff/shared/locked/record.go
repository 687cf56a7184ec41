package locked

import (
	"encoding/binary"
	"hash/fnv"
	"math"
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
	magic      = "ftsh r2\n"
	headerSize = 8 + 8 + 4 + 8
)

// state holds all that the users of a resource know together, but for what locks tell.
type state struct {
	shared.Admission
	written time.Duration // when
	heir    bool          // a removed file of this name may be in use still
}

// appendState appends a state as bytes: some 500, and 8 for each recent failure.
func appendState(dst []byte, s *state, boot [16]byte) []byte {
	dst = append(dst, boot[:]...)
	flags := byte(0)
	if s.Breaker.Open {
		flags |= 1
	}
	if s.Rules.Budgeted {
		flags |= 2
	}
	if s.heir {
		flags |= 4
	}
	dst = append(dst, flags)
	dst = appendTimes(dst, s.written, s.Breaker.Since, s.Breaker.Next, s.Floor,
		s.Rules.Window, s.Rules.Within, s.Rules.Probe)
	dst = appendNumbers(dst, int64(s.Breaker.Ramp), int64(s.Rules.Slots), int64(s.Rules.Failures),
		int64(math.Float64bits(s.Rules.Percent)), int64(math.Float64bits(s.Rules.PerMinute)))
	dst = appendNumbers(dst, s.Ready.Next, s.Ready.Head, s.Ready.Passed, s.Ready.First, int64(s.Ready.Due))
	dst = appendNumbers(dst, s.Retries.Next, s.Retries.Head, s.Retries.Passed, s.Retries.First, int64(s.Retries.Due))
	for _, w := range []*shared.Window{&s.Budget.Attempts, &s.Budget.Retries, &s.Budget.LastMinute} {
		dst = appendNumbers(dst, w.Slice)
		for _, n := range w.Counts {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(n)))
		}
	}
	dst = appendNumbers(dst, int64(len(s.Breaker.Recent)))
	return appendTimes(dst, s.Breaker.Recent...)
}

func appendNumbers(dst []byte, list ...int64) []byte {
	for _, n := range list {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}

func appendTimes(dst []byte, list ...time.Duration) []byte {
	for _, t := range list {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(t))
	}
	return dst
}

// decoder takes a state apart. What is missing is zero, and makes it short.
type decoder struct {
	rest  []byte
	short bool
}

func (d *decoder) takeBytes(n int) []byte {
	if len(d.rest) < n {
		d.short, d.rest = true, make([]byte, n)
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) takeNumber() int64       { return int64(binary.LittleEndian.Uint64(d.takeBytes(8))) }
func (d *decoder) takeTime() time.Duration { return time.Duration(d.takeNumber()) }

// parseState takes it apart; false if it is of another boot, or makes no sense.
func parseState(text []byte, boot [16]byte) (*state, bool) {
	d, s := decoder{rest: text}, &state{}
	same := [16]byte(d.takeBytes(16)) == boot
	flags := d.takeBytes(1)[0]
	s.Breaker.Open, s.Rules.Budgeted, s.heir = flags&1 != 0, flags&2 != 0, flags&4 != 0
	s.written, s.Breaker.Since, s.Breaker.Next, s.Floor = d.takeTime(), d.takeTime(), d.takeTime(), d.takeTime()
	s.Rules.Window, s.Rules.Within, s.Rules.Probe = d.takeTime(), d.takeTime(), d.takeTime()
	s.Breaker.Ramp, s.Rules.Slots, s.Rules.Failures = int(d.takeNumber()), int(d.takeNumber()), int(d.takeNumber())
	s.Rules.Percent = math.Float64frombits(uint64(d.takeNumber()))
	s.Rules.PerMinute = math.Float64frombits(uint64(d.takeNumber()))
	s.Ready.Next, s.Ready.Head, s.Ready.Passed = d.takeNumber(), d.takeNumber(), d.takeNumber()
	s.Ready.First, s.Ready.Due = d.takeNumber(), d.takeTime()
	s.Retries.Next, s.Retries.Head, s.Retries.Passed = d.takeNumber(), d.takeNumber(), d.takeNumber()
	s.Retries.First, s.Retries.Due = d.takeNumber(), d.takeTime()
	sensible := s.Sensible()
	for _, w := range []*shared.Window{&s.Budget.Attempts, &s.Budget.Retries, &s.Budget.LastMinute} {
		w.Slice = d.takeNumber()
		sensible = sensible && w.Slice >= 0
		for i := range w.Counts {
			w.Counts[i] = float64(int32(binary.LittleEndian.Uint32(d.takeBytes(4))))
		}
	}
	n := d.takeNumber()
	if n < 0 || n > shared.MaxFailures || int(n)*8 != len(d.rest) {
		return nil, false
	}
	for range n {
		s.Breaker.Recent = append(s.Breaker.Recent, d.takeTime())
	}
	return s, same && !d.short && sensible
}

// sealState puts the header of a copy before a state.
func sealState(body []byte, generation uint64) []byte {
	sealed := make([]byte, headerSize, headerSize+len(body))
	copy(sealed, magic)
	binary.LittleEndian.PutUint32(sealed[16:], uint32(len(body)))
	binary.LittleEndian.PutUint64(sealed[20:], generation)
	sealed = append(sealed, body...)
	binary.LittleEndian.PutUint64(sealed[8:], checksumOf(sealed[16:]))
	return sealed
}

// unsealState gives the state of a copy, and its generation; false if it is torn.
func unsealState(text []byte) (body []byte, generation uint64, ok bool) {
	if len(text) < headerSize || string(text[:8]) != magic {
		return nil, 0, false
	}
	length := int(binary.LittleEndian.Uint32(text[16:]))
	if length > len(text)-headerSize {
		return nil, 0, false
	}
	text = text[:headerSize+length]
	if binary.LittleEndian.Uint64(text[8:]) != checksumOf(text[16:]) {
		return nil, 0, false
	}
	return text[headerSize:], binary.LittleEndian.Uint64(text[20:]), true
}

func checksumOf(text []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(text)
	return h.Sum64()
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
