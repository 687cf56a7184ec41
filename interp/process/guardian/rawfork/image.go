//go:build amd64

package rawfork

import (
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported says whether this program can fork such a child.
const Supported = true

// Image is the program that the child executes in the end, in memory that it shares with this
// process: addresses of what execve wants.
type Image struct {
	memory                    []byte
	active                    uintptr // of a word: zero says that there is nothing to execute for
	program, args, envs, root uintptr
	title                     uintptr // what the child is called until then: the first argument
	titleLength               uintptr
}

const wordSize = 8

// Layout maps memory that is shared with children: for an image that executes this
// program with these arguments, and as many bytes as are asked for, which become its
// last argument, as far as there is text in them. The first word of these is followed
// by the text: as long as it is zero the child has nothing to do in the end.
func Layout(args, envs []string, shared int) (*Image, []byte, error) {
	room := (len(args)+len(envs)+8)*wordSize + 64
	for _, list := range [][]string{args, envs} {
		for _, s := range list {
			room += len(s) + 1
		}
	}
	page := os.Getpagesize()
	front := (room + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, front+shared, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	m := &Image{memory: memory, active: address(&memory[front]), titleLength: uintptr(len(args[0]))}
	m.write(args, envs, address(&memory[front+wordSize]))
	return m, memory[front:], nil
}

// Free gives the memory back.
func (m *Image) Free() { unix.Munmap(m.memory) }

func address(b *byte) uintptr { return uintptr(unsafe.Pointer(b)) }

// write lays out what execve wants: lists of addresses that end with zero, and
// strings that end with NUL.
func (m *Image) write(args, envs []string, last uintptr) {
	next := (len(args) + len(envs) + 3) * wordSize
	text := func(s string) uintptr {
		at := address(&m.memory[next])
		next += copy(m.memory[next:], s) + 1
		return at
	}
	words := unsafe.Slice((*uintptr)(unsafe.Pointer(&m.memory[0])), len(args)+len(envs)+3)
	for i, s := range args {
		words[i] = text(s)
	}
	words[len(args)] = last
	environ := words[len(args)+2:]
	for i, s := range envs {
		environ[i] = text(s)
	}
	m.args, m.envs, m.title = address(&m.memory[0]), uintptr(unsafe.Pointer(&environ[0])), words[0]
	m.program, m.root = text("/proc/self/exe"), text("/")
}

// Fork forks a child that waits for the end of a pipe, whose reading end that is. It
// holds that, and as many of the other descriptors as there is room for. No signal
// announces its death, so that waiting for any child does not see it.
func (m *Image) Fork(pipe int, held []int) (pid int, err error) {
	c := &child{
		pipe: uintptr(pipe), active: m.active, program: m.program, args: m.args, envs: m.envs, root: m.root,
		title: m.title, titleLength: m.titleLength, page: uintptr(os.Getpagesize()),
		retryPause: unix.NsecToTimespec(int64(retryPause)),
	}
	all := append([]int{pipe}, held[:min(len(held), maxHeld-1)]...)
	slices.Sort(all)
	for i, fd := range all {
		c.keep[i] = uintptr(fd)
	}
	c.kept = len(all)
	c.findMemory(m)
	id, errno := c.fork()
	runtime.KeepAlive(m)
	if errno != 0 {
		return 0, errno
	}
	return int(id), nil
}
