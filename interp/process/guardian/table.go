package guardian

import (
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// table is memory that the shell shares with its guardian once there is one, in a file without a name: its first row
// says how many of the others were ever used, and when the guardian wakes by itself; each other has a command.
type table struct {
	file   int
	memory []byte // nil: it is not shared
	rows   []row

	free []int // places that were used; of the shell
}

// row is a command. The other side may look, or write, at any moment: what a number stands for is written before it.
type row struct {
	number atomic.Uint64 // 0: there is none. Of the first row: how many of the others were used
	pid    atomic.Uint64 // 0: not known yet
	// when it is to be ended, by the kernel's time since boot; 0: never. Of the first: when the guardian wakes
	until atomic.Int64
	ended atomic.Uint64 // the number of the command here that the guardian has ended
}

const (
	rowSize  = int(unsafe.Sizeof(row{}))
	mostRows = 8192
)

// newTable makes one that is not shared yet.
func newTable() *table {
	t := &table{rows: make([]row, mostRows)}
	t.rows[0].until.Store(int64(backoff.Never))
	return t
}

// share moves what a table has to a file, if it is in none. Where the size of files is limited (to exceed that is a
// deadly signal) it is as large as it may be; the rest of its last page is there, too.
func (t *table) share() error {
	if t.memory != nil {
		return nil
	}
	size := uint64(mostRows * rowSize)
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil {
		size = min(size, limit.Cur)
	}
	fd, err := unix.MemfdCreate(Title, unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	_ = unix.Ftruncate(fd, int64(size)) // what it has is found out now
	shared, err := openTable(fd)
	if err != nil {
		unix.Close(fd)
		return err
	}
	used := t.rows[:t.rows[0].number.Load()+1]
	if copy(shared.rows, used) < len(used) {
		shared.close()
		return unix.ENOSPC
	}
	t.file, t.memory, t.rows = fd, shared.memory, shared.rows
	return nil
}

// openTable maps the table that a file holds.
func openTable(fd int) (*table, error) {
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return nil, err
	}
	page := int64(os.Getpagesize())
	size := int((info.Size + page - 1) / page * page)
	memory, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err // also if it is empty
	}
	return &table{file: fd, memory: memory, rows: unsafe.Slice((*row)(unsafe.Pointer(&memory[0])), size/rowSize)}, nil
}

// close gives the memory back.
func (t *table) close() {
	if t != nil && t.memory != nil {
		unix.Munmap(t.memory)
		unix.Close(t.file)
	}
}

// enterCommand notes a command and returns its place.
func (t *table) enterCommand(number uint64, until time.Duration) (place int, err error) {
	used := int(t.rows[0].number.Load())
	if n := len(t.free); n > 0 {
		place, t.free = t.free[n-1], t.free[:n-1]
	} else if place = used + 1; place == len(t.rows) {
		return 0, unix.ENOSPC
	}
	r := &t.rows[place]
	r.pid.Store(0)
	r.until.Store(int64(until))
	r.ended.Store(0)
	r.number.Store(number)
	t.rows[0].number.Store(uint64(max(used, place)))
	return place, nil
}

// leaveCommand takes a command out.
func (t *table) leaveCommand(place int) {
	t.rows[place].number.Store(0)
	t.free = append(t.free, place)
}

func (t *table) isEmpty() bool { return t == nil || len(t.free) == int(t.rows[0].number.Load()) }

// wakeTime is when the guardian looks at the table by itself.
func (t *table) wakeTime() time.Duration { return time.Duration(t.rows[0].until.Load()) }

// Command is a command that is under way.
type Command struct {
	Number uint64
	PID    int           // 0: not known
	Until  time.Duration // by the kernel's time since boot; 0: no limit
}

// each calls f for each command under way. It goes past one that is just changing.
func (t *table) each(f func(*row, Command)) {
	for place := 1; place <= int(t.rows[0].number.Load()); place++ {
		r := &t.rows[place]
		c := Command{r.number.Load(), int(r.pid.Load()), time.Duration(r.until.Load())}
		if c.Number != 0 && c.Number == r.number.Load() {
			f(r, c)
		}
	}
}
