package engine

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// keepProgram keeps a copy of a program in a folder, named by its hash, where it is not yet; so a
// job that waits for days runs the version that submitted it. It returns the copy's path.
func keepProgram(program string, in folder) (string, error) {
	source, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer source.Close()
	// No package of crypto, which would make the shell start more slowly; the processor does these two by itself.
	one, other := crc32.NewIEEE(), crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.Copy(io.MultiWriter(one, other), source)
	if err != nil {
		return "", err
	}
	path := in.join(fmt.Sprintf("ftsh-%x-%08x%08x", size, one.Sum32(), other.Sum32()))
	if _, err := os.Lstat(path); err == nil {
		return path, trusted(path, unix.S_IFREG)
	}
	beside := path + "." + randomWord()
	copied, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return "", err
	}
	if _, err = source.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(copied, source)
	}
	if err == nil {
		err = copied.Sync()
	}
	if closing := copied.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside)
		return "", fmt.Errorf("cannot keep a copy of this program for jobs: %w", err)
	}
	in.sync()
	return path, nil
}
