package process

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// groupOf is the process group of a child.
func groupOf(t *testing.T, pid int) int {
	t.Helper()
	group, err := unix.Getpgid(pid)
	if err != nil {
		t.Fatal(err)
	}
	return group
}

// TestGroupOfRelay has a relay be in the group of its job, or in one of its own where there is none, or none any more.
// It tells of signals until the job is closed, and nothing of it is left then.
func TestGroupOfRelay(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	before := len(openFiles(t))
	gone := forkShell(t, "exit 0")
	reapNow(gone)
	first := forkGroup(t)
	defer reapNow(first)
	for name, group := range map[string]int{"none": 0, "one that is gone": gone, "that of a child": first} {
		j := h.NewJob(-1)
		j.group = group
		if j.Watch(); j.relay != 0 {
			t.Errorf("%s: a relay is there, and no program", name)
		}
		j.programs = 1
		j.Watch()
		relay, line := j.relay, j.line
		if relay == 0 || line == nil || h.relays[relay] != j || h.forks.under != 0 {
			t.Fatalf("%s: %d of %v", name, relay, h.relays)
		}
		want := relay
		if name == "that of a child" {
			want = group
		}
		if got := groupOf(t, relay); got != want || j.group != want {
			t.Errorf("%s: the relay is in the group %d, the job has %d; want %d", name, got, j.group, want)
		}
		if err := line.SetReadDeadline(time.Time{}); err != nil {
			t.Errorf("%s: its line takes a thread: %v", name, err)
		}
		if j.Watch(); j.relay != relay {
			t.Errorf("%s: another relay was started", name)
		}
		for _, sig := range []unix.Signal{unix.SIGQUIT, unix.SIGINT} {
			unix.Kill(relay, sig)
			if got := <-j.Signals(); got != sig {
				t.Errorf("%s: told of %v, want %v", name, got, sig)
			}
		}
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(relay) + "/environ")
		if string(text) != markerName+"="+nobody+"\x00" {
			t.Errorf("%s: its environment is %q", name, text)
		}
		j.Close()
		if err := line.Close(); !errors.Is(err, os.ErrClosed) || j.relay != 0 {
			t.Errorf("%s: its line was still open: %v; the relay is %d", name, err, j.relay)
		}
		if _, err := syscall.Wait4(relay, nil, unix.WNOHANG, nil); err != unix.ECHILD {
			t.Errorf("%s: it is still to be reaped: %v", name, err)
		}
	}
	if after := len(openFiles(t)); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// TestNoRoomForRelay has a job do without a relay where there are no descriptors for one, and leave none open.
func TestNoRoomForRelay(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	j.programs = 1
	before := openFiles(t)
	var limit unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	free := []int{}
	for fd := 0; len(free) < 3; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			free = append(free, fd)
		}
	}
	for room, number := range free { // none, one, and both ends of the line, but not what a fork needs
		if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(number), Max: limit.Max}, nil); err != nil {
			t.Fatal(err)
		}
		j.Watch()
		if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
			t.Fatal(err)
		}
		if j.relay != 0 || j.line != nil || j.group != 0 || len(h.relays) != 0 || h.forks.under != 0 {
			t.Errorf("room for %d: relay %d of %v, group %d, %d are being started", room, j.relay, h.relays, j.group,
				h.forks.under)
		}
		if after := openFiles(t); !slices.Equal(after, before) {
			t.Errorf("room for %d: open %q, before %q", room, after, before)
		}
	}
	if j.Watch(); j.relay == 0 {
		t.Error("there is room again, and no relay")
	}
}

// TestTellSignal has a job keep what nobody has asked for yet, and the goroutine that tells not wait for anybody.
func TestTellSignal(t *testing.T) {
	j := openInside(t, Config{Whole: true}).NewJob(-1)
	defer j.Close()
	for range 2 * cap(j.signals) {
		j.tellSignal(unix.SIGINT)
	}
	if len(j.Signals()) != cap(j.signals) || cap(j.signals) < 2 {
		t.Errorf("%d are kept", len(j.Signals()))
	}
}

// TestOneStartsRelay has a relay be started by one alone: who comes meanwhile waits, and finds it there.
func TestOneStartsRelay(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	j.programs = 1
	j.starting <- struct{}{}
	over := make(chan struct{})
	go func() {
		defer close(over)
		j.Watch()
	}()
	if !until(func() bool { return hasGoroutine("chan send", "(*Job).Watch") || j.hasRelay() }) {
		t.Error("it does not wait")
	}
	if j.hasRelay() {
		t.Error("another starts a relay meanwhile")
	}
	if <-j.starting; !isClosed(over) || !j.hasRelay() {
		t.Error("it waits for ever, or for nothing")
	}
}

func (j *Job) hasRelay() bool {
	j.host.mu.Lock()
	defer j.host.mu.Unlock()
	return j.relay != 0
}

// TestEnterProgram has a program of a job that is stopped wait until that goes on.
func TestEnterProgram(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	over := errors.New("over")
	j.stopped, j.resumed = true, make(chan struct{})
	if err := j.enterProgram(newAsksOnce(t, over)); err != over || j.programs != 0 {
		t.Errorf("%v, %d programs", err, j.programs)
	}
	entered := make(chan error)
	go func() { entered <- j.enterProgram(resumesOnce{t.Context(), j}) }()
	if err := <-entered; err != nil || j.programs != 1 || j.relay == 0 {
		t.Errorf("%v, %d programs, the relay is %d", err, j.programs, j.relay)
	}
	j.leaveProgram(0)
	if !h.mu.TryLock() || j.programs != 0 {
		t.Fatalf("%d programs, or the lock is held for ever", j.programs)
	}
	h.mu.Unlock()
}

// resumesOnce is a context that lets a job go on once somebody waits for it.
type resumesOnce struct {
	context.Context
	job *Job
}

func (c resumesOnce) Done() <-chan struct{} {
	c.job.Continue()
	return c.Context.Done()
}
