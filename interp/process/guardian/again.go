package guardian

import (
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// AwaitFlag is the first argument of the program started again as a guardian. The second
// counts the descriptors that it is to hold, and the others are those that follow Flag.
const AwaitFlag = "--await-guardian"

// The descriptors of the program that is started again as a guardian. The third is
// there because Go's runtime would open another in its place. Those to hold follow.
const (
	pipeEnd   = 0
	tableFile = 1
	firstHeld = 3
)

// openFile makes a file in memory, and maps it.
func (g *Guardian) openFile() ([]byte, error) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && limit.Cur < tableSize {
		return nil, unix.EFBIG // to exceed it is a deadly signal
	}
	fd, err := unix.MemfdCreate(Title, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	if err = unix.Ftruncate(fd, tableSize); err == nil {
		var memory []byte
		if memory, err = unix.Mmap(fd, 0, tableSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			g.file, g.memory = fd, memory
			return memory, nil
		}
	}
	unix.Close(fd)
	return nil, err
}

func (g *Guardian) closeFile() {
	unix.Munmap(g.memory)
	unix.Close(g.file)
}

// startAgain starts this program as the guardian. It blocks all signals, as a forked
// one does: they are inherited as they are on this thread.
func (g *Guardian) startAgain(pipe int) (pid int, err error) {
	args := append([]string{Title, AwaitFlag, strconv.Itoa(len(g.held))}, g.Args()...)
	// Else Go's runtime holds descriptors to learn how many processors it may use.
	env := append(unix.Environ(), "GODEBUG=containermaxprocs=0")
	files := []uintptr{pipeEnd: uintptr(pipe), tableFile: uintptr(g.file), firstHeld - 1: uintptr(pipe)}
	for _, fd := range g.held {
		files = append(files, uintptr(fd))
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return 0, err
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	return syscall.ForkExec("/proc/self/exe", args, &syscall.ProcAttr{
		Dir: "/", Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

// Await waits in a program that was started again as a guardian, and is told to hold so
// many descriptors, until the shell has died. It returns the rows of the shell's table.
func Await(held string) (rows string, err error) {
	n, err := strconv.Atoi(held)
	if err != nil {
		return "", err
	}
	CloseRange(firstHeld+n, LastDescriptor) // what the shell has inherited
	var b [1]byte
	for {
		if _, err := unix.Read(pipeEnd, b[:]); err != unix.EINTR {
			break
		}
	}
	memory, err := unix.Mmap(tableFile, 0, tableSize, unix.PROT_READ, unix.MAP_SHARED)
	return string(memory[min(countSize, len(memory)):]), err
}

// LastDescriptor is higher than any descriptor.
const LastDescriptor = 1<<31 - 1

// CloseRange closes the descriptors from first to last, if any; before Linux 5.9 one by one, as far as
// there usually are any.
func CloseRange(first, last int) {
	const usual = 1 << 16
	if first > last || unix.CloseRange(uint(first), uint(last), 0) == nil {
		return
	}
	for fd := first; fd <= min(last, usual); fd++ {
		unix.Close(fd)
	}
}
