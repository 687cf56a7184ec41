package process

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// groups are control groups (cgroup v2), one for each command under way, if the
// group of this process was delegated to it. Then nothing can hide whose it is,
// and SIGKILL reaches all of a command at once.
//
// A group that has become empty serves another command. The daemons of a command
// that succeeded are moved to the shell's own group, so that whatever is in a group
// belongs to the command that has it now.
type groups struct {
	mu     sync.Mutex
	looked bool     // for the home
	home   string   // the directory of our own group; "": it was not delegated
	prefix string   // of the names of ours; "": there are none
	count  int      // how many were made
	idle   []*group // empty
}

// group is one of them.
type group struct {
	name string // unique on the machine
	path string
	fd   int // its directory
}

// groupPrefix is what the names of a shell's groups begin with. It stands in the
// prefix of its markers, too.
func groupPrefix(markers string) string {
	return "ftsh-" + strings.TrimSuffix(markers[strings.LastIndexByte(markers, '/')+1:], ".") + "-"
}

// take gives a command a group, nil if there are none.
func (g *groups) take(markers string) *group {
	if g.find(markers) == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.idle); n > 0 {
		one := g.idle[n-1]
		g.idle = g.idle[:n-1]
		return one
	}
	g.count++
	one := &group{name: g.prefix + strconv.Itoa(g.count)}
	one.path = filepath.Join(g.home, one.name)
	if err := syscall.Mkdir(one.path, 0o755); err != nil {
		g.home, g.prefix = "", "" // we may not, after all
		return nil
	}
	fd, err := syscall.Open(one.path, unix.O_PATH|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		syscall.Rmdir(one.path)
		return nil
	}
	one.fd = fd
	return one
}

// find is the directory of our own group, "" if it was not delegated.
func (g *groups) find(markers string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.looked {
		g.looked = true
		if g.home = delegated(); g.home != "" {
			g.prefix = groupPrefix(markers)
		}
	}
	return g.home
}

// names is what the names of all begin with, "" if there are none.
func (g *groups) names() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prefix
}

// give takes a group back from a command of which nothing is left but daemons
// that are to stay.
func (g *groups) give(one *group) {
	if one == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if one.vacate() {
		g.idle = append(g.idle, one)
	} else {
		one.close()
	}
}

// refuse has no more groups used: the kernel cannot start programs in them.
func (g *groups) refuse(one *group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.home, g.prefix = "", ""
	one.close()
}

// close removes all that are not in use.
func (g *groups) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, one := range g.idle {
		one.close()
	}
	g.idle, g.looked = nil, false
}

func (one *group) close() {
	syscall.Close(one.fd)
	syscall.Rmdir(one.path) // or it stays as long as somebody is in it
}

// vacate moves the members of a group to the one above, and tells whether that was
// possible. They may fork meanwhile, so that it takes a few turns.
func (one *group) vacate() bool {
	for range 100 {
		if !bytes.Contains(one.read("cgroup.events"), []byte("populated 1")) {
			return true
		}
		for pid := range bytes.FieldsSeq(one.read("cgroup.procs")) {
			tell(filepath.Join(filepath.Dir(one.path), "cgroup.procs"), string(pid))
		}
	}
	return false
}

// read reads a file of a group.
func (one *group) read(name string) []byte {
	text, _ := readFile(filepath.Join(one.path, name))
	return text
}

// tell writes to a file of a group, which is there.
func tell(file, text string) {
	if fd, err := syscall.Open(file, syscall.O_WRONLY|syscall.O_CLOEXEC, 0); err == nil {
		syscall.Write(fd, []byte(text))
		syscall.Close(fd)
	}
}

// kill kills all members at once (Linux 5.14; before that nothing happens).
func (one *group) kill() {
	tell(filepath.Join(one.path, "cgroup.kill"), "1")
}

// has tells whether a process is in the group, or below it, by its file "cgroup".
func (one *group) has(membership []byte) bool {
	_, after, found := bytes.Cut(membership, []byte("/"+one.name))
	return found && len(after) > 0 && (after[0] == '\n' || after[0] == '/')
}

// grouped is the quarry whose group a process is in. A guardian knows no more than
// that it must be one of the commands that were under way.
func (r *round) grouped(p handle) *quarry {
	h := r.host
	prefix := h.groups.names()
	if prefix == "" {
		return nil
	}
	var buf [4096]byte
	n, errno := p.read(cgroupName[:], buf[:])
	if errno != 0 || !bytes.Contains(buf[:n], []byte("/"+prefix)) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.hunt.quarries {
		if q.run.group == nil && !h.cfg.Whole || q.run.group != nil && q.run.group.has(buf[:n]) {
			return q
		}
	}
	return nil
}

// killGroups sends SIGKILL to the groups whose time has come.
func (r *round) killGroups() {
	h := r.host
	h.mu.Lock()
	var due []*group
	for _, q := range h.hunt.quarries {
		if q.run.group != nil && r.now >= q.killAt && !(h.cfg.Weak && q.giveUp != 0) {
			due = append(due, q.run.group)
		}
	}
	h.mu.Unlock()
	for _, one := range due {
		one.kill()
	}
}

// removeGroups removes what a shell that was killed has left of its groups.
func removeGroups(home, prefix string) {
	left, _ := filepath.Glob(filepath.Join(home, prefix+"*"))
	for _, path := range left {
		syscall.Rmdir(path)
	}
}

// mounts are where cgroup v2 is found: alone, and beside v1.
var mounts = [...]string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// delegated is the directory of this process's own group, if it was delegated to it:
// marked so by a service manager, given to a user who is not root, or the first of a
// container. (Root could write to all groups; but they are their manager's.)
func delegated() string {
	text, errno := readFile("/proc/self/cgroup")
	if errno != 0 {
		return ""
	}
	for line := range bytes.Lines(text) {
		path, found := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("0::"))
		if !found {
			continue
		}
		for _, mount := range mounts {
			if dir := filepath.Join(mount, string(path)); isDelegated(dir, string(path) == "/") {
				return dir
			}
		}
	}
	return ""
}

func isDelegated(dir string, first bool) bool {
	var fs unix.Statfs_t
	var info unix.Stat_t
	if unix.Statfs(dir, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC || unix.Stat(dir, &info) != nil {
		return false
	}
	// The group of the whole machine has no events, that of a container has.
	inContainer := first && unix.Access(filepath.Join(dir, "cgroup.events"), unix.F_OK) == nil
	given := info.Uid != 0 && int(info.Uid) == os.Geteuid()
	if !inContainer && !given && !isMarked(dir) {
		return false
	}
	return unix.Access(dir, unix.W_OK) == nil && unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK) == nil
}

// isMarked tells whether systemd has delegated a group (Delegate=yes).
func isMarked(dir string) bool {
	return slices.ContainsFunc([]string{"user.delegate", "trusted.delegate"}, func(name string) bool {
		var value [8]byte
		n, err := unix.Getxattr(dir, name, value[:])
		return err == nil && string(value[:n]) == "1"
	})
}
