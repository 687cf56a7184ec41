package process

import (
	"encoding/binary"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ledger is memory that this process shares with its guardian: which commands
// are under way, and the arguments and environment with which the guardian
// executes the shell's program. (It is no file, since one could be limited in
// size, and exceeding that is a deadly signal.)
//
// Commands stand in it as text, sixteen bytes for each, since it is itself the
// last argument. The kernel allows one argument 128 KiB, which makes room for
// 8,191 commands at a time; any more are not guarded.
type ledger struct {
	memory     []byte
	count      *uint64  // of the commands under way
	places     []uint64 // two words each, the number and the process id; then a zero
	vacant     []int    // places that were used
	used       int      // how many places were ever used
	program    uintptr  // addresses of what execve wants
	args, envs uintptr
	title      uintptr // what the guardian is called
	root       uintptr // "/"
}

const placesSize = 128 << 10

// blank stands for no number, and no process id yet.
var blank = binary.NativeEndian.Uint64([]byte("--------"))

// newLedger makes a ledger with nothing in it.
func (h *Host) newLedger() (*ledger, error) {
	args := append([]string{guardianTitle, GuardianFlag}, h.briefing()...)
	envs := syscall.Environ()
	size := (len(args) + len(envs) + 8) * int(wordSize)
	for _, list := range [][]string{args, envs} {
		for _, s := range list {
			size += len(s) + 1
		}
	}
	const page = 4096
	front := (size + 256 + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, front+placesSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	l := &ledger{memory: memory, count: (*uint64)(unsafe.Pointer(&memory[0]))}
	l.places = unsafe.Slice((*uint64)(unsafe.Pointer(&memory[front])), placesSize/8)
	l.write(args, envs, uintptr(unsafe.Pointer(&memory[front])))
	return l, nil
}

// briefing is what [Guard] is told, but for the commands.
func (h *Host) briefing() []string {
	return []string{h.prefix, strconv.FormatInt(int64(h.cfg.KillTimeout), 10),
		strconv.FormatBool(h.cfg.Weak), strconv.FormatBool(h.cfg.Sessions), strconv.FormatUint(uint64(h.born), 10), h.groups.find(h.prefix)}
}

const wordSize = unsafe.Sizeof(uintptr(0))

// write lays out what execve wants: lists of addresses that end with zero, and
// strings that end with NUL. The last argument is the places.
func (l *ledger) write(args, envs []string, places uintptr) {
	next := 8
	words := func(n int) []uintptr {
		list := unsafe.Slice((*uintptr)(unsafe.Pointer(&l.memory[next])), n)
		next += n * int(wordSize)
		return list
	}
	argList, envList := words(len(args)+2), words(len(envs)+1)
	text := func(s string) uintptr {
		at := &l.memory[next]
		next += copy(l.memory[next:], s) + 1
		return uintptr(unsafe.Pointer(at))
	}
	for i, s := range args {
		argList[i] = text(s)
	}
	argList[len(args)] = places
	for i, s := range envs {
		envList[i] = text(s)
	}
	l.args, l.envs = uintptr(unsafe.Pointer(&argList[0])), uintptr(unsafe.Pointer(&envList[0]))
	l.program, l.root, l.title = text("/proc/self/exe"), text("/"), text(guardianTitle)
}

func (l *ledger) free() { unix.Munmap(l.memory) }

// enter notes a command and returns its place, from 1; 0 if there is no room.
func (l *ledger) enter(number uint64) int {
	place := 0
	if n := len(l.vacant); n > 0 {
		place, l.vacant = l.vacant[n-1], l.vacant[:n-1]
	} else if 2*(l.used+1) < len(l.places) {
		l.used++
		place = l.used
	} else {
		return 0
	}
	// In this order, as the guardian may look at any moment; and a word without
	// text would end the argument.
	atomic.StoreUint64(&l.places[2*place-1], blank)
	atomic.StoreUint64(&l.places[2*place-2], word(number))
	atomic.AddUint64(l.count, 1)
	return place
}

// name notes the process id of a command.
func (l *ledger) name(place, pid int) {
	atomic.StoreUint64(&l.places[2*place-1], word(uint64(pid)))
}

// leave strikes a command out.
func (l *ledger) leave(place int) {
	atomic.StoreUint64(&l.places[2*place-2], blank)
	atomic.AddUint64(l.count, ^uint64(0))
	l.vacant = append(l.vacant, place)
}

func (l *ledger) underWay() uint64 { return atomic.LoadUint64(l.count) }

// word is a number in eight bytes of text, to the base 32. Above 2⁴⁰ the first
// digits are lost.
func word(n uint64) uint64 {
	const digits = "0123456789abcdefghijklmnopqrstuv"
	var text [8]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = digits[n%32]
		n /= 32
	}
	return binary.NativeEndian.Uint64(text[:])
}

// entry is a command in a ledger.
type entry struct {
	number uint64
	pid    int // 0: not known
}

// entries reads a ledger's places.
func entries(places string) (list []entry) {
	for ; len(places) >= 16; places = places[16:] {
		number, err := strconv.ParseUint(places[:8], 32, 64)
		if err != nil {
			continue // vacant
		}
		pid, _ := strconv.ParseUint(places[8:16], 32, 32)
		list = append(list, entry{number, int(pid)})
	}
	return list
}
