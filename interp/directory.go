package interp

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"weak"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// A directory is a frame's working directory: not a path, which may lead elsewhere a moment later, but a
// descriptor. The zero value is the process's own directory. All that works with relative names asks At.
//
// A name without a descriptor is that of a simulation, or of a directory that could not be opened:
// whatever is done there fails, and says why.
type directory struct {
	process.Directory
	held *heldDirectory
	lost string // why a continued script cannot go back there; "": it can
}

// heldDirectory is a descriptor that all frames share that stand in the same directory, however many
// branches go there. It is closed with the last of them; the collector closes those of dropped Runners.
type heldDirectory struct {
	id     fileID
	fd     int
	frames int // that stand there; guarded by the table's lock, as closing is
	table  *directories
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

// directories finds the directories that are held.
type directories struct {
	mu   sync.Mutex
	held map[fileID]weak.Pointer[heldDirectory]
}

// share makes another user of a directory, who has to leave it.
func (d directory) share() directory {
	if d.held != nil {
		d.held.table.mu.Lock()
		d.held.frames++
		d.held.table.mu.Unlock()
	}
	return d
}

// leave ends what share or open has begun.
func (d directory) leave() {
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

// open opens a directory, by a name relative to another. The answer is called by that name.
func (t *directories) open(from process.Directory, name string) (directory, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, path := from.At(name)
	id, err := identify(at, path+"/.") // which asks whether one may enter it, too
	if err != nil {
		if _, other := identify(at, path); err == unix.ENOTDIR && other == nil {
			err = errNoDirectory
		}
		return directory{}, err
	}
	h := t.find(id)
	if h == nil {
		fd, err := retryEINTR(func() (int, error) {
			return unix.Openat(at, path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		})
		if err != nil {
			return directory{}, err
		}
		if id, err = identify(fd, ""); err != nil {
			_ = unix.Close(fd)
			return directory{}, err
		}
		h = t.hold(id, fd)
	}
	h.frames++
	return directory{Directory: process.Directory{Name: name, FD: h.fd}, held: h}, nil
}

var errNoDirectory = errors.New("it is not a directory")

// find returns the directory of that identity if it is held.
func (t *directories) find(id fileID) *heldDirectory {
	if id.mount == 0 {
		return nil
	}
	return t.held[id].Value()
}

// hold shares a directory that was just opened, or finds that it is shared already.
func (t *directories) hold(id fileID, fd int) *heldDirectory {
	if h := t.find(id); h != nil { // it has taken the place of another since
		_ = unix.Close(fd)
		return h
	}
	h := &heldDirectory{id: id, fd: fd, table: t}
	h.unused = runtime.AddCleanup(h, func(fd int) { _ = unix.Close(fd) }, fd)
	if t.held == nil {
		t.held = make(map[fileID]weak.Pointer[heldDirectory])
	}
	t.held[id] = weak.Make(h)
	return h
}

// leadsTo reports whether a name leads to the directory now.
func (d directory) leadsTo(name string) bool {
	id, err := identify(unix.AT_FDCWD, name)
	return d.held != nil && err == nil && id == d.held.id
}

// kernelName is the name that the kernel has for the directory; "" if it does not tell.
func (d directory) kernelName() string {
	name := make([]byte, unix.PathMax)
	n, err := unix.Readlink(fmt.Sprintf("/proc/self/fd/%d", d.FD), name)
	if err != nil || n <= 0 || name[0] != '/' {
		return ""
	}
	return string(name[:n])
}

// current is the directory by a name that leads there now, if there is one: its own, or else the kernel's.
func (d directory) current() string {
	if d.held != nil && !d.leadsTo(d.Name) {
		if name := d.kernelName(); d.leadsTo(name) {
			return name
		}
	}
	return d.Name
}

// show is a name for people, from wherever they stand.
func (d directory) show(name string) string {
	if d.Name == "" || filepath.IsAbs(name) {
		return name
	}
	return d.Name + "/" + name
}

// stand has the frame stand in another directory, which it then owns.
func (f *frame) stand(d directory) {
	f.dir.leave()
	f.dir = d
}

// standIn has it stand in the directory of that absolute name. If that is not to be had, whatever is done there fails.
func (f *frame) standIn(name string) {
	d := directory{Directory: process.Directory{Name: name}}
	if f.run.Streams == nil && name != "" {
		if opened, err := f.run.directories.open(process.Directory{}, name); err == nil {
			d = opened
		}
	}
	f.stand(d)
}

// openNext opens the directory that cd is given, from where the frame stands. ".." leads back on the way by which
// it came, as in other shells, unless that leads elsewhere now.
func (f *frame) openNext(dir string) (directory, error) {
	here, target := "", filepath.Clean(dir)
	if !filepath.IsAbs(dir) {
		if f.dir.lost != "" {
			return directory{}, errors.New(f.dir.lost)
		}
		var err error
		if here, err = f.directory(); err != nil {
			return directory{}, err
		}
		target = filepath.Join(here, dir)
	}
	goesUp := strings.Contains("/"+dir+"/", "/../")
	switch {
	case f.run.Streams != nil: // a simulation goes where the real script would
		return directory{Directory: process.Directory{Name: target}}, nil
	case here == "", f.dir.held == nil, goesUp && f.dir.leadsTo(here):
		return f.run.directories.open(process.Directory{}, target)
	}
	d, err := f.run.directories.open(f.dir.Directory, dir)
	if err != nil {
		return d, err
	}
	if d.Name = target; !d.leadsTo(target) {
		if name := d.kernelName(); name != "" {
			d.Name = name
		}
	}
	return d, nil
}
