package memory

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
)

// FS is such a file system, empty but for its root. Safe for concurrent use.
type FS struct {
	// Fault is called before whatever changes something, with "write", "sync", "rename", "unlink",
	// "truncate", "reserve", "create" or "mkdir" and the path, and for a write with its length. With
	// an error that is not done, but for so many bytes of a write. It must not use the FS.
	Fault func(op, path string, length int) (done int, err error)
	// UID is the owner of all files.
	UID int

	mu     sync.Mutex
	dice   *rand.Rand
	names  map[string]*node
	past   map[string][]*node // what a name has stood for since its folder was synced, that then included
	locked map[string]bool
	made   uint64 // how many files there were
}

// node is a file or folder.
type node struct {
	id    journal.FileID
	mode  uint32
	data  []byte // as programs see it
	clean []byte // as it was when last synced, or when that failed
	disk  []byte
}

// New makes a file system, which takes its decisions by dice.
func New(dice *rand.Rand) *FS {
	return &FS{
		UID: os.Geteuid(), dice: dice, locked: map[string]bool{}, past: map[string][]*node{},
		names: map[string]*node{"/": {mode: unix.S_IFDIR | 0o700}},
	}
}

// askFault asks Fault.
func (s *FS) askFault(op, path string, length int) (int, error) {
	if s.Fault == nil {
		return length, nil
	}
	return s.Fault(op, path, length)
}

// Open is that of a [journal.FS].
func (s *FS) Open(path string, flag int) (journal.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.names[path]
	switch {
	case n == nil && flag&unix.O_CREAT == 0, n == nil && s.names[filepath.Dir(path)] == nil:
		return nil, unix.ENOENT
	case n == nil:
		if _, err := s.askFault("create", path, 0); err != nil {
			return nil, err
		}
		n = s.newNode(unix.S_IFREG | 0o600)
		s.setName(path, n)
	case flag&unix.O_EXCL != 0:
		return nil, unix.EEXIST
	case n.mode&unix.S_IFMT == unix.S_IFLNK:
		return nil, unix.ELOOP
	case flag&unix.O_DIRECTORY != 0 && n.mode&unix.S_IFMT != unix.S_IFDIR:
		return nil, unix.ENOTDIR
	}
	if flag&unix.O_TRUNC != 0 {
		n.data = nil
	}
	return &file{s, n, path}, nil
}

// newNode makes a file.
func (s *FS) newNode(mode uint32) *node {
	s.made++
	return &node{id: journal.FileID{Inode: s.made}, mode: mode}
}

// setName has a path stand for a file, or for none.
func (s *FS) setName(path string, n *node) {
	if len(s.past[path]) == 0 {
		s.past[path] = []*node{s.names[path]}
	}
	s.past[path] = append(s.past[path], n)
	if n == nil {
		delete(s.names, path)
	} else {
		s.names[path] = n
	}
}

// Mkdir is that of a [journal.FS].
func (s *FS) Mkdir(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.names[path] != nil:
		return unix.EEXIST
	case s.names[filepath.Dir(path)] == nil:
		return unix.ENOENT
	}
	_, err := s.askFault("mkdir", path, 0)
	if err == nil {
		s.setName(path, s.newNode(unix.S_IFDIR|0o700))
	}
	return err
}

// Rename is that of a [journal.FS], of files.
func (s *FS) Rename(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.names[from]
	if n == nil {
		return unix.ENOENT
	}
	_, err := s.askFault("rename", to, 0)
	if err == nil {
		s.setName(to, n)
		s.setName(from, nil)
	}
	return err
}

// Unlink is that of a [journal.FS].
func (s *FS) Unlink(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[path] == nil {
		return unix.ENOENT
	}
	_, err := s.askFault("unlink", path, 0)
	if err == nil {
		s.setName(path, nil)
	}
	return err
}

// List is that of a [journal.FS].
func (s *FS) List(path string) (names []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[path] == nil {
		return nil, unix.ENOENT
	}
	for name := range s.names {
		if name != path && filepath.Dir(name) == path {
			names = append(names, filepath.Base(name))
		}
	}
	return names, nil
}

// Lstat is that of a [journal.FS].
func (s *FS) Lstat(path string) (journal.Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.names[path]
	if n == nil {
		return journal.Info{}, unix.ENOENT
	}
	return s.infoOf(n), nil
}

func (s *FS) infoOf(n *node) journal.Info {
	return journal.Info{ID: n.id, Size: int64(len(n.data)), Mode: n.mode, UID: s.UID}
}

// SyncAll is that of a [journal.FS]; nothing needs it here.
func (s *FS) SyncAll() {}

// Lock is that of a [journal.FS]; there is no descriptor.
func (s *FS) Lock(path string) (*os.File, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked[path] {
		return nil, nil, &journal.BusyError{PID: os.Getpid()}
	}
	s.locked[path] = true
	return nil, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.locked, path)
	}, nil
}

// Holder is that of a [journal.FS].
func (s *FS) Holder(path string) (pid int, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.Getpid(), s.locked[path]
}

// Contents gives a file as programs see it, nil if there is none.
func (s *FS) Contents(path string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.names[path]; n != nil {
		return append([]byte{}, n.data...)
	}
	return nil
}

// Put makes a file of these contents and mode, on disk.
func (s *FS) Put(path string, mode uint32, contents []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.newNode(mode)
	n.data = append([]byte{}, contents...)
	n.syncSectors(true)
	s.names[path] = n
	delete(s.past, path)
}

// isNameIn reports whether a name is right in a folder.
func isNameIn(folder, name string) bool {
	return name != folder && strings.HasPrefix(name, folder) && filepath.Dir(name) == folder
}
