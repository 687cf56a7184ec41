package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// roomNeeded is the least number of descriptors with which more than a plain script is run. The runtime ends the
// program where it finds no descriptor for its poller, which most ways to open a file use.
const roomNeeded = 8

// findRoom reports an error unless so many files can be opened.
func findRoom() error {
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = unix.Close(fd)
		}
	}()
	for len(opened) < roomNeeded {
		fd, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("only %d more files can be opened, and this needs %d: %w; raise the limit (ulimit -n)",
				len(opened), roomNeeded, err)
		}
		opened = append(opened, fd)
	}
	return nil
}

// memoryNeeded is the least address space, beyond what the runtime has reserved, with which anything is run: without
// any the runtime ends the program, with all that it knows about itself.
const memoryNeeded = 64 << 20

// findMemory reports an error unless there is so much, where it is limited.
func findMemory() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return nil
	}
	text, _ := readScript("/proc/self/statm")
	pages, _, _ := strings.Cut(text, " ")
	used, err := strconv.ParseUint(pages, 10, 64)
	if used *= uint64(os.Getpagesize()); err != nil || limit.Cur >= used+memoryNeeded {
		return nil
	}
	return fmt.Errorf("the address space is limited to %d MB, and this needs %d: raise the limit (ulimit -v)",
		limit.Cur>>20, (used+memoryNeeded)>>20)
}

// needsRoom reports whether the options ask for more than a script, which does without the poller.
func (o *options) needsRoom() bool {
	prompts := o.text == nil && len(o.args) == 0
	journals := o.journal.name != "" || o.journal.list || o.journal.goesOn
	return prompts || journals || o.resources || o.report != "" || o.trace != ""
}
