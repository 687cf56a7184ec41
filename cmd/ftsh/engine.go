package main

import (
	"context"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// engine runs programs on this machine, and sees to it that the shell takes
// little of its memory meanwhile.
type engine struct {
	*process.Host
	under atomic.Int32 // programs under way
}

// crowd is from how many programs under way on the collector works harder. A
// thousand branches that wait then take 9 MB instead of 14 (measured), and a
// script that calls functions in a loop is not slowed down.
const crowd = 100

// Run runs a program; see process.Host.
func (e *engine) Run(ctx context.Context, c *process.Command) (process.Status, error) {
	if e.under.Add(1) == crowd {
		debug.SetGCPercent(25)
		forgetProgram()
	}
	status, err := e.Host.Run(ctx, c)
	if e.under.Add(-1) == crowd-1 {
		debug.SetGCPercent(100)
	}
	return status, err
}

// much is how much memory of its own the shell may keep while it waits, in bytes. To
// give back what is not needed takes 250 kB itself, once (measured), so that a
// shell that has little would have more.
const much = 1500 << 10

// keeper has the guardian hold a descriptor, too; see interp.Config.
func keeper(host *process.Host) func(fd int) (release func()) {
	return func(fd int) func() {
		host.Hold(fd)
		return func() { host.Release(fd) }
	}
}

// Rest gives back the memory that is not needed before a long wait.
func (e *engine) Rest() {
	e.Host.Rest()
	if ownMemory() > much {
		debug.FreeOSMemory()
	}
	forgetProgram()
}

// forgetProgram lets go of the pages of the program's file that are in memory, 4.4 MB
// after its start and of no use to who waits. The quarter that is needed again comes from the
// kernel's cache of the file, in tens of microseconds.
func forgetProgram() {
	maps, err := readScript("/proc/self/maps")
	if err != nil {
		return
	}
	for line := range strings.Lines(maps) {
		fields := strings.Fields(line)
		if len(fields) != 6 || fields[1] != "r-xp" && fields[1] != "r--p" || !strings.HasPrefix(fields[5], "/") {
			continue
		}
		low, high, _ := strings.Cut(fields[0], "-")
		begin, err1 := strconv.ParseUint(low, 16, 64)
		end, err2 := strconv.ParseUint(high, 16, 64)
		if err1 == nil && err2 == nil {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(begin), uintptr(end-begin), unix.MADV_DONTNEED)
		}
	}
}

// ownMemory is how many bytes of memory this process shares with no file. It asks the
// kernel, since runtime.ReadMemStats takes 300 kB to answer (measured).
func ownMemory() int {
	text, err := readScript("/proc/self/statm")
	fields := strings.Fields(text)
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.Atoi(fields[1])
	shared, _ := strconv.Atoi(fields[2])
	return (resident - shared) * os.Getpagesize()
}
