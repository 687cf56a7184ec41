package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/cgroup"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
)

// asksOnce is a context that is cancelled as soon as somebody waits for that.
type asksOnce struct {
	context.Context
	cancel context.CancelCauseFunc
	cause  error
}

func (c asksOnce) Done() <-chan struct{} {
	c.cancel(c.cause)
	return c.Context.Done()
}

// newAsksOnce makes a context that is cancelled, for that cause, as soon as somebody waits for it.
func newAsksOnce(t *testing.T, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	return asksOnce{ctx, cancel, cause}
}

// TestLaunchWaits has a command not be started whose time is over while as many others are being started as may.
func TestLaunchWaits(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	h.running[4000] = &run{cmd: &world.Command{}}
	for range cap(h.launching) {
		h.launching <- struct{}{}
	}
	over := errors.New("over")
	r := &run{cmd: &world.Command{Path: "/no/such", Args: []string{"x"}}, number: 1}
	if err := h.launchProgram(newAsksOnce(t, over), r); err != over {
		t.Errorf("%v, want %v", err, over)
	}
	for range cap(h.launching) {
		<-h.launching
	}
	var failed *world.StartError
	for range 2 * cap(h.launching) { // each gives its turn back
		if err := h.launchProgram(t.Context(), r); !errors.As(err, &failed) || failed.Err != unix.ENOENT {
			t.Errorf("beside others: %v", err)
		}
		if r.pid != 0 {
			t.Errorf("nothing was started, and it has the number %d", r.pid)
		}
	}
	delete(h.running, 4000)
	for range cap(h.launching) {
		h.launching <- struct{}{}
	}
	if err := h.launchProgram(t.Context(), r); !errors.As(err, &failed) || failed.Err != unix.ENOENT {
		t.Errorf("alone: %v", err)
	}
	if h.forks.under != 0 || len(h.running) != 0 {
		t.Errorf("%d are being started, %d run", h.forks.under, len(h.running))
	}
}

// TestEnterStarted has what becomes of a program that was started: it runs, has ended by then, or was stopped.
func TestEnterStarted(t *testing.T) {
	for _, tt := range []struct {
		name                                  string
		started, ends, stops, runs, isStopped bool
	}{
		{"it runs", true, false, false, true, false},
		{"it could not be started", false, false, false, false, false},
		{"it has ended", true, true, false, false, false},
		{"it has stopped", true, false, true, true, true},
		{"it has stopped, and ended", true, true, true, false, false},
	} {
		h := openInside(t, Config{Whole: true})
		j := h.NewJob(-1)
		r := &run{cmd: &world.Command{Job: j}, number: 1, pid: 4000}
		j.programs = 1
		fork := h.forks.beginFork()
		if tt.stops {
			h.forks.keepStop(4000)
		}
		if tt.ends {
			h.forks.keepStatus(4000, world.Status{Code: 3})
		}
		h.enterStarted(r, fork, tt.started)
		if got := h.running[4000] == r; got != tt.runs || r.ended != tt.ends || j.stopped != tt.isStopped ||
			r.ended && r.status.Code != 3 {
			t.Errorf("%s: runs %v, ended %v with %+v, stopped %v", tt.name, got, r.ended, r.status, j.stopped)
		}
		delete(h.running, 4000)
		j.Close()
	}
}

// TestForksForget has nothing be kept of a process, or a signal, that came when no program was being started, nor once
// the last has been: its id may be another's then.
func TestForksForget(t *testing.T) {
	var f forks
	for _, when := range []string{"before", "after"} {
		f.keepStop(7)
		f.keepStatus(7, world.Status{Code: 7})
		f.keepSignal(unix.SIGUSR1)
		if len(f.stopped) != 0 || len(f.reaped) != 0 || len(f.sent) != 0 {
			t.Errorf("%s: kept %+v", when, f)
		}
		fork := f.beginFork()
		f.keepStop(7)
		f.keepStop(8)
		f.keepStatus(7, world.Status{Code: 7})
		f.keepSignal(unix.SIGUSR1)
		if f.stopped[7] || !f.stopped[8] || len(f.reaped) != 1 || len(f.sent) != 1 {
			t.Errorf("%s: kept %+v, while one is being started", when, f)
		}
		other := f.beginFork()
		if f.endFork(0, fork); !f.stopped[8] || len(f.reaped) != 1 || len(f.sent) != 1 {
			t.Errorf("%s: kept %+v, while another is being started", when, f)
		}
		if f.endFork(0, other); len(f.stopped) != 0 || len(f.reaped) != 0 || len(f.sent) != 0 || f.under != 0 {
			t.Errorf("%s: kept %+v, after the last", when, f)
		}
	}
}

// TestMissedSignals has a program get the signals that came while it was being started, and none that came before.
func TestMissedSignals(t *testing.T) {
	var f forks
	first := f.beginFork()
	f.keepSignal(unix.SIGUSR1)
	second := f.beginFork()
	f.keepSignal(unix.SIGUSR2)
	f.keepSignal(unix.SIGHUP)
	third := f.beginFork()
	for fork, want := range map[uint64][]unix.Signal{
		first: {unix.SIGUSR1, unix.SIGUSR2, unix.SIGHUP}, second: {unix.SIGUSR2, unix.SIGHUP}, third: nil,
	} {
		if got := f.missedSignals(fork); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", fork, got, want)
		}
	}
}

// TestShellArgs has the arguments by which /bin/sh runs a script, also one that looks like an option, or has no
// arguments at all.
func TestShellArgs(t *testing.T) {
	for _, tt := range []struct {
		path       string
		args, want []string
	}{
		{"/x", nil, []string{"sh", "/x"}},
		{"/x", []string{"name"}, []string{"sh", "/x"}},
		{"/x", []string{"name", "a", "b"}, []string{"sh", "/x", "a", "b"}},
		{"-x", []string{"name", "-a"}, []string{"sh", "./-x", "-a"}},
	} {
		if got := shellArgs(tt.path, tt.args); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q: %q, want %q", tt.path, tt.args, got, tt.want)
		}
	}
}

// TestAloneInNetpoller has a command be waited for without a thread, where the shell's process is not its own: its
// descriptor is one that the runtime polls, and it is closed in the end.
func TestAloneInNetpoller(t *testing.T) {
	h := openInside(t, Config{})
	before := len(openFiles(t))
	r := &run{cmd: &world.Command{Path: "/bin/true", Args: []string{"true"}}, number: 1}
	if err := h.launchProgram(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	own, err := unix.PidfdOpen(h.self, 0)
	if err != nil {
		skip.Test(t, "the kernel has no descriptors of processes: %v", err)
	}
	unix.Close(own)
	if r.pidfd == nil {
		t.Fatal("it has no descriptor")
	}
	if err := r.pidfd.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
		t.Errorf("it is not polled: %v", err)
	}
	h.awaitCommand(r)
	if after := len(openFiles(t)); !r.status.Success() || !r.ended || after != before {
		t.Errorf("%+v; %d files are open, %d were before", r.status, after, before)
	}
	whole := openInside(t, Config{Whole: true})
	if _, err := whole.Run(t.Context(), &world.Command{Path: "/bin/true", Args: []string{"true"}, Started: func() {
		if during := len(openFiles(t)); during != before {
			t.Errorf("%d files are open, %d were before: where all children are ours, none is needed", during, before)
		}
	}}); err != nil {
		t.Error(err)
	}
}

// makeGroups gives a Host groups in a folder that may be one of the kernel's.
func makeGroups(h *Host, home string) {
	h.opening.Do(func() { h.groups = cgroup.OpenLeft(home, h.prefix) })
}

// homeOfGroups makes a control group for those of commands.
func homeOfGroups(t *testing.T) string {
	t.Helper()
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		home, err := os.MkdirTemp(mount, "ftsh-test")
		if err != nil {
			skip.Test(t, "no control group can be made: %v", err)
		}
		t.Cleanup(func() {
			if err := os.Remove(home); err != nil {
				t.Error(err)
			}
		})
		return home
	}
	skip.Test(t, "no cgroup v2 here")
	return ""
}

// TestForkGrouped has a command be in a group of its own while it runs, and one group serve one after the other.
func TestForkGrouped(t *testing.T) {
	home := homeOfGroups(t)
	h := openInside(t, Config{Whole: true})
	makeGroups(h, home)
	for n := range 2 {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := &world.Command{Path: "/bin/cat", Args: []string{"cat"}, Files: []int{int(in.Fd()), 1, 2}}
		r := &run{cmd: c, number: uint64(n)}
		if err := h.launchProgram(t.Context(), r); err != nil || r.group == nil {
			t.Fatalf("%v, in the group %v", err, r.group)
		}
		members, err := os.ReadFile(home + "/ftsh-" + strings.Trim(h.prefix, "/.") + "-1/cgroup.procs")
		if strings.TrimSpace(string(members)) != strconv.Itoa(r.pid) || err != nil {
			t.Errorf("in its group are %q, %v; want %d", members, err, r.pid)
		}
		out.Close()
		h.awaitCommand(r)
		h.groups.Give(r.group)
		in.Close()
		if _, err := h.Run(t.Context(), &world.Command{Path: "/no/such", Args: []string{"x"}}); err == nil {
			t.Error("a program that is not there was started")
		}
		if _, err := h.Run(t.Context(), &world.Command{Path: "/bin/true", Args: []string{"true"}}); err != nil {
			t.Error(err)
		}
	}
	if names, _ := filepath.Glob(home + "/ftsh-*"); len(names) != 1 {
		t.Errorf("groups %q, want one", names)
	}
	h.Close()
}

// TestGroupsRefused has commands run without groups where the kernel starts none in them: a group whose home is for
// threads takes no processes.
func TestGroupsRefused(t *testing.T) {
	home := homeOfGroups(t)
	if err := os.WriteFile(home+"/cgroup.type", []byte("threaded"), 0); err != nil {
		skip.Test(t, "no group for threads can be made: %v", err)
	}
	h := openInside(t, Config{Whole: true})
	makeGroups(h, home)
	var failed *world.StartError
	_, err := h.Run(t.Context(), &world.Command{Path: "/no/such", Args: []string{"x"}})
	if !errors.As(err, &failed) || failed.Err != unix.ENOENT || h.groups.Home() != home {
		t.Errorf("%v; groups in %q", err, h.groups.Home())
	}
	r := &run{cmd: &world.Command{Path: "/bin/true", Args: []string{"true"}}, number: 1}
	if err := h.launchProgram(t.Context(), r); err != nil || r.group != nil || h.groups.Home() != "" {
		t.Errorf("%v; in the group %v of %q", err, r.group, h.groups.Home())
	}
	if h.awaitCommand(r); !r.status.Success() {
		t.Errorf("%+v", r.status)
	}
	if names, _ := filepath.Glob(home + "/ftsh-*"); len(names) != 0 {
		t.Errorf("left: %q", names)
	}
}

// TestStartedInJob has a program be in the group of its job, and one of none in the shell's own.
func TestStartedInJob(t *testing.T) {
	for group, want := range map[int]syscall.SysProcAttr{
		0: {}, 4000: {Setpgid: true, Pgid: 4000},
	} {
		var got syscall.SysProcAttr
		j := &Job{host: &Host{}, group: group}
		if j.setGroup(&got); got.Setpgid != want.Setpgid || got.Pgid != want.Pgid {
			t.Errorf("%s: %+v", strconv.Itoa(group), got)
		}
	}
}
