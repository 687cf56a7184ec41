package locked

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
)

// Folder is an open state directory. Safe for concurrent use.
type Folder struct {
	path  string
	fd    int
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

// Open opens a state directory, and makes it if it is not there. It is refused
// unless it is a directory (no link) of this user, closed to all others, and on a
// file system whose locks this machine alone knows. The clock must count from the
// boot of the machine, as process.Clock does.
func Open(path string, clock backoff.Clock) (*Folder, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("the state directory %q (FTSH_STATE_DIR): wanted a path that begins with /", path)
	}
	if err := unix.Mkdir(path, 0o700); err != nil && err != unix.EEXIST {
		return nil, fmt.Errorf("the state directory %s cannot be made: %w; FTSH_STATE_DIR names another", path, err)
	}
	return Existing(path, clock)
}

// Existing opens a state directory that is there; else the error is one of
// [os.ErrNotExist].
func Existing(path string, clock backoff.Clock) (*Folder, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	switch err {
	case nil:
	case unix.ELOOP, unix.ENOTDIR:
		return nil, fmt.Errorf("the state directory %s is a link, or no directory; "+
			"remove it, or name another by FTSH_STATE_DIR", path)
	default:
		return nil, fmt.Errorf("the state directory %s cannot be opened: %w", path, err)
	}
	f := &Folder{path: path, fd: fd, clock: clock, boot: bootID()}
	if err := f.checkTrusted(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// followName goes over to the folder that has the name now, if this one was removed or replaced.
func (f *Folder) followName() error {
	var ours, named unix.Stat_t
	err := unix.Stat(f.path, &named)
	if err == nil && unix.Fstat(f.fd, &ours) == nil && ours.Dev == named.Dev && ours.Ino == named.Ino {
		return nil
	}
	other, err := Open(f.path, f.clock)
	if err != nil {
		return err
	}
	defer other.Close()
	return unix.Dup3(other.fd, f.fd, unix.O_CLOEXEC)
}

// Close closes it. Resources that were opened stay so.
func (f *Folder) Close() { _ = unix.Close(f.fd) }

// checkTrusted sees that the folder is ours alone, and fit for locks.
func (f *Folder) checkTrusted() error {
	var info unix.Stat_t
	if err := unix.Fstat(f.fd, &info); err != nil {
		return fmt.Errorf("the state directory %s: %w", f.path, err)
	}
	if uid := unix.Geteuid(); int(info.Uid) != uid {
		return fmt.Errorf("the state directory %s belongs to user %d, and this is user %d; "+
			"name another by FTSH_STATE_DIR", f.path, info.Uid, uid)
	}
	if mode := info.Mode & 0o777; mode&0o077 != 0 {
		return fmt.Errorf("the state directory %s is open to others (mode %04o); "+
			"chmod 700 it, or name another by FTSH_STATE_DIR", f.path, mode)
	}
	var system unix.Statfs_t
	if err := unix.Fstatfs(f.fd, &system); err != nil {
		return fmt.Errorf("the state directory %s: %w", f.path, err)
	}
	if name := networkName(uint32(system.Type)); name != "" { //nolint:unconvert // it is of another width elsewhere
		return fmt.Errorf("the state directory %s lies on %s, whose locks other machines share or nobody keeps; "+
			"name one on a local disk by FTSH_STATE_DIR, such as one in /dev/shm or /run", f.path, name)
	}
	return nil
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

// longestName keeps names of files within what every file system allows.
const longestName = 100

// validName reports whether a resource can have that name: up to 100 letters, digits
// and _ - . of ASCII, no - or . in front.
func validName(name string) bool {
	if name == "" || len(name) > longestName || name[0] == '-' || name[0] == '.' {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && strings.IndexByte("_-.", c) < 0 {
				return false
			}
		}
	}
	return true
}
