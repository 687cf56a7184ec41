// Package rawfork forks this process into a child that is almost nothing: one
// thread that waits for the end of a pipe and then executes a program.
//
// It exists for its price. Measured on two cores, such a child costs 0.13 ms before
// the first command and 0.06 ms in the end, and 30 kB of memory; a second process of
// the program, by fork and exec, takes 0.3 to 0.6 ms, a millisecond of the other
// core, and 620 kB. Where it is not [Supported] its caller has to do that.
//
// # Its dangers
//
// Go does not support fork without exec. The child has one thread, a copy of one
// stack, and neither heap nor runtime: most of the memory is kept from it (see
// shield). So what runs in it, the methods of child from live on,
//
//   - calls nothing but each other and the raw system calls of package syscall;
//   - allocates nothing, takes no lock, stores no pointer into memory (a write
//     barrier would call the garbage collector), touches no global variable;
//   - does not grow its stack (nosplit), and together fits below its frame in a page;
//   - is not preempted and handles no signal: all are blocked from before the fork on,
//     for good;
//   - is not instrumented for the race detector or for checks of pointers.
//
// A test reads the machine code of the child for calls and finds out whether these
// rules were kept.
//
// # What it relies on, and what Go could change
//
//   - syscall.RawSyscall and RawSyscall6 go to the kernel without asking the runtime.
//     The same test fails if they come to call anything else.
//   - Stacks are ordinary memory that is copied by a fork, and a goroutine is not
//     moved to another while it runs functions that are marked nosplit.
//   - The kernel writes to no memory of a Go program behind its back. A C library
//     registers such memory (rseq), so that nothing is given up where there is one;
//     if Go's runtime did so, too, the child would die as soon as it is scheduled:
//     the test that forks one would fail.
//   - Programs are started by a fork that shares memory (CLONE_VM), to which it does
//     not matter what is kept from other forks.
//
// So it is built for the one architecture on which it is tested.
package rawfork
