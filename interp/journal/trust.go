package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// What stands beside a journal.
const (
	lockSuffix = ".lock"
	newSuffix  = ".new"
	oldSuffix  = ".old"
)

// openFolder opens the folder of a journal, and makes it.
func openFolder(fs FS, path string, create bool) (File, error) {
	name := filepath.Dir(path)
	if create {
		if err := makeFolders(fs, name); err != nil {
			return nil, failureOf(path, "made", fmt.Errorf("its folder %s: %w", name, err))
		}
	}
	folder, err := openTrusted(fs, path, name)
	var foreign *ForeignError
	if err != nil && !errors.As(err, &foreign) {
		return nil, failureOf(path, "opened", fmt.Errorf("its folder %s: %w", name, err))
	}
	return folder, err
}

// makeFolders makes a folder and those above it, each on disk by name before the next.
func makeFolders(fs FS, name string) error {
	switch err := fs.Mkdir(name); {
	case err == nil:
		return syncFolder(fs, filepath.Dir(name))
	case errors.Is(err, unix.EEXIST): // perhaps by a shell that died before it had synced the name
		err = syncFolder(fs, filepath.Dir(name))
		if errors.Is(err, unix.EACCES) {
			return nil
		}
		return err
	case !errors.Is(err, unix.ENOENT) || name == filepath.Dir(name):
		if folder, failed := fs.Open(name, unix.O_RDONLY|unix.O_DIRECTORY); failed == nil {
			return folder.Close() // it is there, though it could not be made: a read-only file system says so
		}
		return err
	}
	if err := makeFolders(fs, filepath.Dir(name)); err != nil {
		return err
	}
	if err := fs.Mkdir(name); err != nil && !errors.Is(err, unix.EEXIST) {
		return err // ENOENT again: /proc takes no folder
	}
	return syncFolder(fs, filepath.Dir(name))
}

func syncFolder(fs FS, name string) error {
	folder, err := fs.Open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	return folder.Sync()
}

// trustFolder sees that nobody else can change what is in a folder.
func trustFolder(fs FS, path, name string) error {
	folder, err := openTrusted(fs, path, name)
	if err != nil {
		return err
	}
	return folder.Close()
}

// openTrusted opens a folder that nobody else can change.
func openTrusted(fs FS, path, name string) (File, error) {
	folder, err := fs.Open(name, unix.O_RDONLY|unix.O_DIRECTORY)
	if err == unix.ELOOP || err == unix.ENOTDIR {
		return nil, &ForeignError{path, fmt.Sprintf("%s is a link or no folder; name the folder itself", name)}
	}
	if err != nil {
		return nil, err
	}
	info, err := folder.Stat()
	if err == nil {
		switch mode := info.Mode & 0o7777; {
		case info.UID != os.Geteuid() && info.UID != 0:
			err = &ForeignError{path, fmt.Sprintf("its folder %s belongs to user %d, and this is user %d; "+
				"choose a folder of yours", name, info.UID, os.Geteuid())}
		case mode&0o022 != 0:
			err = &ForeignError{path, fmt.Sprintf("others may write to its folder %s (mode %04o); "+
				"chmod go-w it, or choose another", name, mode)}
		}
	}
	if err != nil {
		_ = folder.Close()
		return nil, err
	}
	return folder, nil
}

// openOwn opens the file of a journal, if it is ours alone. The error is unix.ENOENT if it is not there.
func openOwn(fs FS, path string, flag int) (File, error) {
	file, err := fs.Open(path, flag)
	switch {
	case err == unix.ENOENT:
		return nil, err
	case err == unix.ELOOP:
		return nil, &ForeignError{path, "it is a link; name the file itself"}
	case err == unix.EISDIR || err == unix.ENXIO:
		return nil, &ForeignError{path, "it is not a regular file; name another"}
	case err != nil:
		return nil, failureOf(path, "opened", err)
	}
	info, err := file.Stat()
	if err != nil {
		err = failureOf(path, "read", err)
	} else if reason := whyDistrusted(info); reason != "" {
		err = &ForeignError{path, reason}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// whyDistrusted says why a file is not to be trusted; "" if it is.
func whyDistrusted(info Info) string {
	switch mode := info.Mode & 0o7777; {
	case info.Mode&unix.S_IFMT != unix.S_IFREG:
		return "it is not a regular file; name another"
	case info.UID != os.Geteuid():
		return fmt.Sprintf("it belongs to user %d, and this is user %d; a journal belongs to one user",
			info.UID, os.Geteuid())
	case mode&0o077 != 0:
		return fmt.Sprintf("it is open to others (mode %04o); if nobody can have changed it, chmod 600 it", mode)
	}
	return ""
}

// checkMachine says that a journal is of another machine, if it is. A machine without a name is told
// by its host's.
func (r *recovered) checkMachine(c Config) error {
	known, ours := r.image.machine, c.Machine
	if known == "" && ours == "" {
		known, ours = r.image.host, c.Host
	}
	if known == ours {
		return nil
	}
	return &ForeignError{r.path, fmt.Sprintf("it is of another machine, host %q, and this is host %q; "+
		"go on there, or begin anew with --restart", r.image.host, c.Host)}
}

// takeLock takes the lock of a journal.
func takeLock(fs FS, path string) (*os.File, func(), error) {
	held, release, err := fs.Lock(path + lockSuffix)
	var busy *BusyError
	switch {
	case err == nil:
		return held, release, nil
	case errors.As(err, &busy):
		return nil, nil, &BusyError{Path: path, PID: busy.PID}
	case err == unix.ELOOP:
		return nil, nil, &ForeignError{path, fmt.Sprintf("%s is a link; remove it", path+lockSuffix)}
	}
	return nil, nil, failureOf(path, "locked", err)
}

// machineID names this machine; "" if nothing does.
func machineID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if text, err := readValue(machine{}, path); err == nil {
			if id := bytes.TrimSpace(text); len(id) > 0 {
				return string(id)
			}
		}
	}
	return ""
}

// warnOfMemory warns of a journal that goes with the machine's power.
func (j *Journal) warnOfMemory() {
	if info, err := j.folder.Stat(); err == nil && info.InMemory {
		j.config.Warn(fmt.Sprintf("the journal %s lies on a file system in memory: it does not outlast a reboot", j.path))
	}
}

// tornWarning says what is dropped.
func tornWarning(path string, r *recovered, size int64) string {
	lines := fmt.Sprintf("line %d", r.lines+1)
	if r.torn > 1 {
		lines = fmt.Sprintf("lines %d to %d", r.lines+1, r.lines+r.torn)
	}
	return fmt.Sprintf("the journal %s: %s, the last %d bytes, had not reached the disk when the shell ended, "+
		"and are dropped", path, lines, size)
}
