package process

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/procfs"
	"ftsh/interp/world"

	"ftsh/backoff"
	"ftsh/interp/process/clock"
)

// openInside opens a Host for a test that looks inside of it.
func openInside(t *testing.T, cfg Config) *Host {
	t.Helper()
	if cfg.Clock == nil {
		real := clock.New()
		t.Cleanup(real.Close)
		cfg.Clock = real
	}
	h, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// forkShell starts a script of /bin/sh that no Host knows of.
func forkShell(t *testing.T, script string) (pid int) {
	t.Helper()
	pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", script}, &syscall.ProcAttr{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// reapNow ends a child and takes it out of the kernel's table. Number 0 would mean whoever runs the tests.
func reapNow(pid int) {
	if pid > 0 {
		unix.Kill(pid, unix.SIGKILL)
		syscall.Wait4(pid, nil, 0, nil)
	}
}

// A command whose process somebody else has reaped is given up, with a status that is no success.
func TestReapedByAnother(t *testing.T) {
	for _, whole := range []bool{true, false} {
		h := openInside(t, Config{Whole: whole})
		r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exit 0")}
		h.running[r.pid] = r
		reapNow(r.pid)
		h.awaitCommand(r)
		if r.status != (world.Status{Code: 255}) || len(h.running) != 0 {
			t.Errorf("whole %v: %+v, %d running", whole, r.status, len(h.running))
		}
	}
}

// TestWaitsAlone has the thread that waits for one process without a descriptor of it be blocked in the kernel: it does
// not ask again and again.
func TestWaitsAlone(t *testing.T) {
	h := openInside(t, Config{})
	r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
	h.running[r.pid] = r
	thread, over := make(chan int), make(chan struct{})
	go onOwnThread(func() {
		thread <- unix.Gettid()
		h.awaitCommand(r)
		close(over)
	})
	blocked := strconv.Itoa(unix.SYS_WAITID) + " "
	name := "/proc/self/task/" + strconv.Itoa(<-thread) + "/syscall"
	const patience = 2 * time.Minute // passes only in failing
	for end := time.Now().Add(patience); ; {
		text, err := os.ReadFile(name)
		if err != nil || len(text) > len(blocked) && string(text[:len(blocked)]) == blocked {
			break // or the kernel does not tell
		}
		if time.Now().After(end) {
			t.Errorf("it does not wait: %q", text)
			break
		}
	}
	unix.Kill(r.pid, unix.SIGTERM)
	<-over
	if r.status != (world.Status{Signal: unix.SIGTERM}) {
		t.Errorf("%+v", r.status)
	}
}

// A child that has not ended is not reaped, and still runs.
func TestReapAlive(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
	defer reapNow(r.pid)
	h.running[r.pid] = r
	if h.reapChild(r.pid) || r.ended || h.running[r.pid] != r {
		t.Errorf("it has ended: %+v", r)
	}
	delete(h.running, r.pid)
}

// TestPassOn has the lead be passed on to one of those who wait, by whoever had it or has reaped for all.
func TestPassOn(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	reapAll := func() {
		h.mu.Unlock()
		h.reapAll()
		h.mu.Lock()
	}
	for name, pass := range map[string]func(){"passOn": h.passOn, "reapAll": reapAll} {
		waits := []*run{{told: make(chan struct{})}, {}, {told: make(chan struct{})}}
		lines := []chan struct{}{waits[0].told, nil, waits[2].told}
		h.mu.Lock()
		for i, r := range waits {
			h.running[4000+i] = r
		}
		for want := 1; want <= 3; want++ {
			pass()
			woken := 0
			for i, line := range lines {
				select {
				case <-line:
					woken++
				default:
					continue
				}
				if waits[i].told != nil {
					t.Errorf("%s: %d is woken, and counts as waiting", name, i)
				}
			}
			if woken != min(want, 2) || h.leader != nil {
				t.Errorf("%s, %d times: %d woken, %p leads", name, want, woken, h.leader)
			}
		}
		clear(h.running)
		h.mu.Unlock()
	}
}

// A Host whose only child is its guardian has none to wait for.
func TestOnlyGuardian(t *testing.T) {
	h := openInside(t, Config{Whole: true, Guardian: true})
	defer h.Watch()()
	if h.guardian.PID() == 0 || !h.hasOnlyGuardian() || !h.reapAll() {
		t.Error("the guardian is taken for another child")
	}
	c := &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", "sleep 1000 &"}}
	if _, err := h.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	orphans, _ := procfs.Orphans(h.self)
	defer reapNow(orphans[len(orphans)-1])
	if h.hasOnlyGuardian() || h.reapAll() {
		t.Error("another child is not seen")
	}
}

// The status of a process that ends before its id is known waits for who forked it, and for nobody else.
func TestForks(t *testing.T) {
	var f forks
	f.keepStatus(6, world.Status{Code: 6}) // an orphan's
	first, second := f.beginFork(), f.beginFork()
	f.keepStatus(7, world.Status{Code: 7})
	if status, ended := f.endFork(7, second); !ended || status.Code != 7 {
		t.Errorf("%+v, %v", status, ended)
	}
	third := f.beginFork()
	if status, ended := f.endFork(7, third); ended {
		t.Errorf("the id of a process that had ended before: %+v", status)
	}
	if _, ended := f.endFork(6, first); ended || len(f.reaped) != 0 || f.under != 0 {
		t.Errorf("%v, left: %+v", ended, f)
	}
}

// stoppedClock is a clock of a simulated world: it does not go on by itself.
type stoppedClock struct{}

func (stoppedClock) Now() time.Duration                            { return time.Second }
func (stoppedClock) AfterFunc(time.Duration, func()) backoff.Timer { panic("nobody moves this clock") }

// Where the script's time is simulated, processes are still looked at by real time.
func TestOwnClock(t *testing.T) {
	h := openInside(t, Config{Clock: stoppedClock{}, Whole: true})
	script := `trap 'exit 3' USR1
		(trap 'sleep 0.05; exit 0' TERM; kill -USR1 $$; while :; do sleep 0.01; done) &
		while :; do sleep 0.01; done`
	c := &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ()}
	status, err := h.Run(t.Context(), c)
	if status.Code != 3 || err != nil {
		t.Errorf("%+v, %v", status, err)
	}
}

// TestIsStarting has children that may have been stopped between fork and exec, and those that are known.
func TestIsStarting(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	other := forkShell(t, "exec sleep 1000")
	defer reapNow(other)
	for stat := ""; !strings.Contains(stat, "(sleep)"); { // it has executed its program
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(other) + "/stat")
		stat = string(text)
	}
	own := h.self
	for _, tt := range []struct {
		name            string
		pid, under      int
		running, relays bool
		want            bool
	}{
		{"a copy of us", own, 1, false, false, true},
		{"nothing is being started", own, 0, false, false, false},
		{"a command", own, 1, true, false, false},
		{"a relay", own, 1, false, true, false},
		{"another program", other, 1, false, false, false},
		{"another program, of a command", other, 0, true, false, false},
	} {
		h.forks.under, h.running, h.relays = tt.under, map[int]*run{}, map[int]*Job{}
		if tt.running {
			h.running[tt.pid] = &run{cmd: &world.Command{}}
		}
		if tt.relays {
			h.relays[tt.pid] = &Job{}
		}
		if got := h.isStarting(tt.pid); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	h.forks.under, h.running, h.relays = 0, map[int]*run{}, nil
}

// The group of a job can be gone with its last member just before a program is started in it: then there is another.
func TestGroupGone(t *testing.T) {
	var h *Host
	var j *Job
	first := 0
	h = openInside(t, Config{Whole: true, Under: func(_ uint64, begins bool) {
		if begins {
			first = j.group
			for j.relay > 0 { // number 0 would mean whoever runs the tests
				unix.Kill(j.relay, unix.SIGKILL)
				h.reapAll()
			}
		}
	}})
	j = h.NewJob(-1)
	defer j.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	status, err := h.Run(t.Context(), &world.Command{Path: "/bin/sh", Job: j, Files: []int{0, int(w.Fd()), 2},
		Args: []string{"sh", "-c", "cut -d' ' -f5 /proc/self/stat"}, Env: os.Environ()})
	w.Close()
	text := make([]byte, 20)
	n, _ := r.Read(text)
	if group := strings.TrimSpace(string(text[:n])); !status.Success() || err != nil || j.group == first ||
		group != strconv.Itoa(j.group) {
		t.Errorf("%+v, %v: in group %s, of the job %d, before %d", status, err, group, j.group, first)
	}
}

// Whether a program of a job handles a signal is asked without leaving a file open.
func TestHandles(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	started, ended := make(chan struct{}), make(chan world.Status)
	go func() {
		status, _ := h.Run(t.Context(), &world.Command{Path: "/bin/sh", Job: j, Files: []int{0, int(w.Fd()), 2},
			Started: func() { close(started) },
			Args:    []string{"sh", "-c", "trap 'exit 5' USR1; echo; while :; do sleep 0.01; done"}, Env: os.Environ()})
		ended <- status
	}()
	r.Read(make([]byte, 1))
	<-started
	before := openFiles(t)
	if !j.Handles(unix.SIGUSR1) || j.Handles(unix.SIGUSR2) || h.NewJob(-1).Handles(unix.SIGUSR1) {
		t.Error("it handles what it does not, or does not what it does")
	}
	if after := openFiles(t); !slices.Equal(before, after) {
		t.Errorf("open before %q, after %q", before, after)
	}
	h.mu.Lock()
	h.jobs--
	for pid := range h.running {
		unix.Kill(pid, unix.SIGUSR1)
	}
	h.mu.Unlock()
	if status := <-ended; status.Code != 5 {
		t.Errorf("%+v", status)
	}
	w.Close()
}

func openFiles(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
