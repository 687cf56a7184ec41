package locked

import (
	"encoding/binary"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bells are words of the file that waiters sleep on (futex(2)): each ticket has one,
// and shares it with those 512 before and after it, who look for nothing if
// they are woken with it.
//
// The memory is only handed to the kernel, never touched: if somebody cuts
// the file short, that would be a deadly signal. The words are written like a file.
type bells struct {
	fd     int
	memory []byte
}

const (
	bellsAt   = 1 << 16 // a multiple of every kernel's pages
	bellsSize = 4096
	words     = bellsSize / 4 / lines // of each line
)

// hang maps the bells of a file.
func hang(fd int) (bells, error) {
	memory, err := unix.Mmap(fd, bellsAt, bellsSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return bells{fd, memory}, err
}

func (b *bells) takeDown() {
	if b.memory != nil {
		_ = unix.Munmap(b.memory)
		b.memory = nil
	}
}

// word is the place of a ticket's bell.
func (b bell) word() int { return 4 * (b.line*words + int(b.ticket%words)) }

// read gives what a bell shows; each ring changes it.
func (b *bells) read(at int) uint32 {
	var value [4]byte
	_, _ = unix.Pread(b.fd, value[:], bellsAt+int64(at))
	return binary.NativeEndian.Uint32(value[:])
}

const (
	futexWait = 0
	futexWake = 1
)

// ring wakes who sleeps at a bell.
func (b *bells) ring(at int) {
	var value [4]byte
	binary.NativeEndian.PutUint32(value[:], b.read(at)+1)
	_, _ = unix.Pwrite(b.fd, value[:], bellsAt+int64(at))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, b.address(at), futexWake, math.MaxInt32, 0, 0, 0)
}

// sleep returns when a bell has been rung since it showed that; false if one cannot
// sleep here, because the file was cut short.
func (b *bells) sleep(at int, shown uint32) bool {
	for {
		_, _, errno := unix.Syscall6(unix.SYS_FUTEX, b.address(at), futexWait, uintptr(shown), 0, 0, 0)
		if errno != unix.EINTR {
			return errno == 0 || errno == unix.EAGAIN
		}
	}
}

func (b *bells) address(at int) uintptr { return uintptr(unsafe.Pointer(&b.memory[at])) }
