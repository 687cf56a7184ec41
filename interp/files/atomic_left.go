package files

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// What a shell that was killed has left of atomic output lies beside the target, in a file whose name ends in 64 random
// bits and their checksum. So nobody else's file is taken for one, whatever it is called.

// longest limits the part of the target's name in the name beside it, which
// must not be longer than file names may be.
const longest = 200

// leftoverPrefix begins the names of files that are written beside a target.
func leftoverPrefix(target string) string {
	base := filepath.Base(target)
	return "." + base[:min(len(base), longest)] + ".ftsh-"
}

// leftoverName makes up a name beside a target.
func leftoverName(target string) string {
	random := fmt.Sprintf("%016x", rand.Uint64())
	folder, _ := filepath.Split(target)
	return folder + leftoverPrefix(target) + random + randomSum(random)
}

// randomSum is the checksum that follows the random part of such a name.
func randomSum(random string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(random))
	return fmt.Sprintf("%08x", h.Sum32())
}

// removeLeftovers removes files of ours beside a target that nobody writes any more.
func removeLeftovers(d Directory, target string) {
	folder, _ := filepath.Split(target)
	at, path := d.At(filepath.Dir(target))
	// (os.Open would set up the runtime's poller, which ends the shell where no descriptor is left for it.)
	fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	handle := os.NewFile(uintptr(fd), path)
	defer handle.Close()
	names, _ := handle.Readdirnames(-1)
	prefix := leftoverPrefix(target)
	const digits, sum = 16, 8
	for _, name := range names {
		random, ours := strings.CutPrefix(name, prefix)
		if ours && len(random) == digits+sum && randomSum(random[:digits]) == random[digits:] {
			removeLeftover(d, folder+name)
		}
	}
}

// removeLeftover removes a file if it is ours and no process holds its lock.
func removeLeftover(d Directory, name string) {
	at, path := d.At(name)
	fd, err := unix.Openat(at, path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	var info unix.Stat_t
	if unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG || info.Uid != uint32(unix.Geteuid()) {
		return
	}
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = unix.Unlinkat(at, path, 0)
	}
}
