package process

import (
	"ftsh/interp/world"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// forkStopped starts a sleep that is stopped, in a group.
func forkStopped(t *testing.T, group int) int {
	t.Helper()
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", "kill -STOP $$; exec sleep 1000"},
		&syscall.ProcAttr{Sys: &syscall.SysProcAttr{Setpgid: true, Pgid: group}})
	if err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	return pid
}

// endStopped has a child end that was sent nothing, and so is still stopped.
func endStopped(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	var info unix.Siginfo
	if unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOWAIT|unix.WNOHANG, nil) != nil || pidIn(&info) != pid {
		t.Errorf("%d was sent a signal", pid)
	}
	unix.Kill(pid, sig)
	unix.Kill(pid, unix.SIGCONT)
}

// deathOf is the signal of which a child dies, 0 if it exits. If it lives on it is SIGABRT.
func deathOf(t *testing.T, pid int) unix.Signal {
	t.Helper()
	const patience = 2 * time.Minute // passes only in failing
	late := time.AfterFunc(patience, func() { unix.Kill(pid, unix.SIGABRT); unix.Kill(pid, unix.SIGCONT) })
	defer late.Stop()
	var status syscall.WaitStatus
	for {
		switch _, err := syscall.Wait4(pid, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			t.Fatalf("%d: %v", pid, err)
		case status.Signaled():
			return status.Signal()
		default:
			return 0
		}
	}
}

// TestWithoutProc has when something is sent where there is no /proc: a command's own process is asked once, and when
// its time is over killed until it is reaped. What has ended is left alone.
func TestWithoutProc(t *testing.T) {
	const due = time.Minute
	h, ended := openSwept(t, Config{})
	pid, _ := forkEnded(t) // it is not reaped yet
	h.mu.Lock()
	left := h.addTarget(&run{cmd: &world.Command{}, number: 6, pid: pid}, 0)
	h.mu.Unlock()
	left.killAt, ended.killAt = due, 0
	for _, step := range []struct {
		at   time.Duration
		told string
		news bool
	}{
		{due - 2, "blind, SIGTERM", true}, {due - 1, "", false}, {due, "SIGKILL", false}, {due + 1, "SIGKILL", false},
	} {
		r := h.newSweep()
		r.now = step.at
		r.signalWithoutProc()
		if got := noticesOf(r); got != step.told || r.news != step.news {
			t.Errorf("at %v: told %q, news %v; want %q", step.at, got, r.news, step.told)
		}
		if step.at >= due && left.giveUp != step.at+weakGrace {
			t.Errorf("at %v: weak mode gives up at %v", step.at, left.giveUp)
		}
	}
	if ended.giveUp != 0 || len(h.ending.members) != 1 {
		t.Errorf("what has ended is killed: given up at %v, %d members", ended.giveUp, len(h.ending.members))
	}
	left.run.ended = true
}

// TestGroupWithoutProc has what gets that, if it is stopped, too: where a command has a session of its own, all of its
// group.
func TestGroupWithoutProc(t *testing.T) {
	for _, tt := range []struct {
		sessions bool
		patience time.Duration
		own      unix.Signal
		all      bool
	}{
		{true, time.Hour, unix.SIGTERM, true}, {false, time.Hour, unix.SIGTERM, false}, {true, 0, unix.SIGKILL, true},
	} {
		h := openInside(t, Config{Sessions: tt.sessions})
		own := forkStopped(t, 0)
		other := forkStopped(t, own)
		h.mu.Lock()
		left := h.addTarget(&run{cmd: &world.Command{}, number: 6, pid: own}, tt.patience)
		h.mu.Unlock()
		h.newSweep().signalWithoutProc()
		if died := deathOf(t, own); died != tt.own {
			t.Errorf("%+v: it died of %v", tt, died)
		}
		if !tt.all {
			endStopped(t, other, unix.SIGPROF)
		}
		if died := deathOf(t, other); (died == tt.own) != tt.all {
			t.Errorf("%+v: another of its group died of %v", tt, died)
		}
		left.run.ended = true
	}
}

// TestGroupLeftWithoutProc has what is left of a group signalled when the command's own process has ended, and before
// its number can be another's: but for one that succeeded, whose daemons stay.
func TestGroupLeftWithoutProc(t *testing.T) {
	for _, tt := range []struct {
		name     string
		exit     string
		target   bool
		patience time.Duration
		alone    bool // it has no session of its own
		want     unix.Signal
	}{
		{"asked", "143", true, time.Hour, false, unix.SIGTERM},
		{"killed", "143", true, 0, false, unix.SIGKILL},
		{"failed", "3", false, 0, false, unix.SIGTERM},
		{"succeeded", "0", false, 0, false, unix.SIGPROF},
		{"no session", "143", true, 0, true, unix.SIGPROF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := openInside(t, Config{Sessions: !tt.alone})
			h.blind.Store(true)
			own, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", "exit " + tt.exit},
				&syscall.ProcAttr{Sys: &syscall.SysProcAttr{Setpgid: true}})
			if err != nil {
				t.Fatal(err)
			}
			other := forkStopped(t, own)
			r := &run{cmd: &world.Command{}, number: 6, pid: own}
			h.mu.Lock()
			h.running[own] = r
			if tt.target {
				h.addTarget(r, tt.patience)
			}
			h.mu.Unlock()
			if pid, err := peekChild(unix.P_PID, own, 0); err != nil || !h.reapChild(pid) {
				t.Fatalf("%d is not reaped: %v", own, err)
			}
			if tt.want == unix.SIGPROF {
				endStopped(t, other, unix.SIGPROF)
			}
			if died := deathOf(t, other); died != tt.want {
				t.Errorf("what is left of its group died of %v, want %v", died, tt.want)
			}
		})
	}
}
