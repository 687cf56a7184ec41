package locked

import (
	"encoding/binary"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// words are the part of the file that waiters sleep on (futex(2)): each ticket has a
// word, and shares it with those 512 before and after it, who look for nothing if
// they are woken with it.
//
// The memory is only handed to the kernel, never touched: if somebody cuts
// the file short, that would be a deadly signal. The words are written like a file.
type words struct {
	fd     int
	memory []byte
}

const (
	wordsAt   = 1 << 16 // a multiple of every kernel's pages
	wordsSize = 4096
	perLine   = wordsSize / 4 / 2
)

// mapWords maps the words of a file.
func mapWords(fd int) (words, error) {
	memory, err := unix.Mmap(fd, wordsAt, wordsSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return words{fd, memory}, err
}

func (w *words) unmapWords() {
	if w.memory != nil {
		_ = unix.Munmap(w.memory)
		w.memory = nil
	}
}

// wordOf is the place of a ticket's word.
func wordOf(t shared.Ticket) int {
	n := int(t.Number % perLine)
	if t.Retry {
		n += perLine
	}
	return 4 * n
}

// readWord gives the value of a word; each wake changes it.
func (w *words) readWord(at int) uint32 {
	var value [4]byte
	_, _ = unix.Pread(w.fd, value[:], wordsAt+int64(at))
	return binary.NativeEndian.Uint32(value[:])
}

const (
	futexWait = 0
	futexWake = 1
)

// wakeSleepers wakes who sleeps on a word.
func (w *words) wakeSleepers(at int) {
	var value [4]byte
	binary.NativeEndian.PutUint32(value[:], w.readWord(at)+1)
	_, _ = unix.Pwrite(w.fd, value[:], wordsAt+int64(at))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, w.addressOf(at), futexWake, math.MaxInt32, 0, 0, 0)
}

// sleepOnWord returns when a word has another value than that; false if one cannot
// sleep here, because the file was cut short.
func (w *words) sleepOnWord(at int, value uint32) bool {
	for {
		_, _, errno := unix.Syscall6(unix.SYS_FUTEX, w.addressOf(at), futexWait, uintptr(value), 0, 0, 0)
		if errno != unix.EINTR {
			return errno == 0 || errno == unix.EAGAIN
		}
	}
}

func (w *words) addressOf(at int) uintptr { return uintptr(unsafe.Pointer(&w.memory[at])) }
