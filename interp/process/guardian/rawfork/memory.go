//go:build amd64

package rawfork

import (
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// span is a range of memory.
type span struct{ low, high uintptr }

// findMemory finds out where this process's arguments stand, and which memory the
// child needs: the program's code, the image, and the first stack with the
// arguments and the environment, which are there to be seen in /proc. It has a
// copy of all where that is not known.
func (c *child) findMemory(m *Image) {
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
	low := address(&m.memory[0])
	c.spans = [4]span{code, {low, low + uintptr(len(m.memory))}, {(a.random - stackRoom) &^ pageMask, ^pageMask}}
	c.trimmed = true
	slices.SortFunc(c.spans[:3], func(a, b span) int { return int(a.low>>12) - int(b.low>>12) })
}

const (
	pageMask  = uintptr(0xfff)
	stackRoom = 64 << 20 // the kernel maps nothing else so near to the first stack
)

// vector holds what we need of what the kernel tells a program when it starts.
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
	if table == 0 {
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
