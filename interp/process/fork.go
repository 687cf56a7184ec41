package process

import (
	"os"
	"runtime"
	"sort"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guardianTitle is what the guardian is called in lists of processes.
const guardianTitle = "ftsh-guardian"

// child is what a forked copy of this process has to do, in plain numbers: it
// has one thread, which may not run Go code that allocates, locks, grows its
// stack, is preempted or stores a pointer. It can only call the kernel.
type child struct {
	bell bool // end at once

	pipe           uintptr
	keep           [maxHeld]uintptr // descriptors, in order
	kept           int
	page           uintptr // the size of a page
	count          uintptr // the address of the ledger's
	program        uintptr
	args, envs     uintptr
	root           uintptr
	title          uintptr
	spans          [4]span // memory that it needs, in order; the stack's is added
	spanned        int     // 0: all is copied
	command        uintptr // where this process's arguments stand
	commandSize    uintptr
	pause          syscall.Timespec // between attempts to execute
	signals, saved [2]uint64        // masks
}

// span is a range of memory.
type span struct{ low, high uintptr }

// maxHeld is how many descriptors a guardian can hold.
const maxHeld = 64

// fork starts a guardian that waits at that end of a pipe.
func (l *ledger) fork(pipe int, held []int) (int, syscall.Errno) {
	c := &child{
		pipe: uintptr(pipe), count: uintptr(unsafe.Pointer(l.count)), page: uintptr(syscall.Getpagesize()),
		program: l.program, args: l.args, envs: l.envs, root: l.root, title: l.title,
		pause: syscall.NsecToTimespec(int64(100 * time.Millisecond)),
	}
	c.holdAll(pipe, held)
	c.trim(l)
	pid, errno := c.fork(0) // no signal announces its death: waiting for any child does not see it
	runtime.KeepAlive(l)
	return int(pid), errno
}

// holdAll lists the descriptors to keep.
func (c *child) holdAll(pipe int, held []int) {
	all := append([]int{pipe}, held[:min(len(held), maxHeld-1)]...)
	sort.Ints(all)
	c.kept = copy(c.keep[:], toWords(all))
}

func toWords(list []int) []uintptr {
	words := make([]uintptr, len(list))
	for i, n := range list {
		words[i] = uintptr(n)
	}
	return words
}

// trim finds out where this process's arguments stand, and which memory the
// child needs: the program's code, the ledger, and the first stack with the
// arguments and the environment, which are there to be seen in /proc. It has a
// copy of all where that is not known. (Nothing else in the shell forks like
// this: programs are started by a fork that shares memory.)
func (c *child) trim(l *ledger) {
	a := auxiliary()
	if a.random == 0 || len(os.Args) == 0 {
		return
	}
	first, last := os.Args[0], os.Args[len(os.Args)-1]
	begin := uintptr(unsafe.Pointer(unsafe.StringData(first)))
	end := uintptr(unsafe.Pointer(unsafe.StringData(last))) + uintptr(len(last))
	if begin > a.random && end > begin { // else somebody has replaced them
		c.command, c.commandSize = begin, end-begin
	}
	code, ok := codeSpan(a.headers, a.headerCount)
	if !ok {
		return
	}
	low := uintptr(unsafe.Pointer(&l.memory[0]))
	c.spans = [4]span{code, {low, low + uintptr(len(l.memory))}, {(a.random - stackRoom) &^ pageMask, ^pageMask}}
	c.spanned = 3
	sort.Slice(c.spans[:3], func(i, k int) bool { return c.spans[i].low < c.spans[k].low })
}

const (
	pageMask  = uintptr(0xffff) // the largest page of any architecture
	stackRoom = 64 << 20        // the kernel maps nothing else so near to the first stack
)

// vector is what we need of what the kernel tells a program when it starts.
type vector struct {
	headers, headerCount uintptr // of the program, in memory
	random               uintptr // an address just below the arguments
}

// auxiliary reads it; zeros where that is not possible.
func auxiliary() (v vector) {
	pairs, _ := unix.Auxv()
	for _, pair := range pairs {
		switch pair[0] {
		case 3: // AT_PHDR
			v.headers = pair[1]
		case 5: // AT_PHNUM
			v.headerCount = pair[1]
		case 25: // AT_RANDOM
			v.random = pair[1]
		}
	}
	return v
}

// segment is a program header of ELF, as it lies in memory.
type segment struct {
	kind, flags uint32
	_, address  uint64 // offset in the file
	_, _        uint64 // physical address, size in the file
	memorySize  uint64
	_           uint64 // alignment
}

// codeSpan finds the program's code by its headers; false where memory must not
// be given up.
func codeSpan(table, count uintptr) (span, bool) {
	if table == 0 || wordSize != 8 {
		return span{}, false
	}
	// The kernel tells the address as a number; it is no Go memory.
	segments := unsafe.Slice(*(**segment)(unsafe.Pointer(&table)), count)
	base, code := uintptr(0), span{}
	for _, s := range segments {
		switch {
		case s.kind == 7: // PT_TLS: there is a C library, and the kernel writes to its memory (rseq)
			return span{}, false
		case s.kind == 6: // PT_PHDR
			base = table - uintptr(s.address)
		case s.kind == 1 && s.flags&1 != 0: // PT_LOAD, executable
			code = span{uintptr(s.address) &^ pageMask, uintptr(s.address+s.memorySize)&^pageMask + pageMask + 1}
		}
	}
	return span{code.low + base, code.high + base}, code.high != 0
}

// ring makes a child end, which wakes whoever waits for any.
func ring() {
	c := &child{bell: true, page: uintptr(syscall.Getpagesize())}
	for range 10 {
		if _, errno := c.fork(uintptr(syscall.SIGCHLD)); errno == 0 {
			return
		}
		nap(10 * time.Millisecond)
	}
}

// fork forks a child that does what is said, and returns its process id. Signals are
// blocked around it, since their handlers are Go code; in the child, for good.
//
//go:noinline
//go:norace
//go:nocheckptr
func (c *child) fork(announce uintptr) (uintptr, syscall.Errno) {
	if !canFork {
		return 0, syscall.ENOSYS
	}
	c.signals = [2]uint64{^uint64(0), ^uint64(0)}
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSetMask,
		uintptr(unsafe.Pointer(&c.signals)), uintptr(unsafe.Pointer(&c.saved)), 8, 0, 0)
	here := *c // on the stack, which the child has
	here.shield()
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, announce, 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		here.live()
	}
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, sigSetMask, uintptr(unsafe.Pointer(&c.saved)), 0, 8, 0, 0)
	return pid, errno
}

const sigSetMask = 2

// canFork is false where system calls have other arguments, or masks another size.
const canFork = runtime.GOARCH != "s390x" && runtime.GOARCH != "mips" && runtime.GOARCH != "mipsle" &&
	runtime.GOARCH != "mips64" && runtime.GOARCH != "mips64le"

// live is the child's life.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) live() {
	if !c.bell {
		c.letGo()
		c.wait()
	}
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}

// letGo gives up what the child does not need: the session, so that no key or
// hang-up reaches it, the directory, descriptors, and the shell's name.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) letGo() {
	syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, unix.PR_SET_NAME, c.title, 0)
	syscall.RawSyscall(syscall.SYS_CHDIR, c.root, 0, 0)
	next := uintptr(0)
	for i := 0; i < c.kept; i++ {
		if c.keep[i] > next {
			closeRange(next, c.keep[i]-1)
		}
		syscall.RawSyscall(syscall.SYS_FCNTL, c.keep[i], syscall.F_SETFD, 0)
		next = c.keep[i] + 1
	}
	closeRange(next, 1<<31-1)
	for i := uintptr(0); i < c.commandSize; i++ {
		to := c.command + i
		from := c.title + i
		letter := byte(0)
		if i < uintptr(len(guardianTitle)) {
			letter = **(**byte)(unsafe.Pointer(&from))
		}
		**(**byte)(unsafe.Pointer(&to)) = letter
	}
}

// closeRange closes the descriptors from low to high, before Linux 5.9 one by
// one as far as there usually are any.
//
//go:nosplit
//go:norace
func closeRange(low, high uintptr) {
	if _, _, errno := syscall.RawSyscall(unix.SYS_CLOSE_RANGE, low, high, 0); errno == 0 {
		return
	}
	for fd := low; fd <= high && fd < 1<<16; fd++ {
		syscall.RawSyscall(syscall.SYS_CLOSE, fd, 0, 0)
	}
}

// shield keeps all memory from the child but the spans and the stack it runs on.
// What the child does not have, the kernel need not prepare for copying, nor copy
// when the shell writes to it: a guardian and the command after it then take
// 0.13 ms longer than the command alone, instead of 0.25 ms (measured).
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) shield() {
	stack := uintptr(unsafe.Pointer(c)) &^ (c.page - 1)
	here := span{stack - c.page, stack + 2*c.page}
	c.spans[3] = here
	for i := 3; i > 0 && c.spans[i].low < c.spans[i-1].low; i-- {
		c.spans[i], c.spans[i-1] = c.spans[i-1], c.spans[i]
	}
	low := pageMask + 1
	for i := 0; i < len(c.spans) && c.spanned > 0; i++ {
		if c.spans[i].low > low {
			// (It is not troubled by what is not mapped.)
			syscall.RawSyscall(syscall.SYS_MADVISE, low, c.spans[i].low-low, unix.MADV_DONTFORK)
		}
		low = c.spans[i].high
	}
	// An earlier fork may have kept this stack back.
	syscall.RawSyscall(syscall.SYS_MADVISE, here.low, here.high-here.low, unix.MADV_DOFORK)
}

// wait waits for the shell's death; if commands were under way then, it becomes a
// process of the shell's program and ends them. A kernel that is out of memory
// is asked again, for a minute.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *child) wait() {
	var nothing [8]byte
	for {
		_, _, errno := syscall.RawSyscall(syscall.SYS_READ, c.pipe, uintptr(unsafe.Pointer(&nothing)), 1)
		if errno != syscall.EINTR {
			break
		}
	}
	count := c.count
	if **(**uint64)(unsafe.Pointer(&count)) == 0 {
		return
	}
	for i := 0; i < 600; i++ {
		syscall.RawSyscall(syscall.SYS_EXECVE, c.program, c.args, c.envs)
		syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&c.pause)), 0, 0)
	}
}
