package journal

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Read reads a journal without its lock; somebody may be writing to it. Nothing is changed, and
// what is torn is left out. The errors are those of [Open], or os.ErrNotExist; with a
// *ForeignError because of another machine there is an Image nevertheless.
func Read(path string, config Config) (*Image, error) {
	config = config.filled()
	folder, err := openFolder(config.FS, path, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	var r *recovered
	for range 5 { // who writes may remove a long value, or the file, between one look and the other
		r, err = config.read(path)
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return r.image, r.foreign(config)
}

func (c Config) read(path string) (*recovered, error) {
	file, err := openOwn(c.FS, path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := readAll(file)
	if err != nil {
		return nil, failure(path, "read", err)
	}
	r, err := recoverText(path, text, c.unchained)
	if err != nil {
		return nil, err
	}
	return r, r.values(c.FS)
}

// Holder says whether somebody has a journal open, and which living process; 0: that is dead, and
// its guardian is still ending what it left.
func Holder(path string, config Config) (pid int, held bool) {
	return config.filled().FS.Holder(path + lockSuffix)
}

// Restart puts a journal aside as NAME.old, instead of the one that is there, so that Open makes a
// new one. It is not read, so it may be corrupt. Without a journal nothing is done.
func Restart(path string, config Config) error {
	config = config.filled()
	folder, err := openFolder(config.FS, path, true)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	_, release, err := takeLock(config.FS, path)
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
	_ = file.Close()
	if err := config.putAside(path); err != nil {
		return failure(path, "put aside", err)
	}
	return folder.Sync()
}

// putAside renames a journal, its values first: without them it would be corrupt, and with
// Restart that can be gone on from.
func (c Config) putAside(path string) error {
	names, err := c.FS.List(valueFolder(path))
	if err == nil {
		old, _ := c.FS.List(valueFolder(path + oldSuffix))
		for _, name := range old {
			_ = c.FS.Unlink(valueFolder(path+oldSuffix) + "/" + name)
		}
		if err = c.FS.Mkdir(valueFolder(path + oldSuffix)); errors.Is(err, unix.EEXIST) {
			err = nil
		}
	}
	for _, name := range names {
		if err == nil {
			err = c.FS.Rename(valueFolder(path)+"/"+name, valueFolder(path+oldSuffix)+"/"+name)
		}
	}
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	return c.FS.Rename(path, path+oldSuffix)
}
