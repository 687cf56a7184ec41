package memory

import (
	"bytes"

	"golang.org/x/sys/unix"

	"ftsh/interp/journal"
)

// file is an open file or folder.
type file struct {
	fs   *FS
	node *node
	path string
}

func (f *file) ReadAt(p []byte, at int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if at >= int64(len(f.node.data)) {
		return 0, nil
	}
	return copy(p, f.node.data[at:]), nil
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	n, err := f.fs.askFault("write", f.path, len(p))
	if n > 0 {
		f.node.data = append(f.node.data, make([]byte, max(0, int(at)+n-len(f.node.data)))...)
		copy(f.node.data[at:], p[:n])
		f.node.markDirty(int(at), int(at)+n)
	}
	return n, err
}

func (f *file) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	_, err := f.fs.askFault("truncate", f.path, 0)
	if err == nil {
		f.node.data = f.node.data[:min(int(size), len(f.node.data))]
	}
	return err
}

func (f *file) Reserve(at, length int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	_, err := f.fs.askFault("reserve", f.path, int(length))
	return err
}

func (f *file) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	_, err := f.fs.askFault("sync", f.path, 0)
	if f.node.mode&unix.S_IFMT != unix.S_IFDIR {
		f.node.syncSectors(err == nil)
		return err
	}
	for name := range f.fs.past {
		if err == nil && isNameIn(f.path, name) {
			delete(f.fs.past, name)
		}
	}
	return err
}

func (f *file) Stat() (journal.Info, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return f.fs.infoOf(f.node), nil
}

func (f *file) Close() error { return nil }

const sector = 512

// sectorOf gives the sector that begins there, as far as there is one.
func sectorOf(data []byte, at int) []byte {
	if at >= len(data) {
		return nil
	}
	return data[at:min(at+sector, len(data))]
}

// markDirty notes that bytes were written, though they may be what they were.
func (n *node) markDirty(from, to int) {
	for at := from / sector * sector; at < to && at < len(n.clean); at += sector {
		if inner := sectorOf(n.clean, at); len(inner) > 0 {
			inner[0] = ^sectorOf(n.data, at)[0]
		}
	}
}

// syncSectors writes the sectors that were changed, or fails to.
func (n *node) syncSectors(whole bool) {
	if whole {
		n.disk = append(n.disk, make([]byte, max(0, len(n.data)-len(n.disk)))...)[:len(n.data)]
	}
	known := len(n.clean)
	n.clean = append(n.clean, make([]byte, max(0, len(n.data)-known))...)[:len(n.data)]
	for at := 0; at < len(n.data); at += sector {
		now, clean := sectorOf(n.data, at), sectorOf(n.clean, at)
		if at+len(now) <= known && bytes.Equal(now, clean) {
			continue
		}
		copy(clean, now)
		if whole {
			copy(n.disk[at:], now)
		}
	}
}
