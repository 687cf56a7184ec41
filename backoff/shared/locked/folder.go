package locked

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// Folder is a state directory. Safe for concurrent use.
type Folder struct {
	path  string
	boot  [16]byte // which boot of the machine this is
	clock backoff.Clock
}

// Path returns the state directory: that of FTSH_STATE_DIR, else the folder ftsh where this user has one for
// what is running. A login, which may have XDG_RUNTIME_DIR (runtime), and cron, which has not, get the same.
func Path(said, runtime string) string {
	if said != "" {
		return said
	}
	return choosePath(unix.Geteuid(), runtime, oursAlone)
}

// choosePath is the default of the user uid; ours reports whether a folder is there and this user's alone.
func choosePath(uid int, runtime string, ours func(path string) bool) string {
	id := strconv.Itoa(uid)
	usual := "/run/user/" + id
	switch {
	case runtime != "" && runtime != usual && ours(runtime):
		return runtime + "/ftsh"
	case uid == 0 && ours("/run"): // it outlasts every login of root
		return "/run/ftsh"
	case ours(usual):
		return usual + "/ftsh"
	}
	return "/tmp/ftsh-" + id
}

// oursAlone reports whether a path leads to a folder of this user's in which nobody else can make anything.
func oursAlone(path string) bool {
	var info unix.Stat_t
	return strings.HasPrefix(path, "/") && unix.Stat(path, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR &&
		int(info.Uid) == unix.Geteuid() && info.Mode&0o022 == 0 && unix.Access(path, unix.W_OK) == nil
}

// Open makes a state directory if it is not there. It is refused
// unless it is a directory (no link) of this user, closed to all others, and on a
// file system whose locks this machine alone knows. The clock must count from the
// boot of the machine, as process.Clock does.
func Open(path string, clock backoff.Clock) (*Folder, error) {
	return openFolder(path, clock, unix.O_CREAT)
}

// Existing is Open for one that is there; else the error is one of [os.ErrNotExist].
func Existing(path string, clock backoff.Clock) (*Folder, error) { return openFolder(path, clock, 0) }

func openFolder(path string, clock backoff.Clock, create int) (*Folder, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("the state directory %q (FTSH_STATE_DIR): wanted a path that begins with /", path)
	}
	f := &Folder{path: path, clock: clock, boot: bootID()}
	fd, err := f.openChecked(create)
	if err != nil {
		return nil, err
	}
	return f, unix.Close(fd)
}

// openName opens a file in it, for which the folder is made again if it was removed and the file is to be created.
func (f *Folder) openName(name string, create int) (int, error) {
	folder, err := f.openChecked(create)
	if err != nil {
		return -1, err
	}
	defer unix.Close(folder)
	return unix.Openat(folder, name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|create, 0o600)
}

// openChecked opens the directory, if it is ours alone, and fit for locks.
func (f *Folder) openChecked(create int) (int, error) {
	if create != 0 {
		if err := unix.Mkdir(f.path, 0o700); err != nil && err != unix.EEXIST {
			return -1, fmt.Errorf("the state directory %s cannot be made: %w; FTSH_STATE_DIR names another", f.path, err)
		}
	}
	fd, err := unix.Open(f.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.ELOOP, unix.ENOTDIR:
		return -1, fmt.Errorf("the state directory %s is a link, or no directory; "+
			"remove it, or name another by FTSH_STATE_DIR", f.path)
	default:
		return -1, fmt.Errorf("the state directory %s cannot be opened: %w", f.path, err)
	}
	if err = checkTrusted(fd); err != nil {
		_ = unix.Close(fd)
		return -1, fmt.Errorf("the state directory %s %w", f.path, err)
	}
	return fd, nil
}

// checkTrusted says why an open directory is not ours alone, or not fit for locks.
func checkTrusted(fd int) error {
	var info unix.Stat_t
	var system unix.Statfs_t
	if err := errors.Join(unix.Fstat(fd, &info), unix.Fstatfs(fd, &system)); err != nil {
		return fmt.Errorf("cannot be looked at: %w", err)
	}
	name := networkName(uint32(system.Type)) //nolint:unconvert // it is of another width elsewhere
	switch uid, mode := unix.Geteuid(), info.Mode&0o777; {
	case int(info.Uid) != uid:
		return fmt.Errorf("belongs to user %d, and this is user %d; name another by FTSH_STATE_DIR", info.Uid, uid)
	case mode&0o077 != 0:
		return fmt.Errorf("is open to others (mode %04o); chmod 700 it, or name another by FTSH_STATE_DIR", mode)
	case name != "":
		return fmt.Errorf("lies on %s, whose locks other machines share or nobody keeps; "+
			"name one on a local disk by FTSH_STATE_DIR, such as one in /dev/shm or /run", name)
	}
	return nil
}

// isNamed reports whether an open file is still the one of a name, which all others use.
func isNamed(fd int, path string) bool {
	var ours, named unix.Stat_t
	return unix.Fstat(fd, &ours) == nil && unix.Lstat(path, &named) == nil &&
		named.Dev == ours.Dev && named.Ino == ours.Ino
}

// networkName names a file system that more than one machine may see, or whose locks a
// program of its own keeps; "" if it is none of them. See statfs(2).
func networkName(magic uint32) string {
	return map[uint32]string{
		0x6969: "NFS", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x517b: "SMB", 0x65735546: "FUSE", 0x01021997: "9P",
		0x5346414f: "AFS", 0x6b414653: "AFS", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS",
		0x19830326: "BeeGFS", 0x01161970: "GFS2", 0x7461636f: "OCFS2", 0x73757245: "Coda",
	}[magic]
}

// bootID names the boot of the machine; zeros where /proc does not tell.
func bootID() (id [16]byte) {
	// (os.ReadFile would set up the runtime's poller, which ends the shell where no descriptor is left for it.)
	fd, err := unix.Open("/proc/sys/kernel/random/boot_id", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return id
	}
	defer func() { _ = unix.Close(fd) }()
	var text [64]byte
	n, _ := unix.Read(fd, text[:])
	digits := strings.ReplaceAll(strings.TrimSpace(string(text[:max(0, n)])), "-", "")
	_, _ = hex.Decode(id[:], []byte(digits[:min(len(digits), 32)]))
	return id
}

// suffix ends the names of the files of resources.
const suffix = ".resource"

// Names lists the resources that somebody has used, sorted.
func (f *Folder) Names() ([]string, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, fmt.Errorf("the state directory %s: %w", f.path, err)
	}
	var names []string
	for _, entry := range entries {
		if name, found := strings.CutSuffix(entry.Name(), suffix); found && validName(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// What a name may have, and how much of it, so that every file system has such names of files.
const (
	nameBytes   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
	longestName = 100
)

// validName reports whether a resource can have that name: no - or . stands in front.
func validName(name string) bool {
	return name != "" && len(name) <= longestName && name[0] != '-' && name[0] != '.' &&
		strings.Trim(name, nameBytes) == ""
}
