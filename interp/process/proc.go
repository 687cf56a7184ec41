package process

import (
	"bytes"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// handle is an open /proc/PID. It means that one process for as long as it is
// open, also when the process is gone and its id is given to another.
type handle int

// openProcess opens /proc/PID.
func openProcess(pid int) (handle, syscall.Errno) {
	var buf [32]byte
	path := append(buf[:0], "/proc/"...)
	path = append(strconv.AppendInt(path, int64(pid), 10), 0)
	fd, errno := openAt(atCWD, path, syscall.O_DIRECTORY)
	return handle(fd), errno
}

func (p handle) close() { syscall.Close(int(p)) }

// signal sends a signal to it, and can hit no other (Linux 5.1; before that, an
// id that was given again within microseconds could).
func (p handle) signal(pid int, sig syscall.Signal) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_PIDFD_SEND_SIGNAL, uintptr(p), uintptr(sig), 0, 0, 0, 0)
	if errno == syscall.ENOSYS {
		return number(syscall.Kill(pid, sig))
	}
	return errno
}

// stat is what /proc/PID/stat tells of a process.
type stat struct {
	state   byte // Z, X: it has ended (or one of its threads has, the first)
	parent  int
	session int
	threads int
	start   ticks
	// image is where its environment ends, which differs from one program to the
	// next, as the kernel shuffles addresses. It is 0 while a program is being
	// loaded, or where we may not see it.
	image  uint64
	kernel bool // it is a thread of the kernel
}

// over tells that it has ended, and only waits to be reaped, or has been reaped
// and is about to leave the table.
func (s *stat) over() bool {
	return s.threads == 0 || (s.state == 'Z' || s.state == 'X') && s.threads == 1
}

// stat reads it: ESRCH if the process is gone.
func (p handle) stat(s *stat) syscall.Errno {
	var buf [1024]byte
	n, errno := p.read(statName[:], buf[:])
	if errno != 0 {
		return errno
	}
	// The name in parentheses may hold anything, also parentheses.
	line := buf[:n]
	line = line[bytes.LastIndexByte(line, ')')+1:]
	if len(line) < 3 {
		return syscall.ESRCH
	}
	s.state = line[1]
	line = line[2:]
	for field := 4; field <= 51; field++ {
		var value uint64
		value, line = parseNumber(line)
		switch field {
		case 4:
			s.parent = int(value)
		case 6:
			s.session = int(value)
		case 9:
			s.kernel = value&kernelThread != 0
		case 20:
			s.threads = int(value)
		case 22:
			s.start = ticks(value)
		case 51:
			s.image = value
		}
	}
	return 0
}

// kernelThread is PF_KTHREAD.
const kernelThread = 0x200000

// parseNumber reads the next number and what follows it. (A minus sign is
// passed over; no field that is used has one.)
func parseNumber(text []byte) (value uint64, rest []byte) {
	i := 0
	for i < len(text) && (text[i] < '0' || text[i] > '9') {
		i++
	}
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		value = value*10 + uint64(text[i]-'0')
	}
	return value, text[i:]
}

// manyThreads stands for a number of threads that is not known.
const manyThreads = 2

// children appends the ids of its children, of all its threads. ENOENT: the
// process is gone, or the kernel does not list them.
func (p handle) children(pid, threads int, dst []int) ([]int, syscall.Errno) {
	if threads <= 1 {
		return p.threadChildren(pid, dst)
	}
	fd, errno := openAt(int(p), taskName[:], syscall.O_DIRECTORY)
	if errno != 0 {
		return dst, errno
	}
	defer syscall.Close(fd)
	failed := syscall.Errno(0)
	eachNumber(fd, func(tid int) {
		if dst, errno = p.threadChildren(tid, dst); errno != 0 && (tid == pid || errno != syscall.ENOENT) {
			failed = errno
		}
	})
	return dst, failed
}

// threadChildren appends the ids of one thread's children (Linux 3.5 with
// CONFIG_CHECKPOINT_RESTORE, 4.2 with CONFIG_PROC_CHILDREN).
func (p handle) threadChildren(tid int, dst []int) ([]int, syscall.Errno) {
	var name [48]byte
	path := append(name[:0], "task/"...)
	path = strconv.AppendInt(path, int64(tid), 10)
	path = append(path, "/children\x00"...)
	fd, errno := openAt(int(p), path, 0)
	if errno != 0 {
		return dst, errno
	}
	defer syscall.Close(fd)
	return readNumbers(fd, dst), 0
}

// readNumbers appends the numbers that a file holds from where it stands.
func readNumbers(fd int, dst []int) []int {
	var buf [4096]byte
	value, inside := 0, false
	for {
		n, err := syscall.Read(fd, buf[:])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return dst
		}
		for _, c := range buf[:n] {
			if c >= '0' && c <= '9' {
				value, inside = value*10+int(c-'0'), true
			} else if inside {
				dst = append(dst, value)
				value, inside = 0, false
			}
		}
	}
}

// eachNumber calls f for each entry of a directory whose name is a number.
func eachNumber(fd int, f func(n int)) {
	var buf [4096]byte
	for {
		n, err := syscall.ReadDirent(fd, buf[:])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			return
		}
		for rest := buf[:n]; len(rest) >= 20; {
			entry := (*syscall.Dirent)(unsafe.Pointer(&rest[0]))
			if name := rest[nameOffset:]; name[0] >= '1' && name[0] <= '9' {
				pid, _ := parseNumber(name)
				f(int(pid))
			}
			rest = rest[entry.Reclen:]
		}
	}
}

// nameOffset is where a directory entry has its name.
const nameOffset = unsafe.Offsetof(syscall.Dirent{}.Name)

// marker finds FTSH_COMMAND in its environment, as it was when it executed its
// program. Nothing if it has none, has overwritten it, is just executing, or
// does not let us see. The buffer is returned for the next.
func (p handle) marker(buf []byte) (marker, buffer []byte, errno syscall.Errno) {
	fd, errno := openAt(int(p), environName[:], 0)
	if errno != 0 {
		return nil, buf, errno
	}
	defer syscall.Close(fd)
	buf = append(slices.Grow(buf[:0], 8<<10), 0)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := cap(buf) - len(buf)
		n, err := syscall.Read(fd, buf[len(buf):cap(buf)])
		if err == syscall.EINTR {
			continue
		}
		buf = buf[:len(buf)+max(0, n)]
		if n < room {
			break
		}
	}
	_, after, found := bytes.Cut(buf, []byte("\x00"+markerName+"="))
	if !found {
		return nil, buf, 0
	}
	marker, _, _ = bytes.Cut(after, []byte{0})
	return marker, buf, 0
}

// read reads a small file of it.
func (p handle) read(name, buf []byte) (int, syscall.Errno) {
	fd, errno := openAt(int(p), name, 0)
	if errno != 0 {
		return 0, errno
	}
	n, err := syscall.Read(fd, buf)
	syscall.Close(fd)
	return n, number(err)
}

// readFile reads a file of the kernel's. (os.ReadFile would set up the runtime's poller
// first, which takes 60 µs, and if no descriptor is left for it ends the shell.)
func readFile(name string) ([]byte, syscall.Errno) {
	fd, errno := openAt(atCWD, append([]byte(name), 0), 0)
	if errno != 0 {
		return nil, errno
	}
	defer syscall.Close(fd)
	text := make([]byte, 0, 512)
	for {
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil || n == 0:
			return text, number(err)
		}
		text = slices.Grow(text[:len(text)+n], 512)
	}
}

// isOurProgram tells that it runs the program that this process runs.
func (p handle) isOurProgram() bool {
	var theirs, ours [4096]byte
	n, errno := readLink(int(p), exeName[:], theirs[:])
	self, errnoSelf := readLink(atCWD, []byte("/proc/self/exe\x00"), ours[:])
	return errno == 0 && errnoSelf == 0 && string(theirs[:n]) == string(ours[:self])
}

// readLink reads a link whose name ends in NUL.
func readLink(dir int, name, buf []byte) (int, syscall.Errno) {
	n, _, errno := syscall.Syscall6(syscall.SYS_READLINKAT, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
		uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)), 0, 0)
	return int(n), errno
}

// The names of files below /proc/PID, as the kernel wants them.
var (
	statName    = [...]byte{'s', 't', 'a', 't', 0}
	taskName    = [...]byte{'t', 'a', 's', 'k', 0}
	cgroupName  = [...]byte{'c', 'g', 'r', 'o', 'u', 'p', 0}
	exeName     = [...]byte{'e', 'x', 'e', 0}
	environName = [...]byte{'e', 'n', 'v', 'i', 'r', 'o', 'n', 0}
)

const atCWD = -100

// openAt opens a file whose name ends in NUL.
func openAt(dir int, name []byte, flags int) (int, syscall.Errno) {
	for {
		fd, _, errno := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(&name[0])),
			uintptr(flags|syscall.O_RDONLY|syscall.O_CLOEXEC), 0, 0, 0)
		if errno != syscall.EINTR {
			return int(fd), errno
		}
	}
}
