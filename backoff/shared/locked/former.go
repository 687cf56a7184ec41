package locked

import (
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// A file of a resource that was removed goes on to hold the slots of those who were inside: nobody else finds it by
// its name. Who makes a new file therefore looks for such files with the processes of this user, and the new
// state says that there may be some until somebody has found none. Where there is no /proc, nobody can look.

// formers are descriptors of removed files whose slots are taken.
type formers []int

// findFormers finds them; some: there are, or nobody can look.
func (r *Resource) findFormers() (list formers, some bool) {
	folder, err := readLink(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(r.folder.fd))
	processes := namesIn("/proc")
	if err != nil || processes == nil {
		return nil, true
	}
	wanted := []string{r.folder.path + "/" + r.name + suffix + " (deleted)", folder + "/" + r.name + suffix + " (deleted)"}
	var seen []uint64 // inodes
	for _, process := range processes {
		if process[0] < '0' || process[0] > '9' {
			continue
		}
		for _, path := range removedFiles("/proc/"+process+"/fd", wanted) {
			if fd, inode := openFormer(path); fd >= 0 {
				list = append(list, fd)
				if slices.Contains(seen, inode) {
					list = list[:len(list)-1]
					_ = unix.Close(fd)
				}
				seen = append(seen, inode)
			}
		}
	}
	return list, len(list) > 0
}

// removedFiles lists the descriptors in a folder of /proc that are open files of those names.
func removedFiles(folder string, wanted []string) (paths []string) {
	for _, name := range namesIn(folder) {
		path := folder + "/" + name
		if text, err := readLink(unix.AT_FDCWD, path); err == nil && slices.Contains(wanted, text) {
			paths = append(paths, path)
		}
	}
	return paths
}

// openFormer opens such a file if somebody is inside, or just about to be; else it is -1.
func openFormer(path string) (fd int, inode uint64) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, 0
	}
	var info unix.Stat_t
	former := formers{fd}
	inUse := former.holdsLock(mutexAt, 1) || former.holdsLock(slotsAt, shared.MaxSlots)
	if unix.Fstat(fd, &info) != nil || !inUse {
		_ = unix.Close(fd)
		return -1, 0
	}
	return fd, info.Ino
}

// holdsLock reports whether one of so many bytes is locked in one of them.
func (l formers) holdsLock(at, length int64) bool {
	return slices.ContainsFunc(l, func(fd int) bool {
		_, found := lockedByte(fd, at, at+length)
		return found
	})
}

// countSlots counts the slots that are taken.
func (l formers) countSlots() (n int) {
	for _, fd := range l {
		n += countLocked(fd, slotsAt, slotsAt+shared.MaxSlots)
	}
	return n
}

func (l formers) closeAll() {
	for _, fd := range l {
		_ = unix.Close(fd)
	}
}

// namesIn lists a folder; nil if it cannot be read. (os.ReadDir would set up the runtime's poller, which ends the
// shell where no descriptor is left for it.)
func namesIn(path string) []string {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	folder := os.NewFile(uintptr(fd), path)
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	return names
}

// readLink reads where a link leads.
func readLink(at int, path string) (string, error) {
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(at, path, text)
	return string(text[:max(n, 0)]), err
}
