package journal

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Read reads a journal without its lock; somebody may be writing to it. Nothing is changed, and
// what is torn is left out. The errors are those of [Open], or os.ErrNotExist; with a
// *ForeignError because of another machine there is an Image nevertheless.
func Read(path string, config Config) (*Image, error) {
	config = config.withDefaults()
	folder, err := openFolder(config.FS, path, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	var r *recovered
	for range 5 { // its writer may remove a long value, or the file, between one look and the other
		r, err = config.readFile(path)
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return r.image, r.checkMachine(config)
}

func (c Config) readFile(path string) (*recovered, error) {
	known, err := c.OnDisk(FileID{})
	if err != nil {
		return nil, err
	}
	file, err := openOwn(c.FS, path, unix.O_RDONLY)
	if err != nil {
		return nil, orGone(err, path, known)
	}
	defer func() { _ = file.Close() }()
	text, err := readAll(file)
	if err != nil {
		return nil, failureOf(path, "read", err)
	}
	r, err := recoverText(path, text, known, c.unchained)
	if err != nil {
		return nil, err
	}
	return r, r.readValues(c.FS)
}

// Holder says whether somebody has a journal open, and which living process; 0: that is dead, and
// its guardian is still ending what it left.
func Holder(path string, config Config) (pid int, held bool) {
	return config.withDefaults().FS.Holder(path + lockSuffix)
}

// mayRestart asks Before about a journal as far as that can be read.
func (c Config) mayRestart(path string, lock *os.File, file File) error {
	id, err := lockID(lock)
	if err != nil {
		return failureOf(path, "locked", err)
	}
	text, err := readAll(file)
	if err != nil {
		return failureOf(path, "read", err)
	}
	r, _ := recoverText(path, text, 0, c.unchained) // Restart is for those that are corrupt, too
	return c.Before(r.image, id)
}

// Restart puts a journal aside as NAME.old, instead of the one that is there, so that Open makes a
// new one. It may be corrupt. Without a journal nothing is done.
func Restart(path string, config Config) error {
	config = config.withDefaults()
	folder, err := openFolder(config.FS, path, true)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	lock, release, err := takeLock(config.FS, path)
	if err != nil {
		return err
	}
	defer release()
	file, err := openOwn(config.FS, path, unix.O_RDONLY)
	if err == unix.ENOENT {
		return nil
	}
	if err != nil {
		return err
	}
	err = config.mayRestart(path, lock, file)
	_ = file.Close()
	if err != nil {
		return err
	}
	if err := config.putAside(path, folder); err != nil {
		return failureOf(path, "put aside", err)
	}
	return folder.Sync()
}

// putAside renames a journal, its values first: without them it would be corrupt, and with
// Restart that can be gone on from. What an unfinished Restart has put aside has no NAME.old yet.
func (c Config) putAside(path string, folder File) error {
	old := path + oldSuffix
	if err := c.removeOld(old, folder); err != nil {
		return err
	}
	names, err := c.FS.List(valueFolder(path))
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	if len(names) > 0 {
		if err := c.FS.Mkdir(valueFolder(old)); err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
		for _, name := range names {
			if err := c.FS.Rename(filepath.Join(valueFolder(path), name), filepath.Join(valueFolder(old), name)); err != nil {
				return err
			}
		}
		if err := syncFolder(c.FS, valueFolder(old)); err != nil {
			return err
		}
	}
	return c.FS.Rename(path, old)
}

// removeOld removes what an earlier Restart put aside.
func (c Config) removeOld(old string, folder File) error {
	file, err := c.FS.Open(old, unix.O_RDONLY)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err == nil {
		_ = file.Close()
	}
	names, _ := c.FS.List(valueFolder(old))
	for _, name := range names {
		_ = c.FS.Unlink(filepath.Join(valueFolder(old), name))
	}
	if err := c.FS.Unlink(old); err != nil {
		return err
	}
	return folder.Sync()
}
