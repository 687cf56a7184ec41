package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"weak"

	"golang.org/x/sys/unix"
)

// A Directory is a frame's working directory: not a path, which may lead elsewhere a moment later, but a
// descriptor. The zero value is the process's own directory. All that works with relative names asks At.
//
// A name without a descriptor is that of a simulation, or of a directory that could not be opened:
// whatever is done there fails, and says why.
type Directory struct {
	Name    string // for people; where there is no descriptor, the directory is entered by it
	FD      int    // an open descriptor of it, so that nobody can put another in its place; 0: none
	held    *heldDirectory
	Lost    string // why a continued script cannot go back there; "": it can
	OnStart bool   // a group  on start  went there, and does so again in each run, perhaps to another of that name
}

// At gives a name as the system calls that end in "at" want it.
func (d Directory) At(name string) (dirFD int, relative string) {
	switch {
	case d.FD != 0:
		return d.FD, name
	case d.Name != "" && !strings.HasPrefix(name, "/"):
		return unix.AT_FDCWD, d.Name + "/" + name
	}
	return unix.AT_FDCWD, name
}

// heldDirectory is a descriptor that all frames share that stand in the same directory, however many
// branches go there. It is closed with the last of them; the collector closes those of dropped Runners.
type heldDirectory struct {
	id     fileID
	fd     int
	frames int // that stand there; guarded by the table's lock, as closing is
	table  *Table
	unused runtime.Cleanup
}

// fileID tells files apart as long as one of them is open.
type fileID struct {
	device, inode uint64
	mount         uint64 // a file may be mounted twice, once read-only; 0: the kernel does not tell
}

// identify finds out what is at a path, relative to a directory.
func identify(at int, path string) (id fileID, err error) {
	var info unix.Statx_t
	if err := unix.Statx(at, path, unix.AT_EMPTY_PATH, unix.STATX_INO|unix.STATX_MNT_ID, &info); err == nil {
		id = fileID{device: unix.Mkdev(info.Dev_major, info.Dev_minor), inode: info.Ino}
		if info.Mask&unix.STATX_MNT_ID != 0 {
			id.mount = info.Mnt_id
		}
		return id, nil
	} else if err != unix.ENOSYS && err != unix.EPERM { // before Linux 4.11, or forbidden
		return id, err
	}
	var old unix.Stat_t
	err = unix.Fstatat(at, path, &old, unix.AT_EMPTY_PATH)
	return fileID{device: uint64(old.Dev), inode: old.Ino}, err
}

// A Table finds the directories that are held.
type Table struct {
	// Not held during calls of the system that could hang, as in a file system whose server is gone: all that share or
	// leave a directory would hang, too.
	mu   sync.Mutex
	held map[fileID]weak.Pointer[heldDirectory]

	// Those that somebody opens, until that channel is closed: of a thousand branches that go to the same one does.
	opening map[fileID]chan struct{}
}

// Share makes another user of a directory, who has to leave it.
func (d Directory) Share() Directory {
	if d.held != nil {
		d.held.table.mu.Lock()
		d.held.frames++
		d.held.table.mu.Unlock()
	}
	return d
}

// Leave ends what share or open has begun.
func (d Directory) Leave() {
	h := d.held
	if h == nil {
		return
	}
	h.table.mu.Lock()
	defer h.table.mu.Unlock()
	if h.frames--; h.frames == 0 {
		delete(h.table.held, h.id)
		h.unused.Stop()
		_ = unix.Close(h.fd)
	}
}

// Open opens a directory, by a name relative to another. The answer is called by that name.
func (t *Table) Open(from Directory, name string) (Directory, error) {
	at, path := from.At(name)
	id, err := identify(at, path+"/.") // which asks whether one may enter it, too
	if err != nil {
		if _, other := identify(at, path); err == unix.ENOTDIR && other == nil {
			err = errNoDirectory
		}
		return Directory{}, err
	}
	h := t.find(id, at, path)
	if h == nil {
		if h, err = t.openAnother(id, at, path); err != nil {
			return Directory{}, err
		}
	}
	return Directory{Name: name, FD: h.fd, held: h}, nil
}

var errNoDirectory = errors.New("it is not a directory")

// openAnother opens a directory that was not held a moment ago.
func (t *Table) openAnother(id fileID, at int, path string) (*heldDirectory, error) {
	defer t.beginOpening(id)()
	if h := t.find(id, at, path); h != nil {
		return h, nil
	}
	fd, err := RetryEINTR(func() (int, error) {
		return unix.Openat(at, path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	if id, err = identify(fd, ""); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return t.hold(id, fd), nil
}

// beginOpening waits until nobody else opens a directory of that identity. The caller does so, and calls end.
func (t *Table) beginOpening(id fileID) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for other := t.opening[id]; other != nil; other = t.opening[id] {
		t.mu.Unlock()
		<-other
		t.mu.Lock()
	}
	if t.opening == nil {
		t.opening = make(map[fileID]chan struct{})
	}
	opened := make(chan struct{})
	t.opening[id] = opened
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.opening, id)
		close(opened)
	}
}

// find returns the directory of that identity, with one more user, if it is held and the path leads there: one that
// was removed since may have left its number to another.
func (t *Table) find(id fileID, at int, path string) *heldDirectory {
	t.mu.Lock()
	h := t.findLocked(id)
	t.mu.Unlock()
	if h == nil {
		return nil
	}
	if now, err := identify(at, path); err != nil || now != id {
		Directory{held: h}.Leave()
		return nil
	}
	return h
}

func (t *Table) findLocked(id fileID) *heldDirectory {
	if id.mount == 0 {
		return nil
	}
	h := t.held[id].Value()
	if h != nil {
		h.frames++
	}
	return h
}

// hold shares a directory that was just opened, or finds that it is shared already.
func (t *Table) hold(id fileID, fd int) *heldDirectory {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.findLocked(id); h != nil { // it has taken the place of another since
		_ = unix.Close(fd)
		return h
	}
	h := &heldDirectory{id: id, fd: fd, frames: 1, table: t}
	h.unused = runtime.AddCleanup(h, func(fd int) { _ = unix.Close(fd) }, fd)
	if t.held == nil {
		t.held = make(map[fileID]weak.Pointer[heldDirectory])
	}
	t.held[id] = weak.Make(h)
	return h
}

// Identity tells directories apart while they are open; false: it is not held.
func (d Directory) Identity() (device, inode uint64, held bool) {
	if d.held == nil {
		return 0, 0, false
	}
	return d.held.id.device, d.held.id.inode, true
}

// LeadsTo reports whether a name leads to the directory now.
func (d Directory) LeadsTo(name string) bool {
	id, err := identify(unix.AT_FDCWD, name)
	return d.held != nil && err == nil && id == d.held.id
}

// KernelName is the name that the kernel has for the directory; "" if it does not tell, or it is not open.
func (d Directory) KernelName() string {
	if d.FD == 0 {
		return ""
	}
	name := make([]byte, unix.PathMax)
	n, err := unix.Readlink(fmt.Sprintf("/proc/self/fd/%d", d.FD), name)
	if err != nil || n <= 0 || name[0] != '/' {
		return ""
	}
	return string(name[:n])
}

// Current is the directory by a name that leads there now, if there is one: its own, or else the kernel's.
func (d Directory) Current() string {
	if d.held != nil && !d.LeadsTo(d.Name) {
		if name := d.KernelName(); d.LeadsTo(name) {
			return name
		}
	}
	return d.Name
}

// From is a name in the directory as it is found from elsewhere.
func (d Directory) From(name string) string {
	if d.Name == "" || filepath.IsAbs(name) {
		return name
	}
	return d.Name + "/" + name
}
