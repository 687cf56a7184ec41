package process

import (
	"fmt"
	"ftsh/interp/world"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// until waits for something that happens by itself, and reports false if it does not within two minutes.
func until(happened func() bool) bool {
	for end := time.Now().Add(2 * time.Minute); !happened(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// blockedIn has the options with which a thread of this process is blocked in waiting for that child, or for any (0).
func blockedIn(pid int) (options int, found bool) {
	names, _ := filepath.Glob("/proc/self/task/*/syscall")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		var number, what, id, info, given int
		n, _ := fmt.Sscanf(string(text), "%d 0x%x 0x%x 0x%x 0x%x", &number, &what, &id, &info, &given)
		if n == 5 && number == unix.SYS_WAITID && given&unix.WNOHANG == 0 &&
			(pid == 0 && what == unix.P_ALL || what == unix.P_PID && id == pid) {
			return given, true
		}
	}
	return 0, false
}

// waitInBackground has a command be waited for, and returns what tells that this is over.
func waitInBackground(h *Host, r *run) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		h.awaitCommand(r)
	}()
	return over
}

// isClosed reports whether it is, within a time that is enough.
func isClosed(over <-chan struct{}) bool {
	select {
	case <-over:
		return true
	case <-time.After(2 * time.Minute):
		return false
	}
}

// TestLeaderIsBlocked has the one that leads sleep in the kernel, and ask for what stops only where there are jobs.
func TestLeaderIsBlocked(t *testing.T) {
	for _, jobs := range []int{0, 1} {
		h := openInside(t, Config{Whole: true})
		h.jobs = jobs
		r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
		h.running[r.pid] = r
		over := waitInBackground(h, r)
		options := 0
		if !until(func() (found bool) { options, found = blockedIn(0); return found }) {
			t.Error("no thread sleeps in the kernel")
		}
		if stops := options&unix.WSTOPPED != 0; stops != (jobs > 0) {
			t.Errorf("%d jobs: it asks for what stops: %v", jobs, stops)
		}
		unix.Kill(r.pid, unix.SIGKILL)
		if !isClosed(over) || r.status.Signal != unix.SIGKILL {
			t.Errorf("%+v", r.status)
		}
		h.jobs = 0
	}
}

// TestAloneIsBlocked has a thread sleep in the kernel for a command of which there is no descriptor.
func TestAloneIsBlocked(t *testing.T) {
	h := openInside(t, Config{})
	r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
	h.running[r.pid] = r
	over := waitInBackground(h, r)
	if !until(func() (found bool) { _, found = blockedIn(r.pid); return found }) {
		t.Error("no thread sleeps in the kernel")
	}
	unix.Kill(r.pid, unix.SIGKILL)
	if !isClosed(over) || r.status.Signal != unix.SIGKILL || r.died == 0 || len(h.running) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestReapIfEnded has what is found of a command that is waited for alone.
func TestReapIfEnded(t *testing.T) {
	h := openInside(t, Config{})
	given := &run{ended: true, pid: -1}
	if !h.reapIfEnded(given, 0) {
		t.Error("one that was given up is waited for")
	}
	r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
	h.running[r.pid] = r
	other := forkShell(t, "exit 0")
	if _, err := peekChild(unix.P_PID, other, 0); err != nil {
		t.Fatal(err)
	}
	if h.reapIfEnded(r, unix.WNOHANG) || r.ended {
		t.Error("one that runs has ended")
	}
	if _, err := syscall.Wait4(other, nil, unix.WNOHANG, nil); err != nil {
		t.Errorf("a child of others was reaped: %v", err)
	}
	unix.Kill(r.pid, unix.SIGTERM)
	if !h.reapIfEnded(r, 0) || r.status != (world.Status{Signal: unix.SIGTERM}) || h.running[r.pid] != nil {
		t.Errorf("%+v", r)
	}
	lost := &run{cmd: &world.Command{}, number: 2, pid: r.pid}
	if !h.reapIfEnded(lost, 0) || lost.status != (world.Status{Code: 255}) {
		t.Errorf("%+v, and another had reaped it", lost.status)
	}
	if !h.mu.TryLock() {
		t.Fatal("the lock is held for ever")
	}
	h.mu.Unlock()
}

// hasGoroutine reports whether a goroutine is in that state, in that method.
func hasGoroutine(state, method string) bool {
	text := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(stack, "["+state) && strings.Contains(stack, "."+method+"(") {
			return true
		}
	}
	return false
}

// TestAbandon has a command be given up that lives on, and whoever waits for it be told at once: in the kernel, for the
// one that leads, and in the netpoller.
func TestAbandon(t *testing.T) {
	for _, tt := range []struct {
		name    string
		whole   bool
		led     bool // by another
		waiting func() bool
	}{
		{"alone", false, false, func() bool { return hasGoroutine("IO wait", "(*Host).awaitAlone") }},
		{"leads", true, false, func() bool { _, found := blockedIn(0); return found }},
		{"led", true, true, func() bool { return hasGoroutine("chan receive", "(*Host).awaitCommand") }},
	} {
		h := openInside(t, Config{Whole: tt.whole})
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r := &run{cmd: &world.Command{Path: "/bin/cat", Args: []string{"cat"}, Files: []int{int(in.Fd()), 1, 2}}, number: 1}
		if err := h.launchProgram(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if tt.led {
			h.leader = &run{}
		}
		over := waitInBackground(h, r)
		if !until(tt.waiting) {
			t.Errorf("%s: nobody waits", tt.name)
		}
		h.mu.Lock()
		h.abandonProcess(r)
		h.mu.Unlock()
		if !isClosed(over) || !r.ended || !r.abandoned || h.running[r.pid] != nil {
			t.Errorf("%s: %+v", tt.name, r)
		}
		if unix.Kill(r.pid, 0) != nil {
			t.Errorf("%s: it does not live on", tt.name)
		}
		if h.leader = nil; tt.led && hasOther(r.pid) {
			t.Errorf("%s: the one that leads was woken", tt.name)
		}
		out.Close()
		in.Close()
		syscall.Wait4(r.pid, nil, 0, nil)
		reapOthers()
	}
}

// hasOther reports whether there is a child but that.
func hasOther(pid int) bool {
	names, _ := filepath.Glob("/proc/self/task/*/children")
	return slices.ContainsFunc(names, func(name string) bool {
		list, _ := os.ReadFile(name)
		return slices.ContainsFunc(strings.Fields(string(list)), func(word string) bool { return word != strconv.Itoa(pid) })
	})
}

// reapOthers waits for all children to end, and counts them.
func reapOthers() (n int) {
	for {
		if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil {
			return n
		}
		n++
	}
}

// Whoever waits for any child is woken by one, and no more.
func TestWakeLeader(t *testing.T) {
	wakeLeader()
	if n := reapOthers(); n != 1 {
		t.Errorf("%d children were started", n)
	}
}

// TestLeadIsPassedOn has one who waits lead as soon as nobody does: after a look at what has ended, and after the one
// who led.
func TestLeadIsPassedOn(t *testing.T) {
	for name, give := range map[string]func(h *Host){
		"after a look": func(h *Host) {
			h.leader = nil
			h.mu.Unlock()
			h.reapAll()
			h.mu.Lock()
		},
		"after one that was given up": func(h *Host) {
			h.leader = nil
			h.mu.Unlock()
			h.awaitCommand(&run{ended: true})
			h.mu.Lock()
		},
	} {
		h := openInside(t, Config{Whole: true})
		r := &run{cmd: &world.Command{}, number: 1, pid: forkShell(t, "exec sleep 1000")}
		h.running[r.pid] = r
		h.leader = &run{}
		over := waitInBackground(h, r)
		locked := func(is func() bool) func() bool {
			return func() bool {
				h.mu.Lock()
				defer h.mu.Unlock()
				return is()
			}
		}
		if !until(locked(func() bool { return r.told != nil })) {
			t.Errorf("%s: it does not wait", name)
		}
		h.mu.Lock()
		give(h)
		h.mu.Unlock()
		if !until(locked(func() bool { return h.leader == r })) {
			t.Errorf("%s: nobody leads", name)
			h.mu.Lock()
			r.wakeWaiter()
			h.mu.Unlock()
		}
		unix.Kill(r.pid, unix.SIGKILL)
		if !isClosed(over) || h.leader != nil {
			t.Errorf("%s: %+v leads", name, h.leader)
		}
	}
}
