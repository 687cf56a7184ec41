package process

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
)

// forkEnded makes a process that has ended and is not reaped: signals reach it, and do nothing to it.
func forkEnded(t *testing.T) (int, procfs.Process) {
	t.Helper()
	pid := forkShell(t, "exit 0")
	t.Cleanup(func() { reapNow(pid) })
	if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
		t.Fatal(err)
	}
	p, err := procfs.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return pid, p
}

// noticesOf is what a sweep has to tell: signals by their names.
func noticesOf(r *sweep) string {
	names := map[Happening]string{OutOfReach: "out of reach", Survivor: "survivor", Unowned: "unowned", Blind: "blind"}
	var words []string
	for _, n := range r.notices {
		word := names[n.Happening]
		if n.Happening == Signalled {
			word = unix.SignalName(n.Signal)
		} else if n.Signal != 0 {
			word += fmt.Sprintf(" by %d", n.Signal)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// TestKilledAgain has what a process gets that outlives its time: SIGKILL in each sweep, in weak mode once. After a
// second it is told of, once.
func TestKilledAgain(t *testing.T) {
	const due = 10 * time.Second
	for _, tt := range []struct {
		name          string
		weak, foreign bool
		want          [5]string
	}{
		{"", false, false, [...]string{"SIGTERM", "SIGKILL", "SIGKILL", "survivor, SIGKILL", "SIGKILL"}},
		{"in weak mode", true, false, [...]string{"SIGTERM", "SIGKILL", "", "", ""}},
		{"out of reach", false, true, [...]string{"SIGTERM", "SIGKILL", "SIGKILL", "SIGKILL", "SIGKILL"}},
	} {
		h, left := openSwept(t, Config{Whole: true, Weak: tt.weak})
		pid, p := forkEnded(t)
		f := found{pid: pid, parent: h.self, target: left}
		left.killAt = due
		h.ending.members[pid] = &member{target: left, start: 200, foreign: tt.foreign}
		for i, at := range []time.Duration{due - 1, due, due + survivorAfter, due + survivorAfter + 1, due + time.Hour} {
			r := h.newSweep()
			r.now = at
			r.signalProcess(p, f, &procfs.Stat{Start: 200, Image: 7})
			if got := noticesOf(r); got != tt.want[i] || r.news != (i < 2) {
				t.Errorf("%s, at %v: told %q, news %v; want %q", tt.name, at, got, r.news, tt.want[i])
			}
			if i > 0 && left.giveUp != due+weakGrace {
				t.Errorf("%s, at %v: weak mode gives up at %v", tt.name, at, left.giveUp)
			}
		}
	}
}

// TestAskedOnce has when a process is asked to end: each of its programs once, and none that cleans up for another.
func TestAskedOnce(t *testing.T) {
	type look struct {
		image uint64
		late  bool
		told  string
	}
	for _, looks := range [][]look{
		{{7, false, "SIGTERM"}, {7, false, ""}, {8, false, "SIGTERM"}, {8, true, ""}, {8, false, ""}},
		{{7, true, ""}, {8, true, ""}, {8, false, "SIGTERM"}, {8, false, ""}},
		{{7, false, "SIGTERM"}, {8, true, "SIGTERM"}},
	} {
		h, left := openSwept(t, Config{Whole: true})
		pid, p := forkEnded(t)
		left.killAt = time.Hour
		for i, l := range looks {
			r := h.newSweep()
			r.now = time.Minute
			f := found{pid, h.self, left, l.late}
			r.noteMember(f, 200).noteSpared(l.late)
			r.signalProcess(p, f, &procfs.Stat{Start: 200, Image: l.image})
			if got := noticesOf(r); got != l.told || r.news != (l.told != "") {
				t.Errorf("%v: look %d told %q, news %v", looks, i+1, got, r.news)
			}
		}
	}
}

// TestSignalledLater has the processes that are signalled when all are found: one whose id is another's by now is not,
// and one that is gone proves nothing.
func TestSignalledLater(t *testing.T) {
	h, left := openSwept(t, Config{})
	left.killAt = time.Hour
	pid, p := forkEnded(t)
	var s procfs.Stat
	if err := p.Stat(&s); err != nil {
		t.Fatal(err)
	}
	gone := forkShell(t, "exit 0")
	reapNow(gone)
	of := func(pid int) found { return found{pid: pid, parent: h.self, target: left} }
	for _, tt := range []struct {
		name    string
		pending pendingSignal
		told    string
		missed  bool
	}{
		{"there", pendingSignal{of(pid), s.Start}, "SIGTERM", false},
		{"another", pendingSignal{of(pid), s.Start - 1}, "", false},
		{"gone", pendingSignal{of(gone), s.Start}, "", true},
	} {
		before := openFiles(t)
		r := h.newSweep()
		r.now, r.pending = time.Minute, []pendingSignal{tt.pending}
		r.signalPending()
		if got := noticesOf(r); got != tt.told || (left.changed == h.ending.sweeps) != tt.missed {
			t.Errorf("%s: told %q, missed %v", tt.name, got, left.changed == h.ending.sweeps)
		}
		if after := openFiles(t); !slices.Equal(before, after) {
			t.Errorf("%s: open before %q, after %q", tt.name, before, after)
		}
	}
}
