package process

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
	"ftsh/testdata/skip"
)

// TestMayEnd has what is never ended, whatever led there.
func TestMayEnd(t *testing.T) {
	h := &Host{self: 50}
	of := &target{run: &run{born: 100}}
	for _, tt := range []struct {
		name  string
		pid   int
		start procfs.Ticks
		want  bool
	}{
		{"younger than the command", 60, 101, true},
		{"as old as it", 60, 100, true},
		{"older", 60, 99, false},
		{"the shell", 50, 101, false},
		{"the first of all", 1, 101, false},
		{"the second", 2, 101, true},
		{"a group", 0, 101, false},
	} {
		if got := h.mayEnd(found{pid: tt.pid, target: of}, &procfs.Stat{Start: tt.start}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestIsSameChild has processes that were listed as a child: by now the number may be another's.
func TestIsSameChild(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	r := h.newSweep()
	r.noteMember(found{pid: 4001, target: left}, 200)
	for _, tt := range []struct {
		name        string
		pid, parent int
		start       procfs.Ticks
		of          *target
		want        bool
	}{
		{"still its child", 4002, 4000, 200, left, true},
		{"an orphan by now", 4002, h.self, 200, left, true},
		{"another's child", 4002, 77, 200, left, false},
		{"another's child, known to be ours", 4001, 77, 200, left, true},
		{"another's child, known as another's", 4001, 77, 200, &target{}, false},
		{"another process of the number", 4001, 77, 201, left, false},
	} {
		f := found{pid: tt.pid, parent: 4000, target: tt.of}
		if got := r.isSameChild(f, &procfs.Stat{Parent: tt.parent, Start: tt.start}); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestVisit has what a sweep makes of a process that it comes to.
func TestVisit(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	alive := forkShell(t, "exec sleep 1000")
	defer reapNow(alive)
	zombie, _ := forkEnded(t)
	for _, tt := range []struct {
		name           string
		f              found
		born           procfs.Ticks
		member, missed bool
		told           string
	}{
		{"ended, and not reaped", found{zombie, h.self, left, false}, h.born, true, true, ""},
		{"older than the command", found{alive, h.self, left, false}, 1 << 40, false, false, ""},
		{"the shell", found{h.self, os.Getppid(), left, false}, 0, false, false, ""},
		{"another by now", found{h.self, 77, left, false}, 0, false, true, ""},
		{"of nobody", found{alive, 0, nil, false}, h.born, false, false, ""},
		{"alive", found{alive, h.self, left, false}, h.born, true, false, "SIGTERM"},
	} {
		clear(h.ending.members)
		left.run.born, left.changed = tt.born, 0
		r := h.newSweep()
		r.visitProcess(tt.f)
		_, member := h.ending.members[tt.f.pid]
		if missed := left.changed == h.ending.sweeps; member != tt.member || missed != tt.missed || noticesOf(r) != tt.told {
			t.Errorf("%s: a member %v, missed %v, told %q", tt.name, member, missed, noticesOf(r))
		}
	}
}

// TestUnopened has processes that /proc does not show: they are gone, or another user's where that may not be seen.
func TestUnopened(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, to become another user for a moment")
	}
	h, left := openSwept(t, Config{Whole: true})
	gone := forkShell(t, "exit 0")
	reapNow(gone)
	for _, tt := range []struct {
		name   string
		pid    int
		user   uintptr
		err    error
		known  bool
		missed bool
		told   string
	}{
		{"gone", gone, 0, unix.ENOENT, true, true, ""},
		{"not to be opened", h.self, 0, unix.EMFILE, true, true, ""},
		{"that may be signalled, and is not the command's", h.self, 0, unix.ENOENT, true, false, ""},
		{"of another user", 1, 64125, unix.ENOENT, true, false, "out of reach"},
		{"of another user, and not to be opened", 1, 64125, unix.EMFILE, true, true, ""},
		{"of another user, and not known", 1, 64125, unix.ENOENT, false, false, ""},
	} {
		clear(h.ending.members)
		left.changed = 0
		r := h.newSweep()
		f := found{pid: tt.pid}
		if tt.known {
			f.target = left
		}
		onOwnThread(func() { // whose user it is alone
			unix.RawSyscall(unix.SYS_SETRESUID, tt.user, tt.user, tt.user)
			r.noteUnopened(f, tt.err)
		})
		if missed := left.changed == h.ending.sweeps; missed != tt.missed || noticesOf(r) != tt.told || r.uncertain !=
			(tt.err == unix.EMFILE) {
			t.Errorf("%s: missed %v, uncertain %v, told %q", tt.name, missed, r.uncertain, noticesOf(r))
		}
	}
}

// TestChildrenOfAsked has which children of a process are to be asked to end, too: those that it had when it was asked,
// as those that it starts then may clean up for it.
func TestChildrenOfAsked(t *testing.T) {
	h, left := openSwept(t, Config{}) // where nothing is signalled before all is found
	parent := exec.Command("/bin/sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 20)
	n, _ := out.Read(line)
	child, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil || child < 2 {
		t.Fatalf("%q, %v", line[:n], err)
	}
	defer func() {
		unix.Kill(child, unix.SIGKILL)
		parent.Wait()
	}()
	p, err := procfs.Open(parent.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var s procfs.Stat
	if err := p.Stat(&s); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		before member
		isLate bool // the process itself
		kept   []int
		late   bool // its child
	}{
		{"not asked yet", member{}, false, []int{child}, false},
		{"asked, and this is started since", member{asked: true, image: s.Image}, false, nil, true},
		{"asked, and it was there", member{asked: true, image: s.Image, children: []int{child}}, false, []int{child}, false},
		{"another program of it was asked", member{asked: true, image: s.Image + 1}, false, []int{child}, false},
		{"it cleans up itself, and was not seen before", member{}, true, nil, true},
		{"it cleans up itself", member{spared: true}, true, nil, true},
		{"it cleans up, and was asked", member{asked: true, image: s.Image}, true, nil, true},
		{"it has cleaned up for one that has gone", member{spared: true}, false, []int{child}, false},
	} {
		known := tt.before
		known.target, known.start = left, s.Start
		f := found{pid: parent.Process.Pid, parent: h.self, target: left, late: tt.isLate}
		h.ending.members = map[int]*member{f.pid: &known}
		r := h.newSweep()
		r.includeProcess(p, f, &s)
		if want := []found{{child, f.pid, left, tt.late}}; !slices.Equal(known.children, tt.kept) ||
			!slices.Equal(r.queue, want) {
			t.Errorf("%s: it had %v, want %v; to be looked at %v, want %v", tt.name, known.children, tt.kept, r.queue, want)
		}
		if len(r.pending) != 1 || known.sweep != h.ending.sweeps || len(r.notices) != 0 {
			t.Errorf("%s: %d to be signalled, seen by sweep %d, told %q", tt.name, len(r.pending), known.sweep, noticesOf(r))
		}
	}
}

// TestReadAgain has processes that showed no marker at first, as they were just loading a program.
func TestReadAgain(t *testing.T) {
	h, left := openSwept(t, Config{Whole: true})
	for _, tt := range []struct {
		name, marker string
		gone         bool
		fails        bool
	}{{"it has one", h.prefix + "5", false, false}, {"it has none", "", false, false}, {"it is gone", "", true, true}} {
		var env []string
		if tt.marker != "" {
			env = []string{markerName + "=" + tt.marker}
		}
		pid, err := syscall.ForkExec("/bin/sleep", []string{"sleep", "1000"}, &syscall.ProcAttr{Env: env})
		if err != nil {
			t.Fatal(err)
		}
		p, err := procfs.Open(pid)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if tt.gone {
			reapNow(pid)
		} else {
			defer reapNow(pid)
		}
		r := h.newSweep()
		s := procfs.Stat{Image: 1} // of the program before
		marker, err := r.readAgain(p, &s)
		if string(marker) != tt.marker || (err != nil) != tt.fails {
			t.Errorf("%s: %q, %v", tt.name, marker, err)
		}
		if tt.marker == "" && !tt.gone && s.Image <= 1 {
			t.Errorf("%s: that is certain, though it was another program before", tt.name)
		}
		if tt.gone {
			continue
		}
		r = h.newSweep()
		owner := r.ownerOf(p, found{pid: pid}, &procfs.Stat{Threads: 1, Start: 200})
		if (owner == left) != (tt.marker != "") || len(r.hidden) != 1 && tt.marker == "" || r.doubtful {
			t.Errorf("%s: its owner is %v, hidden %v, doubtful %v", tt.name, owner, r.hidden, r.doubtful)
		}
	}
}
