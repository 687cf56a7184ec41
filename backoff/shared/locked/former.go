package locked

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared"
)

// takenInRemoved counts the slots that are taken in files of this name that were removed: they go on to hold the slots
// of those who were inside, and nobody else finds them by the name. So whoever makes a new file looks for them with
// the processes of this user, and the new state says that there may be some until somebody has found none. Some:
// there are, or nobody can look, as there is no /proc.
func (r *Resource) takenInRemoved() (taken int, some bool) {
	const removed = " (deleted)"
	named, err := readLink("/proc/self/fd/" + strconv.Itoa(r.file.fd))
	processes := namesIn("/proc")
	if err != nil || processes == nil {
		return 0, true
	}
	named = strings.TrimSuffix(named, removed) + removed
	var seen []uint64 // inodes
	for _, process := range processes {
		if process[0] < '0' || process[0] > '9' {
			continue
		}
		for _, fd := range namesIn("/proc/" + process + "/fd") {
			path := "/proc/" + process + "/fd/" + fd
			if name, err := readLink(path); err != nil || name != named {
				continue
			}
			if slots, inode, used := lookInside(path); used && !slices.Contains(seen, inode) {
				seen = append(seen, inode)
				taken += slots
			}
		}
	}
	return taken, len(seen) > 0
}

// lookInside looks at a removed file: used tells that somebody is inside, or just about to be.
func lookInside(path string) (slots int, inode uint64, used bool) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, 0, false
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	known := unix.Fstat(fd, &info) == nil
	_, entering := lockedByte(fd, mutexAt, mutexAt+1)
	slots = countLocked(fd, slotsAt, slotsAt+shared.MaxSlots)
	return slots, info.Ino, known && (entering || slots > 0)
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
func readLink(path string) (string, error) {
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, text)
	return string(text[:max(n, 0)]), err
}
