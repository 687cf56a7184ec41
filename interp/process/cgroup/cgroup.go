// Package cgroup gives each command under way a control group (cgroup v2) of its
// own, where the group of this process was delegated to it. Then nothing can hide
// whose it is, and SIGKILL reaches all of a command at once.
//
// A group that has become empty serves another command. The daemons of a command
// that succeeded are moved to the shell's own group, so that whatever is in a group
// belongs to the command that has it now.
package cgroup

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// Pool has the groups of one shell. The nil Pool has no home, and nobody is in a group of it.
type Pool struct {
	mu     sync.Mutex
	home   string   // the directory of our own group; "": there are no more
	prefix string   // of the names of ours
	count  int      // how many were made
	idle   []*Group // empty
}

// Group is one of them.
type Group struct {
	FD   int // its directory
	name string
	path string
}

// Open makes the pool of a shell, below this process's own group; nil where that was not delegated to it:
// marked so by a service manager, given to a user who is not root, or the first of a container. (Root could write to
// all groups; but they are their manager's.)
func Open(marker string) *Pool {
	text, _ := procfs.ReadFile("/proc/self/cgroup")
	for line := range bytes.Lines(text) {
		path, found := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("0::"))
		if !found {
			continue
		}
		for _, mount := range mounts {
			if dir := filepath.Join(mount, string(path)); isDelegated(dir, string(path) == "/") {
				return OpenLeft(dir, marker)
			}
		}
	}
	return nil
}

// OpenLeft makes the pool of a shell that has died, in whose home its groups are left.
// The names of a shell's groups begin with what tells this shell from others in the
// prefix of its markers, too.
func OpenLeft(home, marker string) *Pool {
	last := marker[strings.LastIndexByte(marker, '/')+1:]
	return &Pool{home: home, prefix: "ftsh-" + strings.TrimSuffix(last, ".") + "-"}
}

// Home is the directory of our own group, "" if there are no groups.
func (p *Pool) Home() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.home
}

// Take gives a command a group, nil if there are none.
func (p *Pool) Take() *Group {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.home == "" {
		return nil
	}
	if n := len(p.idle); n > 0 {
		g := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return g
	}
	p.count++
	g := &Group{name: p.prefix + strconv.Itoa(p.count)}
	g.path = filepath.Join(p.home, g.name)
	if err := unix.Mkdir(g.path, 0o755); err != nil {
		p.home = "" // we may not, after all
		return nil
	}
	fd, err := unix.Open(g.path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		unix.Rmdir(g.path)
		return nil
	}
	g.FD = fd
	return g
}

// Give takes a group back from a command of which nothing is left but daemons
// that are to stay.
func (p *Pool) Give(g *Group) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.moveMembersUp() {
		p.idle = append(p.idle, g)
	} else {
		g.removeGroup()
	}
}

// Refuse has no more groups used: the kernel cannot start programs in them.
func (p *Pool) Refuse(g *Group) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.home = ""
	g.removeGroup()
}

// Close removes all groups that are not in use.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.idle {
		g.removeGroup()
	}
	p.idle = nil
}

// RemoveAll removes all groups that are there and empty.
func (p *Pool) RemoveAll() {
	left, _ := filepath.Glob(filepath.Join(p.home, p.prefix+"*"))
	for _, path := range left {
		unix.Rmdir(path)
	}
}

// Membership is the file "cgroup" of a process if that is in a group of ours, else nil.
func (p *Pool) Membership(process procfs.Process, buf []byte) []byte {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.home == "" {
		return nil
	}
	n, err := process.Read("cgroup", buf)
	if err != nil || !bytes.Contains(buf[:n], []byte("/"+p.prefix)) {
		return nil
	}
	return buf[:n]
}

// Of is the group of ours that a process is in; one that nobody is in, if it is in none; nil where there are no groups.
func (p *Pool) Of(process procfs.Process) *Group {
	if p.Home() == "" {
		return nil
	}
	var buf [4096]byte
	_, name, _ := bytes.Cut(p.Membership(process, buf[:]), []byte("/"+p.prefix))
	name, _, _ = bytes.Cut(name, []byte("\n"))
	name, _, _ = bytes.Cut(name, []byte("/"))
	g := &Group{name: p.prefix + string(name)}
	g.path = filepath.Join(p.home, g.name)
	return g
}

// Has reports whether a process of that membership is in the group, or below it.
func (g *Group) Has(membership []byte) bool {
	_, after, found := bytes.Cut(membership, []byte("/"+g.name))
	return found && len(after) > 0 && (after[0] == '\n' || after[0] == '/')
}

// Kill kills all members at once (Linux 5.14; before that nothing happens).
func (g *Group) Kill() { writeFile(filepath.Join(g.path, "cgroup.kill"), "1") }

func (g *Group) removeGroup() {
	unix.Close(g.FD)
	unix.Rmdir(g.path) // or it stays as long as somebody is in it
}

// moveMembersUp moves the members of a group to the one above, and reports whether that was
// possible. They may fork meanwhile, so that it takes a few turns.
func (g *Group) moveMembersUp() bool {
	for range 100 {
		if events, _ := procfs.ReadFile(g.path + "/cgroup.events"); !bytes.Contains(events, []byte("populated 1")) {
			return true
		}
		members, _ := procfs.ReadFile(g.path + "/cgroup.procs")
		for pid := range bytes.FieldsSeq(members) {
			writeFile(filepath.Join(filepath.Dir(g.path), "cgroup.procs"), string(pid))
		}
	}
	return false
}

// writeFile writes to a file of a group, which is there.
func writeFile(file, text string) {
	if fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
		unix.Write(fd, []byte(text))
		unix.Close(fd)
	}
}
