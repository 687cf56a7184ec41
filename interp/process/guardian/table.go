package guardian

import (
	"encoding/binary"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// table is memory that the shell shares with its guardian: how many commands are
// under way, and which. (A forked guardian has it in no file, since one could be
// limited in size, and exceeding that is a deadly signal.)
//
// The commands stand in it as text, sixteen bytes for each, since it is itself the
// last argument of the program that a forked guardian executes. The kernel allows one
// argument 128 KiB, which makes room for 8,191 commands at a time; any more are not
// guarded.
type table struct {
	count *uint64
	rows  []uint64 // two words for each command, its number and its process id; then a zero
	free  []int    // places that were used
	used  int      // how many places were ever used
}

const (
	countSize = 8
	tableSize = countSize + 128<<10
)

// unset stands for no number, and no process id yet: the text "--------", in either order of bytes.
const unset = 0x2d2d2d2d2d2d2d2d

// enterCommand notes a command and returns its place, from 1.
func (t *table) enterCommand(number uint64) (place int, err error) {
	if n := len(t.free); n > 0 {
		place, t.free = t.free[n-1], t.free[:n-1]
	} else if 2*(t.used+1) < len(t.rows) {
		t.used++
		place = t.used
	} else {
		return 0, unix.ENOSPC
	}
	// In this order, as the guardian may look at any moment; and a word without
	// text would end the argument.
	atomic.StoreUint64(&t.rows[2*place-1], unset)
	atomic.StoreUint64(&t.rows[2*place-2], base32Word(number))
	atomic.AddUint64(t.count, 1)
	return place, nil
}

// leaveCommand takes a command out.
func (t *table) leaveCommand(place int) {
	atomic.StoreUint64(&t.rows[2*place-2], unset)
	atomic.AddUint64(t.count, ^uint64(0))
	t.free = append(t.free, place)
}

func (t *table) isEmpty() bool { return atomic.LoadUint64(t.count) == 0 }

// base32Word is a number in eight bytes of text, to the base 32. Above 2⁴⁰ the first
// digits are lost.
func base32Word(n uint64) uint64 {
	const digits = "0123456789abcdefghijklmnopqrstuv"
	var text [8]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = digits[n%32]
		n /= 32
	}
	return binary.NativeEndian.Uint64(text[:])
}

// Command is a command that was under way.
type Command struct {
	Number uint64
	PID    int // 0: not known
}

// Commands reads the rows of a table.
func Commands(rows string) (list []Command) {
	rows, _, _ = strings.Cut(rows, "\x00")
	for ; len(rows) >= 16; rows = rows[16:] {
		number, err := strconv.ParseUint(rows[:8], 32, 64)
		if err != nil {
			continue // a free place
		}
		pid, _ := strconv.ParseUint(rows[8:16], 32, 32)
		list = append(list, Command{number, int(pid)})
	}
	return list
}
