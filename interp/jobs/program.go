package jobs

import (
	"fmt"
	"hash/crc64"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// keepProgram keeps a copy of this program in a folder of the cluster, named by its hash, where it is not yet; so a
// job that waits for days runs the version that submitted it. It returns the copy's path.
func (c *Cluster) keepProgram() (string, error) {
	in, err := makeFolder(c.folder.join(".bin"))
	if err != nil {
		return "", err
	}
	source, err := os.Open(c.Program)
	if err != nil {
		return "", err
	}
	defer source.Close()
	hash := crc64.New(crc64.MakeTable(crc64.ECMA)) // packages of crypto would make the shell start more slowly
	size, err := io.Copy(hash, source)
	if err != nil {
		return "", err
	}
	path := in.join(fmt.Sprintf("ftsh-%x-%016x", size, hash.Sum64()))
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
