package main

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"

	"ftsh/interp/process"
)

// machine runs programs on this machine, and sees to it that the shell takes
// little of its memory meanwhile.
type machine struct {
	*process.Host
	under atomic.Int32 // programs and jobs under way
}

// manyPrograms is from how many programs under way on the collector works harder. A
// thousand branches that wait then take 9 MB instead of 14 (measured), and a
// script that calls functions in a loop is not slowed down.
const manyPrograms = 100

// countProgram is told that a program, or a job, begins, and that it has ended.
func (e *machine) countProgram(begins bool) {
	switch {
	case begins:
		if e.under.Add(1) == manyPrograms {
			debug.SetGCPercent(25)
		}
	case e.under.Add(-1) == manyPrograms-1:
		debug.SetGCPercent(100)
	}
}

// idleMemory limits the memory of its own that the shell keeps while it waits, in bytes. To
// give back what is not needed takes 250 kB itself, once (measured), so that a
// shell that has little would have more.
const idleMemory = 1500 << 10

// Rest gives back the memory that is not needed before a long wait.
func (e *machine) Rest() {
	e.Host.Rest()
	if ownMemory() > idleMemory {
		debug.FreeOSMemory()
	}
}

// ownMemory returns the bytes of memory that this process shares with no file. It asks the
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
