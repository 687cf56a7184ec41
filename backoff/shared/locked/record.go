package locked

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// A state is kept twice, and the older copy is written over: if that is cut short
// (a full disk, a power loss) the other is still whole. Each begins with the
// magic word, a checksum of all that follows, its length and its generation.
const (
	copySize   = 4096
	recordSize = 2 * copySize
	magic      = "ftsh r1\n"
	headerSize = 8 + 8 + 4 + 8
)

// appendState appends a state as bytes: some 300, and 8 for each recent failure.
func appendState(dst []byte, s *state, boot [16]byte) []byte {
	dst = append(dst, boot[:]...)
	dst = appendTimes(dst, s.written, s.opened, s.probe, s.floor)
	flags := byte(0)
	if s.open {
		flags |= 1
	}
	if s.rules.Budgeted {
		flags |= 2
	}
	dst = append(dst, flags)
	dst = appendNumbers(dst, int64(s.ramp), int64(s.rules.Slots), int64(s.rules.Failures), int64(math.Float64bits(s.rules.Percent)))
	dst = appendTimes(dst, s.rules.Within, s.rules.Probe)
	for _, l := range s.line {
		dst = appendNumbers(dst, l.next, l.head)
	}
	dst = appendNumbers(dst, s.counts.Slice)
	for i := range s.counts.A {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(s.counts.A[i])))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(s.counts.B[i])))
	}
	dst = appendNumbers(dst, int64(len(s.recent)))
	return appendTimes(dst, s.recent...)
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

func (d *decoder) take(n int) []byte {
	if len(d.rest) < n {
		d.short, d.rest = true, make([]byte, n)
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) number() int64       { return int64(binary.LittleEndian.Uint64(d.take(8))) }
func (d *decoder) time() time.Duration { return time.Duration(d.number()) }
func (d *decoder) small() float64 {
	return float64(int32(binary.LittleEndian.Uint32(d.take(4))))
}

// parseState takes it apart; false if it is of another boot, or makes no sense.
func parseState(text []byte, boot [16]byte) (*state, bool) {
	d, s := decoder{rest: text}, &state{}
	same := [16]byte(d.take(16)) == boot
	s.written, s.opened, s.probe, s.floor = d.time(), d.time(), d.time(), d.time()
	flags := d.take(1)[0]
	s.open, s.rules.Budgeted = flags&1 != 0, flags&2 != 0
	s.ramp, s.rules.Slots, s.rules.Failures = int(d.number()), int(d.number()), int(d.number())
	s.rules.Percent = math.Float64frombits(uint64(d.number()))
	s.rules.Within, s.rules.Probe = d.time(), d.time()
	for i := range s.line {
		s.line[i].next, s.line[i].head = d.number(), d.number()
	}
	s.counts.Slice = d.number()
	for i := range s.counts.A {
		s.counts.A[i], s.counts.B[i] = d.small(), d.small()
	}
	n := d.number()
	if n < 0 || n > MostFailures || int(n)*8 != len(d.rest) {
		return nil, false
	}
	for range n {
		s.recent = append(s.recent, d.time())
	}
	return s, same && !d.short && s.sensible()
}

// sensible sees that tickets are numbers that have a lock, and the counts' slice one
// that there is.
func (s *state) sensible() bool {
	for _, l := range s.line {
		if l.head < 0 || l.next < l.head || l.next > 1<<59 {
			return false
		}
	}
	return s.counts.Slice >= 0
}

// seal puts the header of a copy before a state.
func seal(body []byte, generation uint64) []byte {
	sealed := make([]byte, headerSize, headerSize+len(body))
	copy(sealed, magic)
	binary.LittleEndian.PutUint32(sealed[16:], uint32(len(body)))
	binary.LittleEndian.PutUint64(sealed[20:], generation)
	sealed = append(sealed, body...)
	binary.LittleEndian.PutUint64(sealed[8:], checksum(sealed[16:]))
	return sealed
}

// unseal gives the state of a copy, and its generation; false if it is torn.
func unseal(text []byte) (body []byte, generation uint64, ok bool) {
	if len(text) < headerSize || string(text[:8]) != magic {
		return nil, 0, false
	}
	length := int(binary.LittleEndian.Uint32(text[16:]))
	if length > len(text)-headerSize {
		return nil, 0, false
	}
	text = text[:headerSize+length]
	if binary.LittleEndian.Uint64(text[8:]) != checksum(text[16:]) {
		return nil, 0, false
	}
	return text[headerSize:], binary.LittleEndian.Uint64(text[20:]), true
}

func checksum(text []byte) uint64 {
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

// read gives the newer state that is whole; false if there is none. The file must
// be locked.
func (r *record) read(boot [16]byte) (s *state, ok bool) {
	r.generation = 0
	n, err := unix.Pread(r.fd, r.buffer[:], 0)
	if err != nil {
		return nil, false
	}
	var newest []byte
	for at := 0; at < n; at += copySize {
		if body, generation, whole := unseal(r.buffer[at:min(at+copySize, n)]); whole && (newest == nil || generation > r.generation) {
			newest, r.generation = body, generation
		}
	}
	if newest == nil {
		return nil, false
	}
	return parseState(newest, boot)
}

// write replaces the older copy. The file must be locked, and have been read.
func (r *record) write(s *state, boot [16]byte) error {
	next := r.generation + 1
	text := seal(appendState(nil, s, boot), next)
	n, err := unix.Pwrite(r.fd, text, int64(next%2)*copySize)
	if err == nil && n < len(text) {
		err = unix.ENOSPC
	}
	if err == nil {
		r.generation = next
	}
	return err
}
