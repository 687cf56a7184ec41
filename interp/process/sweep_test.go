package process

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// openSwept opens a Host that has a command to be ended, number 5, whose process 4000 has ended and is reaped.
func openSwept(t *testing.T, cfg Config) (*Host, *target) {
	t.Helper()
	h := openInside(t, cfg)
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &run{cmd: &world.Command{Path: "five"}, number: 5, pid: 4000, born: 100, died: 300, ended: true}
	return h, h.addTarget(r, time.Hour)
}

// TestNoteMissed has what a sweep makes of a process that was gone when it came to look.
func TestNoteMissed(t *testing.T) {
	for _, tt := range []struct {
		name                              string
		whole, known                      bool
		err                               error
		changed, uncertain, gone, starved bool
	}{
		{"of a command", true, true, unix.ESRCH, true, false, false, false},
		{"an orphan that came to us", true, false, unix.ESRCH, false, true, false, false},
		{"one of all processes", false, false, unix.ESRCH, false, false, true, false},
		{"no descriptor to look", false, true, unix.EMFILE, true, true, false, true},
	} {
		h, left := openSwept(t, Config{Whole: tt.whole})
		r := h.newSweep()
		var f found
		if tt.known {
			f.target = left
		}
		r.noteMissed(f, tt.err)
		if changed := left.changed == h.ending.sweeps; changed != tt.changed || r.uncertain != tt.uncertain ||
			r.gone != tt.gone || r.starved != tt.starved {
			t.Errorf("%s: changed %v, uncertain %v, gone %v, starved %v", tt.name, changed, r.uncertain, r.gone, r.starved)
		}
	}
}

// A process that ends while its children are listed may have had some that nobody listed.
func TestGoneWhileIncluded(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	pid := forkShell(t, "exec sleep 1000")
	p, err := procfs.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var s procfs.Stat
	if err := p.Stat(&s); err != nil {
		t.Fatal(err)
	}
	reapNow(pid)
	r := h.newSweep()
	if r.includeProcess(p, found{pid: pid, parent: h.self, target: left}, &s); left.changed != h.ending.sweeps {
		t.Error("it proves that nothing is left")
	}
}

// A process that has ended and that another has to reap is not waited for.
func TestNoteZombie(t *testing.T) {
	for _, tt := range []struct {
		parent  int
		changes []bool // whether the first sweep, and the second, prove nothing
	}{{1, []bool{true, false}}, {0, []bool{true, true}}} {
		h, left := openSwept(t, Config{Whole: true})
		s := procfs.Stat{Parent: tt.parent, Start: 200}
		if tt.parent == 0 {
			s.Parent = h.self
		}
		for i, want := range tt.changes {
			r := h.newSweep()
			r.noteZombie(found{pid: 4001, target: left}, &s)
			if got := left.changed == h.ending.sweeps; got != want {
				t.Errorf("child of %d, sweep %d: %v", s.Parent, i+1, got)
			}
		}
	}
}

// One sweep closes all targets of which nothing is left.
func TestCloseAll(t *testing.T) {
	h, first := openSwept(t, Config{Whole: true})
	h.mu.Lock()
	second := h.addTarget(&run{cmd: &world.Command{}, number: 6, ended: true}, time.Hour)
	third := h.addTarget(&run{cmd: &world.Command{}, number: 7}, time.Hour)
	h.mu.Unlock()
	r := h.newSweep()
	next := r.closeEmptyTargets()
	if !first.done || !second.done || third.done || len(h.ending.targets) != 1 || next <= 0 || next > time.Hour {
		t.Errorf("%v, %v, %v; next in %v", first.done, second.done, third.done, next)
	}
}

// The process of a command is a root only as long as it is ours: its id may be another's by now.
func TestRoots(t *testing.T) {
	h, ended := openSwept(t, Config{})
	h.mu.Lock()
	alive := h.addTarget(&run{cmd: &world.Command{}, number: 6, pid: 4001, born: 200}, time.Hour)
	h.mu.Unlock()
	r := h.newSweep()
	r.findRoots()
	roots := map[*target]int{}
	for _, f := range r.queue {
		roots[f.target]++
		if f.target == nil && f.pid == h.self {
			t.Error("it would look at itself")
		}
	}
	if roots[ended] != 0 || roots[alive] != 1 || roots[nil] == 0 || r.starved {
		t.Errorf("%d, %d, %d others; without descriptors: %v", roots[ended], roots[alive], roots[nil], r.starved)
	}
	if r.oldest != 100 {
		t.Errorf("the oldest command was started at %d", r.oldest)
	}
}

// Where all processes are listed more than once in a sweep, each is looked at once.
func TestIsNew(t *testing.T) {
	r := &sweep{host: &Host{}}
	if !r.isNew(5) || r.isNew(5) || !r.isNew(6) {
		t.Errorf("listed: %v", r.listed)
	}
	if r.host.cfg.Whole = true; !r.isNew(5) {
		t.Error("orphans come to us, and one of them was not looked at")
	}
}

// TestOwnerByMarker has the markers of orphans: of a command that has to go, of one that may stay, and of none.
func TestOwnerByMarker(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	for _, tt := range []struct {
		marker               string
		found, others, hides bool
	}{
		{h.prefix + "5", true, false, false},
		{h.prefix + "5/inner.1", true, false, false},
		{h.prefix + "6", false, true, false},
		{h.prefix + "!", false, false, true},
		{"/another.5", false, false, true},
		{nobody, false, false, false},
	} {
		r := h.newSweep()
		got := r.ownerByMarker([]byte(tt.marker), found{pid: 4001}, &procfs.Stat{Start: 200})
		if (got == left) != tt.found || r.others != tt.others || (len(r.hidden) == 1) != tt.hides {
			t.Errorf("%s: %v, others %v, hidden %v", tt.marker, got == left, r.others, r.hidden)
		}
	}
}

// TestInSession has processes in the session of a command whose process may be reaped, and its id another's.
func TestInSession(t *testing.T) {
	for _, tt := range []struct {
		name            string
		whole, sessions bool
		pid, session    int
		ended           bool
		start           procfs.Ticks
		want            bool
	}{
		{"in it", true, true, 4000, 4000, true, 400, true},
		{"in another", true, true, 4000, 4001, true, 200, false},
		{"none of its own", true, false, 4000, 4000, true, 200, false},
		{"that of the machine", true, true, 1, 1, true, 200, false},
		{"no child of ours, before it ended", false, true, 4000, 4000, true, 300, true},
		{"no child of ours, after it ended", false, true, 4000, 4000, true, 301, false},
		{"no child of ours, and it runs", false, true, 4000, 4000, false, 301, true},
	} {
		h := &Host{cfg: Config{Whole: tt.whole, Sessions: tt.sessions}}
		r := &run{pid: tt.pid, ended: tt.ended, died: 300}
		if got := h.inSession(r, &procfs.Stat{Session: tt.session, Start: tt.start}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// An orphan that hides belongs to those that have to go, if all that were under way when it was started have to.
func TestSuspectOf(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true}) // born at 100
	for _, tt := range []struct {
		start, other procfs.Ticks // another command, that stays, was begun then; 0: there is none
		want         *target
	}{
		{99, 0, nil}, {100, 0, left}, {200, 0, left}, {200, 200, nil}, {200, 201, left}, {200, 50, nil},
	} {
		h.running = map[int]*run{4000: left.run}
		if tt.other != 0 {
			h.running[4002] = &run{born: tt.other}
		}
		if got := h.suspectOf(tt.start); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	h.running = nil
}

// A shell that was asked to end may start programs that clean up; what it had before is asked, too.
func TestCleansUp(t *testing.T) {
	asked := member{asked: true, image: 7, children: []int{1}}
	for _, tt := range []struct {
		name  string
		m     member
		image uint64
		child int
		want  bool
	}{
		{"started since", asked, 7, 2, true},
		{"it was there", asked, 7, 1, false},
		{"of a program that was not asked", asked, 8, 2, false},
		{"of one that nobody asked", member{image: 7}, 7, 2, false},
		{"of one that cleans up itself", member{spared: true, image: 8}, 7, 1, true},
	} {
		if got := tt.m.cleansUp(tt.image, tt.child); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// What is reaped is not waited for any longer: whoever sweeps looks again when it was the last.
func TestForgetMember(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	h.ending.sweeps++
	for pid := 4001; pid <= 4002; pid++ {
		h.ending.noteSeen(found{pid: pid, target: left}, 200)
	}
	h.ending.countMembers()
	<-h.woken // of addTarget
	for i, pid := range []int{4003, 4001, 4002} {
		h.forgetMember(pid)
		woken := len(h.woken) == 1
		if left.left != 2-i || h.ending.left != 2-i || woken != (i == 2) || h.knownMember(pid, 200) != nil {
			t.Errorf("%d: %d left, woken %v", pid, left.left, woken)
		}
	}
}
