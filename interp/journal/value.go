package journal

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// storeValues writes the long values of records to files of their own, and syncs them and their names,
// before the records are written.
func (j *Journal) storeValues(batch []pending) error {
	stored := false
	for _, p := range batch {
		for _, v := range p.values {
			if err := j.storeValue(v); err != nil {
				return err
			}
			stored = true
		}
	}
	if !stored {
		return nil
	}
	folder, err := j.fs.Open(valueFolder(j.path), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	return folder.Sync()
}

func (j *Journal) storeValue(v stored) error {
	if err := j.makeValueFolder(); err != nil {
		return err
	}
	file, err := j.fs.Open(valueFile(j.path, v.file), unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteAt(v.raw, 0); err != nil {
		return err
	}
	return file.Sync()
}

// readReleased reads a value again that was checked when the journal was opened. If that fails nothing further begins.
func (j *Journal) readReleased(v value) json.RawMessage {
	raw, err := readValue(j.fs, valueFile(j.path, v.file))
	if err == nil && checksum(0, raw) != v.sum {
		err = unix.EIO
	}
	if err != nil {
		j.noteFailure("read", err)
		return nil
	}
	return raw
}

// makeValueFolder makes NAME.d when it is first needed.
func (j *Journal) makeValueFolder() error {
	if j.valued {
		return nil
	}
	if err := j.fs.Mkdir(valueFolder(j.path)); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	j.valued = true
	return j.folder.Sync()
}

// discardValues removes the files of values that no record on disk names. If that fails, [Journal.sweepLeftovers]
// of the next shell does it.
func (j *Journal) discardValues() {
	slices.Sort(j.garbage)
	for _, file := range j.garbage {
		_ = j.fs.Unlink(valueFile(j.path, file))
	}
	j.garbage = nil
}

// sweepLeftovers removes what a shell that died has left: values that no record names, half a new journal.
func (j *Journal) sweepLeftovers() error {
	j.garbage, j.image.dropped = nil, nil
	_ = j.fs.Unlink(j.path + newSuffix)
	named := map[int64]bool{}
	j.image.root.visitValues(func(v value) {
		named[v.file] = true
		j.files = max(j.files, v.file)
	})
	names, err := j.fs.List(valueFolder(j.path))
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return failureOf(j.path, "read", err)
	}
	if err := trustFolder(j.fs, j.path, valueFolder(j.path)); err != nil {
		return err
	}
	for _, name := range names {
		if n, err := strconv.ParseInt(name, 10, 64); err == nil && !named[n] {
			_ = j.fs.Unlink(valueFile(j.path, n))
		}
	}
	return nil
}
