//go:build amd64 || arm64 || riscv64

package main

import (
	"runtime/debug"
	"syscall"
)

// statusCrashed is the status if the shell itself runs out of memory or threads, or has a
// fault: EX_SOFTWARE of sysexits.h. The runtime would end with 2, as for a script that did not run.
//
//lint:ignore U1000 the handlers use it, in assembler
const statusCrashed = 70

// onStack runs a handler on the stack for signals, as the runtime's own; restored says that
// the structure holds a restorer, without which amd64 calls no handler.
const onStack, restored = 0x08000000, 0x04000000

// endCrashes makes the runtime end the shell with statusCrashed when it cannot go on. It
// cannot be told a status, but to raise SIGABRT, and the kernel to call a handler that ends at once.
func endCrashes() {
	debug.SetTraceback("crash")
	react(syscall.SIGABRT, &action{handler: crashed(), flags: onStack | restored})
}

// crashed is the address of a handler that ends the process with statusCrashed. It is no
// function of Go: in a signal there is neither a goroutine nor a heap to count on.
func crashed() uintptr
