package journal

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockID tells which file a lock is; zero: the file system has none.
func lockID(lock *os.File) (FileID, error) {
	if lock == nil {
		return FileID{}, nil
	}
	info, err := descriptor{fd: int(lock.Fd())}.Stat()
	return info.ID, err
}

// noteFile records which file the journal is in.
func (j *Journal) noteFile() error {
	info, err := j.file.Stat()
	if err != nil {
		return failureOf(j.path, "read", err)
	}
	j.fileID = info.ID
	return nil
}

// ErrDisplaced is why nothing is written any more to a journal that is no longer the file that was opened: it or its
// lock was removed, replaced or cut. The name does not hold what the script has done.
var ErrDisplaced = errors.New("the journal was displaced")

// displacement is an ErrDisplaced that says what was seen.
type displacement struct{ error }

// Is reports whether the target is ErrDisplaced.
func (displacement) Is(target error) bool { return target == ErrDisplaced }

// Unwrap gives what was seen.
func (d displacement) Unwrap() error { return d.error }

// displaced returns why the next shell would not find what would be written now, or why another shell may be
// writing, too: the journal or its lock is no longer the file that was opened. nil: both are. The caller has the file.
func (j *Journal) displaced() error {
	if j.lockID != (FileID{}) {
		if _, err := j.lstatOpened(j.path+lockSuffix, j.lockID); err != nil {
			return displacement{fmt.Errorf("its lock %s %w; another shell may run the script", j.path+lockSuffix, err)}
		}
	}
	if j.file == nil { // it is being made
		return nil
	}
	info, err := j.lstatOpened(j.path, j.fileID)
	switch {
	case err != nil:
		return displacement{fmt.Errorf("the file %w", err)}
	case info.Size < j.size:
		return displacement{errors.New("the file was cut while the script ran")}
	}
	return nil
}

// lstatOpened describes the file that was opened by a name, as the name still leads to it; else the error says why it
// does not.
func (j *Journal) lstatOpened(path string, opened FileID) (Info, error) {
	info, err := j.fs.Lstat(path)
	switch {
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR):
		err = errors.New("was removed or renamed while the script ran")
	case err != nil:
		err = fmt.Errorf("cannot be looked at: %w", err)
	case info.ID != opened:
		err = errors.New("was replaced while the script ran")
	}
	return info, err
}
