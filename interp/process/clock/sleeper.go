package clock

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sleeper lets a thread sleep until it is woken, once. It needs no descriptor, as a [Clock] does and Go's own timers
// do. The zero Sleeper can be used.
type Sleeper struct{ woken atomic.Uint32 }

// Sleep blocks for that time, or until Wake is called, and reports whether that was so.
func (s *Sleeper) Sleep(d time.Duration) (woken bool) {
	const wait = 128 // FUTEX_WAIT_PRIVATE
	for end := SinceBoot() + d; s.woken.Load() == 0; {
		left := end - SinceBoot()
		if left <= 0 {
			return false
		}
		t := unix.NsecToTimespec(int64(left))
		_, _, _ = syscall.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.woken)), wait, 0,
			uintptr(unsafe.Pointer(&t)), 0, 0)
	}
	return true
}

// Wake ends a Sleep, also one that begins later.
func (s *Sleeper) Wake() {
	const wake = 129 // FUTEX_WAKE_PRIVATE
	s.woken.Store(1)
	_, _, _ = syscall.Syscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.woken)), wake, 1)
}
