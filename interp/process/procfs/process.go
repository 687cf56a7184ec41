package procfs

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
)

// Process is an open /proc/PID. It means that one process for as long as it is
// open, also when the process is gone and its id is given to another.
type Process int

const readOnly = unix.O_RDONLY | unix.O_CLOEXEC

// Open opens /proc/PID.
func Open(pid int) (Process, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid), readOnly|unix.O_DIRECTORY, 0)
	return Process(fd), err
}

// Close closes it.
func (p Process) Close() { unix.Close(int(p)) }

// Scarce reports whether something could not be opened for want of descriptors or memory.
func Scarce(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// Signal sends a signal to it, and can hit no other (Linux 5.1; before that, an
// id that was given again within microseconds could).
func (p Process) Signal(pid int, sig unix.Signal) error {
	err := unix.PidfdSendSignal(int(p), sig, nil, 0)
	if err == unix.ENOSYS {
		return unix.Kill(pid, sig)
	}
	return err
}

// Ticks is time since boot in the unit in which the kernel tells when a process
// was started: hundredths of a second, on every architecture that Go knows.
type Ticks uint64

// Now is the time since boot.
func Now() Ticks { return Ticks(clock.SinceBoot() / (10 * time.Millisecond)) }

// Stat holds the fields of /proc/PID/stat that the shell needs.
type Stat struct {
	State   byte  // Z, X: it has ended (or one of its threads has, the first)
	Parent  int   // process id of its parent; 0: there is none in our space of numbers
	Session int   // process id of the leader of its session, which may be gone
	Threads int   // how many it has
	Start   Ticks // when it was started; those of a process that executes another program do not change
	// Image is the address of the end of its environment, which differs from one program to the
	// next, as the kernel shuffles addresses. It is 0 while a program is being
	// loaded, or where we may not see it.
	Image  uint64
	Kernel bool // it is a thread of the kernel
	// Failing: it is in its exit, with a failure, though nobody can wait for it yet; others may have seen by now
	// that its descriptors are closed.
	Failing bool
}

// Ended reports whether it has ended, and only waits to be reaped, or has been
// reaped and is about to leave the process table.
func (s *Stat) Ended() bool {
	return s.Threads == 0 || (s.State == 'Z' || s.State == 'X') && s.Threads == 1
}

// These are flags of a process: PF_KTHREAD and PF_EXITING.
const (
	kernelThread = 0x200000
	exiting      = 0x4
)

// Stat reads it: ESRCH if the process is gone.
func (p Process) Stat(s *Stat) error {
	var buf [1024]byte
	n, err := p.Read("stat", buf[:])
	if err != nil {
		return err
	}
	return s.parseLine(buf[:n])
}

// parseLine reads the line: ESRCH if there is none.
func (s *Stat) parseLine(line []byte) error {
	// The name in parentheses may hold anything, also parentheses.
	line = line[bytes.LastIndexByte(line, ')')+1:]
	if len(line) < 3 {
		return unix.ESRCH
	}
	s.State = line[1]
	// The numbers that follow the name, as proc(5) counts the fields. (A minus sign is passed over; no field that is
	// used has one.)
	var fields [53]uint64
	field := 2
	for _, c := range line {
		if c == ' ' {
			if field++; field == len(fields) {
				break
			}
		} else if '0' <= c && c <= '9' {
			fields[field] = fields[field]*10 + uint64(c-'0')
		}
	}
	s.Parent, s.Session, s.Threads = int(fields[4]), int(fields[6]), int(fields[20])
	s.Kernel = fields[9]&kernelThread != 0
	s.Start, s.Image = Ticks(fields[22]), fields[51]
	s.Failing = fields[9]&exiting != 0 && s.Threads == 1 && fields[52] != 0 // 0 also where we may not see it
	return nil
}

// Marker finds the value of a variable in its environment, as that was when it
// executed its program. Nothing if it has none, has overwritten it, is just
// executing, or does not let us see. The buffer is used, and returned for the next.
func (p Process) Marker(name string, buf []byte) (value, buffer []byte, err error) {
	fd, err := unix.Openat(int(p), "environ", readOnly, 0)
	if err != nil {
		return nil, buf, err
	}
	defer unix.Close(fd)
	buf, _ = readAll(fd, append(slices.Grow(buf[:0], 8<<10), 0))
	_, after, found := bytes.Cut(buf, []byte("\x00"+name+"="))
	if !found {
		return nil, buf, nil
	}
	value, _, _ = bytes.Cut(after, []byte{0})
	return value, buf, nil
}

// Read reads a small file of it: nothing if there is an error, as when the process has just gone.
func (p Process) Read(name string, buf []byte) (int, error) {
	fd, err := unix.Openat(int(p), name, readOnly, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	return max(n, 0), err
}

// RunsOurProgram reports whether it executes the program that this process executes.
func (p Process) RunsOurProgram() bool {
	var theirs, ours [unix.PathMax]byte
	n, err := unix.Readlinkat(int(p), "exe", theirs[:])
	self, errSelf := unix.Readlink("/proc/self/exe", ours[:])
	return err == nil && errSelf == nil && string(theirs[:n]) == string(ours[:self])
}

// Name returns its name in lists of processes; "" if it is gone.
func (p Process) Name() string {
	var buf [64]byte
	n, _ := p.Read("comm", buf[:])
	return strings.TrimSuffix(string(buf[:n]), "\n")
}

// Handles reports whether it has a handler for a signal.
func (p Process) Handles(sig unix.Signal) bool {
	var buf [4096]byte
	n, _ := p.Read("status", buf[:])
	_, after, _ := strings.Cut(string(buf[:n]), "SigCgt:\t")
	digits, _, _ := strings.Cut(after, "\n")
	caught, err := strconv.ParseUint(digits, 16, 64)
	return err == nil && caught&(1<<(uint(sig)-1)) != 0
}

// ReadFile reads a file of the kernel's.
func ReadFile(name string) ([]byte, error) {
	fd, err := unix.Open(name, readOnly, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return readAll(fd, make([]byte, 0, 512))
}

// readAll appends what a file holds from where it stands.
func readAll(fd int, dst []byte) ([]byte, error) {
	for {
		dst = slices.Grow(dst, 64)
		n, err := unix.Read(fd, dst[len(dst):cap(dst)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil || n == 0:
			return dst, err
		}
		dst = dst[:len(dst)+n]
	}
}
