package process

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/process/procfs"
)

// openSleep starts a sleep without a marker, and opens it once it runs.
func openSleep(t *testing.T) (pid int, p procfs.Process, s procfs.Stat) {
	t.Helper()
	pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{Setsid: true}, // where these tests have numbers of their own, their session has none
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reapNow(pid) })
	if p, err = procfs.Open(pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	for s.Image == 0 { // it is loaded
		if err := p.Stat(&s); err != nil {
			t.Fatal(err)
		}
	}
	return pid, p, s
}

// TestGuessOwner has whose an orphan without a marker can only be: of the command in whose session it is, or of one
// that was under way when it was started, unless it can be of one that does not have to go.
func TestGuessOwner(t *testing.T) {
	pid, _, s := openSleep(t)
	for _, tt := range []struct {
		name            string
		whole, sessions bool
		own             int // the command's process
		others          bool
		leftover        procfs.Ticks // when a command that succeeded left something behind
		want            bool
	}{
		{"nobody else's", true, true, 4000, false, 0, true},
		{"perhaps another's, that is under way", true, true, 4000, true, 0, false},
		{"in its session", true, true, s.Session, true, 1 << 40, true},
		{"in its session, that is ours", true, false, s.Session, true, 0, false},
		{"what was left before it was started", true, true, 4000, false, s.Start - 1, true},
		{"left at that moment, perhaps", true, true, 4000, false, s.Start, false},
		{"left later", true, true, 4000, false, s.Start + 1, false},
		{"of no ancestry that we know", false, true, 4000, false, 0, false},
		{"in its session, of no ancestry that we know", false, true, s.Session, false, 0, true},
	} {
		h, left := openSwept(t, Config{Whole: tt.whole, Sessions: tt.sessions})
		left.run.pid, left.run.died, h.leftover = tt.own, s.Start, tt.leftover
		r := h.newSweep()
		r.others = tt.others
		if got, start := r.guessOwner(pid); (got == left) != tt.want || start != s.Start {
			t.Errorf("%s: %v, started at %d, want %d", tt.name, got, start, s.Start)
		}
		if !h.mu.TryLock() {
			t.Fatal("the lock is held for ever")
		}
		h.mu.Unlock()
	}
	gone := forkShell(t, "exit 0")
	reapNow(gone)
	h, _ := openSwept(t, Config{Whole: true})
	if got, start := h.newSweep().guessOwner(gone); got != nil || start != 0 {
		t.Errorf("gone: %v, started at %d", got, start)
	}
}

// TestOwnerByGroup has whose a process in a control group is: of the command that has it, and for a guardian, which is
// not told which that was, of one of those that were under way.
func TestOwnerByGroup(t *testing.T) {
	home := homeOfGroups(t)
	pid, in, _ := openSleep(t)
	_, beside, _ := openSleep(t)
	for _, tt := range []struct {
		name           string
		whole, grouped bool
		turn           int // whose group it is: the first command's, or the second's, which may stay
		want           bool
	}{
		{"the command's", true, true, 0, true},
		{"another's", true, true, 1, false},
		{"of some command, and this one had none", true, false, 1, false},
		{"of some command, for the guardian", false, false, 1, true},
		{"another's, and it is known which had which", false, true, 1, false},
	} {
		h, left := openSwept(t, Config{Whole: tt.whole})
		h.groups = cgroup.OpenLeft(home, h.prefix)
		groups := []*cgroup.Group{h.groups.Take(), h.groups.Take()}
		names, _ := filepath.Glob(home + "/ftsh-*")
		if slices.Sort(names); len(names) != 2 {
			t.Fatalf("groups %q", names)
		}
		if tt.grouped {
			left.run.group = groups[0]
		}
		err := os.WriteFile(names[tt.turn]+"/cgroup.procs", []byte(strconv.Itoa(pid)), 0)
		if err != nil {
			t.Fatal(err)
		}
		r := h.newSweep()
		if got := r.ownerByGroup(in); (got == left) != tt.want || got != nil && got != left {
			t.Errorf("%s: %v", tt.name, got)
		}
		if got := r.ownerByGroup(beside); got != nil {
			t.Errorf("%s: one that is in no group: %v", tt.name, got)
		}
		if !h.mu.TryLock() {
			t.Fatal("the lock is held for ever")
		}
		h.mu.Unlock()
		for _, g := range groups {
			h.groups.Give(g)
		}
		h.groups.Close()
		left.run.group = nil
	}
}

// TestOwnerOf has orphans that do not say whose they are: which of them are looked at again, and which leave it in
// doubt that nothing is left.
func TestOwnerOf(t *testing.T) {
	pid, p, s := openSleep(t)
	zombie := s
	zombie.State, zombie.Threads = 'Z', 1
	kernel := s
	kernel.Kernel = true
	for _, tt := range []struct {
		name                 string
		whole, known, groups bool
		forking, running     bool
		older                bool // than the commands that have to go
		s                    procfs.Stat
		found, doubtful      bool
		hidden               int
	}{
		{name: "without a marker", whole: true, s: s, hidden: 1},
		{name: "one of all processes, without a marker", s: s, hidden: 1},
		{name: "one of all processes, older than the commands", older: true, s: s},
		{name: "older than the commands that have to go, perhaps of another", whole: true, older: true, s: s, hidden: 1},
		{name: "seen before", whole: true, known: true, s: s, found: true},
		{name: "seen before, and ended", whole: true, known: true, s: zombie, found: true},
		{name: "ended: what it had for children may be ours", whole: true, s: zombie, doubtful: true},
		{name: "one of all processes, ended", s: zombie},
		{name: "of the kernel", whole: true, s: kernel},
		{name: "in none of the groups that ours are in", whole: true, groups: true, s: s},
		{name: "one of all processes, in none of the groups", groups: true, s: s, hidden: 1},
		{name: "a command that has just been entered", whole: true, running: true, s: s},
		{name: "another program than ours, while one is being started", whole: true, forking: true, s: s, hidden: 1},
	} {
		h, left := openSwept(t, Config{Whole: tt.whole})
		r := h.newSweep()
		if r.oldest = s.Start; tt.older {
			r.oldest++
		}
		if tt.known {
			r.noteMember(found{pid: pid, target: left}, s.Start)
		}
		if tt.groups {
			h.groups = cgroup.OpenLeft(t.TempDir(), h.prefix)
		}
		if tt.running {
			h.running[pid] = &run{pid: pid}
		}
		if tt.forking {
			h.forks.under = 1
		}
		stat := tt.s
		owner := r.ownerOf(p, found{pid: pid}, &stat)
		if (owner == left) != tt.found || r.doubtful != tt.doubtful || len(r.hidden) != tt.hidden {
			t.Errorf("%s: its owner is %v, doubtful %v, hidden %v", tt.name, owner, r.doubtful, r.hidden)
		}
		if tt.hidden == 1 && len(r.hidden) == 1 && (r.hidden[0] != found{pid: pid, parent: s.Parent}) {
			t.Errorf("%s: hidden %+v", tt.name, r.hidden[0])
		}
		clear(h.running)
	}
}

// TestOrphanStarts has a child of ours without a marker be one that has not executed its program yet.
func TestOrphanStarts(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	other, program, _ := openSleep(t)
	ours, err := procfs.Open(h.self)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	for _, tt := range []struct {
		name           string
		p              procfs.Process
		forks, running int
		want           bool
	}{
		{"a copy of us", ours, 1, 0, true},
		{"a copy of us, and nothing is being started", ours, 0, 0, false},
		{"another program", program, 1, 0, false},
		{"a command that has just been entered", program, 0, other, true},
	} {
		h.forks.under = tt.forks
		h.running[tt.running] = &run{}
		if got := h.newSweep().isStarting(tt.p, other); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
		clear(h.running)
	}
	h.forks.under = 0
}

// TestOurChildren has the children of all threads be listed, also of one that still runs.
func TestOurChildren(t *testing.T) {
	h, _ := openSwept(t, Config{Whole: true})
	r := h.newSweep()
	var child, thread int
	onOwnThread(func() {
		thread = unix.Gettid()
		child = forkShell(t, "exec sleep 1000")
		if list, err := r.ourChildren(nil); err != nil || !slices.Contains(list, child) {
			t.Errorf("%d is not among %v, %v", child, list, err)
		}
	})
	defer reapNow(child)
	for unix.Access(fmt.Sprintf("/proc/self/task/%d", thread), unix.F_OK) == nil {
		runtime.Gosched() // while it ends its child passes from its list to another
	}
	before := openFiles(t)
	if list, err := r.ourChildren([]int{-7}); err != nil || list[0] != -7 || !slices.Contains(list, child) {
		t.Errorf("%d is not among %v, %v", child, list, err)
	}
	self := h.self
	h.self = forkShell(t, "exit 0")
	reapNow(h.self)
	if list, err := r.ourChildren(nil); err != unix.ENOENT || len(list) != 0 {
		t.Errorf("of a process that is gone: %v, %v", list, err)
	}
	if r.findRoots(); !r.starved {
		t.Error("they could not be listed, and that is taken for all")
	}
	if after := openFiles(t); !slices.Equal(before, after) {
		t.Errorf("open before %q, after %q", before, after)
	}
	h.self = self
}
