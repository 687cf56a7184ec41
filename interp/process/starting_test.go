package process

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/world"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

// hangExec copies a program of /bin so that no process can execute it before release is called: of it a lease is held,
// and the kernel does not open it before that is given back.
func hangExec(t *testing.T, name string) (program string, release func()) {
	t.Helper()
	program = filepath.Join(t.TempDir(), name)
	text, err := os.ReadFile("/bin/" + name)
	if err != nil {
		t.Fatal(err)
	}
	write.Program(t, program, text)
	held, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { held.Close() })
	if _, err := unix.FcntlInt(held.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		skip.Test(t, "the file system grants no lease: %v", err)
	}
	// Whoever forks keeps a processor of Go's until the program is executed, and garbage cannot be collected.
	collected, processors := debug.SetGCPercent(-1), runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(processors + 1)
	t.Cleanup(func() {
		debug.SetGCPercent(collected)
		runtime.GOMAXPROCS(processors)
	})
	return program, func() {
		if _, err := unix.FcntlInt(held.Fd(), unix.F_SETLEASE, unix.F_UNLCK); err != nil {
			t.Error(err)
		}
	}
}

// waitForChild finds a child of this process that is none of those, and waits for one.
func waitForChild(t *testing.T, known ...int) int {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		names, _ := filepath.Glob("/proc/self/task/*/children")
		for _, name := range names {
			list, _ := os.ReadFile(name)
			for word := range strings.FieldsSeq(string(list)) {
				if pid, err := strconv.Atoi(word); err == nil && !slices.Contains(known, pid) {
					return pid
				}
			}
		}
	}
	t.Fatal("nothing was forked")
	return 0
}

// TestStoppedInFork has Ctrl-Z stop a program of a job that has been forked, and is not executed yet: nobody can know
// of that, and the shell waits for it. It goes on, and the key is lost.
func TestStoppedInFork(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	j.programs++
	j.Watch() // so that there is a relay
	j.programs--
	program, release := hangExec(t, "true")
	ended := make(chan world.Status)
	go func() {
		status, err := h.Run(t.Context(), &world.Command{Path: program, Args: []string{"true"}, Job: j})
		if err != nil {
			t.Error(err)
		}
		ended <- status
	}()
	pid := waitForChild(t, j.relay)
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(2 * time.Minute); ; {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WCONTINUED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != nil || pidIn(&info) != 0 {
			break
		}
		if time.Now().After(end) {
			t.Error("it does not go on")
			unix.Kill(pid, unix.SIGCONT)
			break
		}
		time.Sleep(time.Millisecond)
	}
	release()
	if status := <-ended; !status.Success() || j.stopped || len(j.Signals()) != 0 {
		t.Errorf("%+v; stopped %v, told of %d signals", status, j.stopped, len(j.Signals()))
	}
}

// TestSignalWhileForking has a program get a signal that comes after it was forked, and before anybody knows its id;
// and none that came before.
func TestSignalWhileForking(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	input, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	h.Signal(unix.SIGKILL)
	program, release := hangExec(t, "cat")
	r := &run{cmd: &world.Command{Path: program, Args: []string{"cat"}, Files: []int{int(input.Fd()), 1, 2}}, number: 1}
	started := make(chan error)
	go func() { started <- h.launchProgram(t.Context(), r) }()
	waitForChild(t)
	h.Signal(unix.SIGTERM)
	release()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	output.Close() // or it would read for ever
	if h.awaitCommand(r); r.status.Signal != unix.SIGTERM {
		t.Errorf("%+v", r.status)
	}
}

// TestSignalOwn has a signal be sent to the process of a command that runs, be told of, and not be sent to another that
// has its id.
func TestSignalOwn(t *testing.T) {
	var told []Notice
	h := openInside(t, Config{Whole: true, Observe: func(n Notice) { told = append(told, n) }})
	r := &run{cmd: &world.Command{Path: "shell"}, number: 1, pid: forkShell(t, "exec sleep 1000")}
	defer reapNow(r.pid)
	h.running[r.pid] = r
	h.signalOwn(unix.SIGTERM, &run{cmd: &world.Command{}, number: 2, pid: r.pid})
	h.signalOwn(unix.SIGTERM, &run{cmd: &world.Command{}, number: 3, pid: r.pid + 1})
	if len(told) != 0 {
		t.Errorf("told %+v, and no such command runs", told)
	}
	h.Signal(unix.SIGUSR1)
	want := []Notice{{Happening: Signalled, PID: r.pid, Command: "shell", Signal: unix.SIGUSR1}}
	if !slices.Equal(told, want) {
		t.Errorf("told %+v, want %+v", told, want)
	}
	if !h.table.TryLock() || !h.mu.TryLock() {
		t.Fatal("a lock is held for ever")
	}
	h.mu.Unlock()
	h.table.Unlock()
	delete(h.running, r.pid)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(r.pid, &status, 0, nil); err != nil || status.Signal() != unix.SIGUSR1 {
		t.Errorf("it ended with %v, %v", status, err)
	}
	r.pid = 0
}
