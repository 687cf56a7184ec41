package process

import (
	"context"
	"errors"
	"ftsh/interp/world"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestReapChild has what becomes of a child that has ended: of a command it is told, of one that is just being started
// its status is kept, and a relay is forgotten.
func TestReapChild(t *testing.T) {
	var used []*syscall.Rusage
	h := openInside(t, Config{Whole: true, Reaped: func(u *syscall.Rusage) { used = append(used, u) }})
	ended := func(script string) int {
		pid := forkShell(t, script)
		if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
			t.Fatal(err)
		}
		return pid
	}
	told := make(chan struct{})
	r := &run{cmd: &world.Command{}, number: 1, pid: ended("kill -USR1 $$"), told: told}
	h.running[r.pid] = r
	h.mu.Lock()
	of := h.addTarget(r, 0)
	h.ending.noteSeen(found{pid: r.pid, target: of}, 200)
	h.mu.Unlock()
	if !h.reapChild(r.pid) || !r.ended || r.status != (world.Status{Signal: unix.SIGUSR1}) ||
		!isClosed(told) || r.told != nil {
		t.Errorf("a command: %+v", r)
	}
	if len(h.running) != 0 || len(h.ending.members) != 0 || len(used) != 1 || used[0].Maxrss == 0 {
		t.Errorf("a command: running %v, to be ended %v, used %+v", h.running, h.ending.members, used)
	}
	if h.reapChild(r.pid) || len(used) != 1 {
		t.Error("it was reaped twice")
	}
	pid := ended("exit 4")
	fork := h.forks.beginFork()
	if h.reapChild(pid) {
		t.Error("somebody waits for one that nobody knows")
	}
	if status, ended := h.forks.endFork(pid, fork); !ended || status != (world.Status{Code: 4}) {
		t.Errorf("one that is being started: %+v, %v", status, ended)
	}
	j := h.NewJob(-1)
	defer j.Close()
	pid = ended("kill -INT $$")
	h.relays = map[int]*Job{pid: j}
	j.relay = pid
	if h.reapChild(pid) || j.relay != 0 || len(h.relays) != 0 || len(j.Signals()) != 1 {
		t.Errorf("a relay: %d of %v, told of %d signals", j.relay, h.relays, len(j.Signals()))
	}
	if !h.table.TryLock() || !h.mu.TryLock() {
		t.Fatal("a lock is held for ever")
	}
	h.mu.Unlock()
	h.table.Unlock()
}

// A guardian that was reaped like any child is none any more: its number may be another's.
func TestReapGuardian(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	defer h.Watch()()
	pid := h.guardian.PID()
	unix.Kill(pid, unix.SIGKILL)
	if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
		t.Fatal(err)
	}
	if h.reapChild(pid); pid == 0 || h.guardian.PID() != 0 {
		t.Errorf("the guardian was %d, and is %d", pid, h.guardian.PID())
	}
}

// TestReapAll has all that has ended be reaped, unless another does that, or others have children of theirs here.
func TestReapAll(t *testing.T) {
	for _, tt := range []struct {
		name         string
		whole, led   bool
		alive, reaps bool
		childless    bool
	}{
		{"nobody else", true, false, false, true, true},
		{"one lives", true, false, true, true, false},
		{"another leads", true, true, false, false, false},
		{"others have children here", false, false, false, false, false},
	} {
		var h *Host
		h = openInside(t, Config{Whole: tt.whole, Reaped: func(*syscall.Rusage) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.leader == nil {
				t.Errorf("%s: another may lead meanwhile", tt.name)
			}
		}})
		if tt.led {
			h.leader = &run{}
		}
		var pids []int
		for range 2 {
			pid := forkShell(t, "exit 0")
			if _, err := peekChild(unix.P_PID, pid, 0); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		if tt.alive {
			pid := forkShell(t, "exec sleep 1000")
			defer reapNow(pid)
		}
		if got := h.reapAll(); got != tt.childless {
			t.Errorf("%s: no process is left: %v", tt.name, got)
		}
		for _, pid := range pids {
			if _, err := syscall.Wait4(pid, nil, unix.WNOHANG, nil); (err == unix.ECHILD) != tt.reaps {
				t.Errorf("%s: %v, want it reaped: %v", tt.name, err, tt.reaps)
			}
		}
		if (h.leader != nil) != tt.led {
			t.Errorf("%s: %+v leads", tt.name, h.leader)
		}
		h.leader = nil
	}
}

// withoutDescriptors runs f while this process can open nothing.
func withoutDescriptors(t *testing.T, f func()) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: limit.Max}, nil); err != nil {
		t.Fatal(err)
	}
	f()
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
}

// Where nobody can look, it is not said that the guardian is the only child.
func TestOnlyGuardianUnseen(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	defer h.Watch()()
	if !h.hasOnlyGuardian() || !h.table.TryLock() {
		t.Fatal("it has others, or the table is locked for ever")
	}
	h.table.Unlock()
	withoutDescriptors(t, func() {
		if h.hasOnlyGuardian() || h.reapAll() {
			t.Error("it has no others, and nobody has looked")
		}
	})
}

// TestReplaceGuardian has a guardian that is gone be replaced, and it be told if it cannot be. What else has ended, or
// nothing, is none.
func TestReplaceGuardian(t *testing.T) {
	var told []Notice
	h := openInside(t, Config{Whole: true, Guardian: true, Observe: func(n Notice) { told = append(told, n) }})
	defer h.Watch()()
	first := h.guardian.PID()
	h.replaceGuardian(0)
	h.replaceGuardian(first + 1)
	if h.replaceGuardian(first); h.guardian.PID() != first || first == 0 || len(told) != 0 {
		t.Errorf("%d became %d, and it was alive; told %+v", first, h.guardian.PID(), told)
	}
	unix.Kill(first, unix.SIGSTOP)
	if _, err := peekChild(unix.P_PID, first, unix.WALL|unix.WSTOPPED); err != nil {
		t.Fatal(err)
	}
	if h.replaceGuardian(first); waitStop(unix.P_PID, first, unix.WALL) != 0 || h.guardian.PID() != first {
		t.Error("that it was stopped is told for ever, or another was started")
	}
	unix.Kill(first, unix.SIGKILL)
	if _, err := peekChild(unix.P_PID, first, unix.WALL); err != nil {
		t.Fatal(err)
	}
	withoutDescriptors(t, func() { h.replaceGuardian(first) })
	want := []Notice{{Happening: Unguarded, Command: "what is under way"}}
	if !slices.Equal(told, want) || h.guardian.PID() != 0 {
		t.Errorf("told %+v, want %+v; the guardian is %d", told, want, h.guardian.PID())
	}
}

// TestRunIsCutOff has the ways in which a command is not run, or cut off, and whoever asked for it told why.
func TestRunIsCutOff(t *testing.T) {
	over := errors.New("over")
	var under []bool
	h := openInside(t, Config{Whole: true, Under: func(_ uint64, begins bool) { under = append(under, begins) }})
	j := h.NewJob(-1)
	defer j.Close()
	c := &world.Command{Path: "/bin/true", Args: []string{"true"}, Job: j}
	j.stopped, j.resumed = true, make(chan struct{})
	if status, err := h.Run(newAsksOnce(t, over), c); err != over || status != (world.Status{}) || len(under) != 0 {
		t.Errorf("while its job is stopped: %+v, %v; under way %v", status, err, under)
	}
	h.mu.Lock()
	j.resumePrograms()
	h.mu.Unlock()
	if status, err := h.Run(context.Background(), c); !status.Success() || err != nil || j.programs != 0 {
		t.Errorf("%+v, %v; %d programs are under way", status, err, j.programs)
	}
	if want := []bool{true, false}; !slices.Equal(under, want) {
		t.Errorf("under way %v, want %v", under, want)
	}
	_, err := h.Run(t.Context(), &world.Command{Path: "/no/such", Args: []string{"x"}, Job: j})
	if err == nil || j.programs != 0 {
		t.Errorf("%v; %d programs are under way", err, j.programs)
	}
	status, err := h.Run(newAsksOnce(t, over), &world.Command{Path: "/bin/sleep", Args: []string{"sleep", "1000"}})
	if err != over || status.Signal != unix.SIGTERM {
		t.Errorf("cut off: %+v, %v", status, err)
	}
}

// TestEndsWhileCut has a command succeed by itself just when it is to be cut off: it has not been, and Run returns when
// nobody is at it any more.
func TestEndsWhileCut(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	asked, goOn, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c := &world.Command{Path: "/bin/cat", Args: []string{"cat"}, Files: []int{int(in.Fd()), 1, 2}}
	c.Started = func() { cancel(errors.New("over")) }
	c.Patience = func(error) time.Duration {
		close(asked)
		<-goOn
		return 0
	}
	var status world.Status
	go func() {
		defer close(over)
		status, err = h.Run(ctx, c)
	}()
	<-asked
	out.Close()
	returned := func() bool {
		select {
		case <-over:
			return true
		default:
			return false
		}
	}
	if !until(func() bool { return hasGoroutine("chan receive", "(*Host).Run") || returned() }) || returned() {
		t.Error("it returned while the command was being cut off")
	}
	close(goOn)
	if !isClosed(over) || !status.Success() || err != nil {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestFinish has what a command's end means for what it leaves: the daemons of one that succeeded are remembered, those
// of one that failed are ended.
func TestFinish(t *testing.T) {
	for _, tt := range []struct {
		name, script      string
		leftover, daemon  bool
		happens, abandons bool
	}{
		{"success, nothing left", "exit 0", false, false, true, false},
		{"success, a daemon left", "sleep 1000 & exit 0", true, true, true, false},
		{"failure, a daemon left", "sleep 1000 & exit 1", false, false, true, false},
		{"given up", "exit 0", false, false, false, true},
	} {
		ended := 0
		h := openInside(t, Config{Whole: true, Observe: func(n Notice) {
			if n.Happening == Ended {
				ended++
			}
		}})
		r := &run{cmd: &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", tt.script}, Env: os.Environ()}, number: 1}
		if err := h.launchProgram(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if tt.abandons {
			h.mu.Lock()
			h.abandonProcess(r)
			h.mu.Unlock()
			syscall.Wait4(r.pid, nil, 0, nil)
		}
		h.finishCommand(r)
		if (h.leftover != 0) != tt.leftover || (ended == 1) != tt.happens {
			t.Errorf("%s: it left something at %d; told of %d ends", tt.name, h.leftover, ended)
		}
		if daemon := !h.reapAll(); daemon != tt.daemon {
			t.Errorf("%s: a daemon lives: %v", tt.name, daemon)
		}
		if tt.daemon {
			reapNow(waitForChild(t))
		}
	}
}

// A process of which nothing can be seen is not taken for one that fails.
func TestNotFailing(t *testing.T) {
	gone := forkShell(t, "exit 3")
	reapNow(gone)
	alive := forkShell(t, "exec sleep 1000")
	defer reapNow(alive)
	for _, pid := range []int{gone, alive} {
		if isFailing(pid) {
			t.Errorf("%d fails, it was %d that ended", pid, gone)
		}
	}
}

// TestReadEnd has how a command's own process has ended, whether it is reaped by then or not.
func TestReadEnd(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		reaped       world.Status
		want         end
	}{
		{"reaped, a success", "", world.Status{}, hasSucceeded},
		{"reaped, a failure", "", world.Status{Code: 3}, hasFailed},
		{"reaped, of a signal", "", world.Status{Signal: unix.SIGKILL}, hasFailed},
		{"a success", "exit 0", world.Status{}, hasSucceeded},
		{"a failure", "exit 1", world.Status{}, hasFailed},
		{"of a signal", "kill -HUP $$", world.Status{}, hasFailed},
		{"it runs", "exec sleep 1000", world.Status{}, underWay},
	} {
		r := &run{ended: tt.script == "", status: tt.reaped}
		if !r.ended {
			r.pid = forkShell(t, tt.script)
			if tt.want != underWay {
				if _, err := peekChild(unix.P_PID, r.pid, 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := r.readEnd(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		reapNow(r.pid)
	}
	gone := forkShell(t, "exit 3")
	reapNow(gone)
	if got := (&run{pid: gone}).readEnd(); got != underWay {
		t.Errorf("reaped by another: %d", got)
	}
}
