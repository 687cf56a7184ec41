package process

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/world"
)

// TestAddTarget has the time that is left to a command to be ended: it is only ever shortened, as when a limit passes
// while it is ended because its shell was told to end.
func TestAddTarget(t *testing.T) {
	h := openInside(t, Config{Clock: stoppedClock{}}) // at one second
	r := &run{cmd: &world.Command{}, number: 5, ended: true}
	var first *target
	for _, tt := range []struct{ patience, want time.Duration }{
		{time.Hour, time.Hour + time.Second},
		{time.Minute, time.Minute + time.Second},
		{time.Hour, time.Minute + time.Second},
		{0, time.Second},
		{-time.Hour, time.Second}, // it was over before it began
	} {
		h.mu.Lock()
		got := h.addTarget(r, tt.patience)
		h.mu.Unlock()
		if first == nil {
			first = got
		}
		if got != first || r.target != got || len(h.ending.targets) != 1 || got.killAt != tt.want {
			t.Errorf("%v more: SIGKILL at %v, want %v; %d targets", tt.patience, got.killAt, tt.want, len(h.ending.targets))
		}
		select {
		case <-h.woken:
		default:
			t.Errorf("%v more: whoever sweeps does not look", tt.patience)
		}
	}
	first.killAt = time.Hour
	h.killNow(first)
	if first.killAt != 0 || len(h.woken) != 1 {
		t.Errorf("to be killed at once, and SIGKILL is at %v, woken %d", first.killAt, len(h.woken))
	}
}

// TestRemembered has processes be forgotten that many sweeps have not seen.
func TestRemembered(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	r := h.newSweep()
	r.noteMember(found{pid: 4001, target: left}, 200)
	for range remembered {
		h.newSweep()
	}
	if h.ending.countMembers(); h.knownMember(4001, 200) == nil {
		t.Error("it is forgotten too early")
	}
	h.newSweep()
	if h.ending.countMembers(); h.knownMember(4001, 200) != nil {
		t.Error("it is remembered for ever")
	}
}

// TestCloseEmptyTargets has when a command counts as ended: when a sweep proves that nothing of it is left, or weak
// mode gives up what is.
func TestCloseEmptyTargets(t *testing.T) {
	const now = time.Hour
	for _, tt := range []struct {
		name                string
		alive, weak         bool
		giveUp, empty       time.Duration
		uncertain, doubtful bool
		running, foreign    bool
		closed              bool
		told                string
	}{
		{name: "nothing is left", closed: true},
		{name: "something lives", alive: true},
		{name: "one was gone before we knew whose it is", uncertain: true},
		{name: "one does not say yet whose it is", doubtful: true},
		{name: "nor did it a second ago", doubtful: true, empty: now - survivorAfter, closed: true},
		{name: "nor a moment ago", doubtful: true, empty: now - survivorAfter + 1},
		{name: "its own process runs", running: true},
		{name: "and may not be signalled", running: true, foreign: true, closed: true},
		{name: "weak, nothing killed yet", alive: true, weak: true},
		{name: "weak, just killed", alive: true, weak: true, giveUp: now + 1},
		{name: "weak, killed a while ago", alive: true, weak: true, giveUp: now, closed: true, told: "survivor"},
		{name: "not weak, killed a while ago", alive: true, giveUp: now},
		{name: "weak, killed a while ago, nothing certain", weak: true, uncertain: true, giveUp: now, closed: true},
	} {
		h, left := openSwept(t, Config{Whole: true, Weak: tt.weak})
		left.giveUp, left.emptySince, left.run.ended = tt.giveUp, tt.empty, !tt.running
		r := h.newSweep()
		r.now, r.uncertain, r.doubtful = now, tt.uncertain, tt.doubtful
		if tt.alive {
			r.noteMember(found{pid: 4001, target: left}, 200)
		}
		if tt.foreign {
			r.noteMember(found{pid: left.run.pid, target: left}, 200).foreign = true
		}
		r.closeEmptyTargets()
		if got := noticesOf(r); left.done != tt.closed || got != tt.told {
			t.Errorf("%s: closed %v, told %q", tt.name, left.done, got)
		}
		if tt.closed && (len(h.ending.targets) != 0 || len(h.ending.members) != 0 || !left.run.ended) {
			t.Errorf("%s: closed, and still known", tt.name)
		}
		if tt.alive && left.emptySince != 0 {
			t.Errorf("%s: said to be empty since %v", tt.name, left.emptySince)
		}
	}
}

// TestToldOfOrphans has the orphans that hide whose they are: each is told of once, and none that is older than the
// command that was ended.
func TestToldOfOrphans(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true}) // born at 100
	for i, tt := range []struct {
		unowned []orphan
		told    string
		named   int
	}{
		{[]orphan{{7, 99}, {8, 100}}, "unowned", 1},
		{[]orphan{{7, 99}, {8, 100}, {9, 101}}, "unowned", 2},
		{[]orphan{{8, 100}, {9, 101}}, "", 2},
		{[]orphan{{8, 200}}, "unowned", 1}, // another process of that number
		{nil, "", 0},
	} {
		h.mu.Lock()
		h.addTarget(&run{cmd: left.run.cmd, number: 5, born: 100, ended: true}, time.Hour)
		h.mu.Unlock()
		r := h.newSweep()
		r.unowned = tt.unowned
		if r.closeEmptyTargets(); noticesOf(r) != tt.told || len(h.ending.named) != tt.named {
			t.Errorf("sweep %d: told %q, %v are named", i+1, noticesOf(r), h.ending.named)
		}
	}
}

// TestKillGroups has SIGKILL sent to the groups of commands whose time is over, in weak mode once.
func TestKillGroups(t *testing.T) {
	const due = time.Minute
	for _, tt := range []struct {
		name                  string
		at, giveUp            time.Duration
		weak, grouped, killed bool
	}{
		{"in time", due - 1, 0, false, true, false},
		{"its time is over", due, 0, false, true, true},
		{"again", due + 1, due + 2, false, true, true},
		{"in weak mode", due, 0, true, true, true},
		{"in weak mode, again", due + 1, due + 2, true, true, false},
		{"without a group", due, 0, false, false, false},
	} {
		h, left := openSwept(t, Config{Whole: true, Weak: tt.weak})
		home := t.TempDir()
		g := cgroup.OpenLeft(home, h.prefix).Take()
		names, err := filepath.Glob(home + "/*")
		if g == nil || len(names) != 1 {
			t.Fatalf("groups %q, %v", names, err)
		}
		kill := names[0] + "/cgroup.kill"
		if err := os.WriteFile(kill, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if left.killAt, left.giveUp = due, tt.giveUp; tt.grouped {
			left.run.group = g
		}
		r := h.newSweep()
		r.now = tt.at
		r.killGroups()
		if said, err := os.ReadFile(kill); string(said) != map[bool]string{true: "1"}[tt.killed] || err != nil {
			t.Errorf("%s: told the group %q, %v", tt.name, said, err)
		}
		unix.Close(g.FD)
	}
}

// TestOneSweeps has whoever needs a command to be ended wait for the one that sweeps for all, and not sweep, too.
func TestOneSweeps(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	h.sweeping <- struct{}{} // another
	close(left.over)
	for range 20 { // what is chosen where two ways are open is left to chance
		h.endTarget(left)
	}
	if h.ending.sweeps != 0 {
		t.Errorf("%d sweeps beside that of another", h.ending.sweeps)
	}
	<-h.sweeping
}
