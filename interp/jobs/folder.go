package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// folder is a directory of ours alone. Names in it are relative to path.
type folder string

// makeFolders makes a folder of ours and those above it that are missing, as makeFolder does.
func makeFolders(path string) (folder, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", cannotMake(path, err)
	}
	return makeFolder(path)
}

// makeFolder makes a folder of ours, or takes the one that is there, if nobody else may enter it. What stands above it
// is there, or was removed for good.
func makeFolder(path string) (folder, error) {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", cannotMake(path, err)
	}
	return folder(path), trusted(path, unix.S_IFDIR)
}

func cannotMake(path string, err error) error {
	return fmt.Errorf("the folder of jobs %s cannot be made: %w; FTSH_JOBS names another", path, unwrapped(err))
}

// trusted returns an error unless a file is ours, of that type and closed to others; it follows no link.
func trusted(path string, kind uint32) error {
	var info unix.Stat_t
	if err := unix.Lstat(path, &info); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case info.Mode&unix.S_IFMT != kind:
		return fmt.Errorf("%s is a link, or not of the kind that was wanted; remove it", path)
	case int(info.Uid) != unix.Geteuid():
		return fmt.Errorf("%s belongs to user %d, and this is user %d; FTSH_JOBS names another folder",
			path, info.Uid, unix.Geteuid())
	case info.Mode&0o077 != 0:
		return fmt.Errorf("%s is open to others (mode %04o); chmod go= it", path, info.Mode&0o7777)
	}
	return nil
}

// has reports whether there is something of a name.
func (f folder) has(name string) bool {
	_, err := os.Lstat(f.join(name))
	return err == nil
}

func (f folder) join(name string) string { return filepath.Join(string(f), name) }

// put writes a new file, on disk when it returns if it is to be synced.
func (f folder) put(name string, text []byte, synced bool) error {
	file, err := os.OpenFile(f.join(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err == nil && synced {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// replace writes a file beside its place, and puts it there.
func (f folder) replace(name, beside string, text []byte) error {
	_ = os.Remove(f.join(beside))
	if err := f.put(beside, text, true); err != nil {
		return err
	}
	if err := os.Rename(f.join(beside), f.join(name)); err != nil {
		return err
	}
	f.sync()
	return nil
}

// sync has the names in the folder be on disk.
func (f folder) sync() {
	if dir, err := os.Open(string(f)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
}

// read reads a file of ours. To open the folder first has network file systems look again: a name
// that was missing a moment ago may have been remembered as missing.
func (f folder) read(name string) ([]byte, error) {
	if dir, err := os.Open(string(f)); err == nil {
		_ = dir.Close()
	}
	text, err := os.ReadFile(f.join(name))
	if err != nil {
		return nil, err
	}
	return text, trusted(f.join(name), unix.S_IFREG)
}

// readJSON reads a file of ours that holds one value.
func (f folder) readJSON(name string, into any) error {
	text, err := f.read(name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	return err
}

// asJSON is a value as a file holds it.
func asJSON(value any) []byte {
	text, _ := json.Marshal(value) // these types have no values that it refuses
	return append(text, '\n')
}

// unwrapped is an error without the operation and path that a message says anyway.
func unwrapped(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// plain is a text that can be part of a file's name and of a job's.
func plain(text string, most int) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() == most {
			break
		}
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	return strings.TrimLeft(b.String(), ".-")
}
