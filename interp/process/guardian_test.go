package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

// playShell is a shell with a guardian that runs its arguments as scripts, all at
// once, and then does what its standard input says, line by line: "rest",
// "close", or a script to run again and again.
func playShell() {
	report := os.NewFile(3, "")
	joinGroup()
	clock := clock.New()
	h, err := process.Open(process.Config{
		Clock: clock, Whole: true, Sessions: true, Guardian: true,
		KillTimeout: 300 * time.Millisecond,
		Marker:      os.Getenv("FTSH_COMMAND"), Observe: func(n process.Notice) {
			if n.Happening == process.Unguarded {
				fmt.Fprintln(report, "unguarded")
			}
		},
	})
	if err != nil {
		panic(err)
	}
	if name := os.Getenv("PROCESS_TEST_HOLD"); name != "" {
		fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if err != nil || unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK}) != nil {
			panic("cannot lock")
		}
		h.Hold(fd)
	}
	var all sync.WaitGroup
	for _, script := range os.Args[1:] {
		all.Go(func() { playScript(h, script) })
	}
	all.Wait()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch line := lines.Text(); line {
		case "rest":
			h.Rest()
			fmt.Fprintln(report, "rested")
		case "close":
			h.Close()
			clock.Close()
			fmt.Fprintln(report, "closed")
		default:
			for {
				playScript(h, line)
			}
		}
	}
}

func playScript(h *process.Host, script string) {
	ctx := context.Background()
	if limit, err := time.ParseDuration(os.Getenv("PROCESS_TEST_LIMIT")); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	h.Run(ctx, &world.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(), Files: []int{0, 1, 2, 3},
	})
}

// shell starts the test binary as such a shell, with this process as the one
// that its orphans come to.
func (s *stage) shell(scripts ...string) *exec.Cmd {
	s.t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	for i, script := range scripts {
		scripts[i] = strings.NewReplacer("SLEEP", "sleep "+s.name, "TAG", s.name).Replace(script)
	}
	c := exec.Command("/proc/self/exe", scripts...)
	c.Env = append(os.Environ(), "PROCESS_TEST_PLAY=shell", "GORACE=atexit_sleep_ms=0", "PROCESS_TEST_STAGE="+s.name)
	c.ExtraFiles = []*os.File{s.in}
	c.Stderr = os.Stderr
	return c
}

// gone returns when none of the stage is left; after a while it fails the test.
func (s *stage) gone() {
	s.t.Helper()
	end := time.Now().Add(patience)
	for left := s.alive(); len(left) > 0; {
		if !s.lives(left[0]) { // to look for others is costly
			if left = left[1:]; len(left) == 0 {
				left = s.alive()
			}
			continue
		}
		if pause(); time.Now().After(end) {
			s.none()
			s.t.FailNow()
		}
	}
}

// childrenEnd returns when this process has no children any more; after a while
// it fails the test.
func (s *stage) childrenEnd() {
	s.t.Helper()
	began := time.Now()
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.ECHILD:
			return
		case time.Since(began) > patience:
			s.none()
			s.t.Fatal("something lives on")
		case pid == 0:
			pause()
		}
	}
}

// times says how often something random is tried.
func times(long, short int) int {
	if skip.Long() {
		return long
	}
	return short
}

// patience limits the time that a test waits for what must come. It passes only in failing.
const patience = 2 * time.Minute

// pause leaves the processor to what a test waits for.
func pause() { syscall.Select(0, nil, nil, nil, &syscall.Timeval{Usec: 1000}) }

// guardianOf finds a shell's guardian, 0 if it has none.
func guardianOf(shell int) int {
	tasks := fmt.Sprintf("/proc/%d/task/", shell)
	entries, _ := os.ReadDir(tasks)
	for _, entry := range entries {
		list, _ := os.ReadFile(tasks + entry.Name() + "/children")
		for word := range strings.FieldsSeq(string(list)) {
			pid, _ := strconv.Atoi(word)
			comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			if string(comm) == "ftsh-guardian\n" && state(pid) != 'Z' {
				return pid
			}
		}
	}
	return 0
}

// guardianFiles counts the descriptors of a guardian: its end of the socket, twice, and the table.
const guardianFiles = 3

// guardian waits until a shell has one that has its name.
func (s *stage) guardian(shell *exec.Cmd) int {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); pause() {
		pid := guardianOf(shell.Process.Pid)
		if files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); pid != 0 && len(files) <= guardianFiles &&
			strings.HasPrefix(arguments(pid), "ftsh-guardian") {
			return pid
		}
	}
	s.t.Fatal("no guardian")
	return 0
}

// A shell that is killed takes everything with it that was under way, and
// nothing else.
func TestGuardian(t *testing.T) {
	type guarded struct {
		name    string
		scripts []string
	}
	cases := []guarded{
		{"forks on", []string{"trap '' TERM; echo >&3; while :; do (setsid sh -c 'trap \"\" TERM; SLEEP' TAG &); SLEEP & " +
			"sleep 0.01; done"}},
		{"one", []string{"echo >&3; SLEEP"}},
		{"daemons", []string{"SLEEP & setsid SLEEP & (SLEEP &); (setsid SLEEP &); echo >&3; SLEEP"}},
		{"stubborn", []string{"trap '' TERM; setsid SLEEP & (setsid SLEEP &); echo >&3; SLEEP"}},
		{"environment cleared", []string{
			"(env -i SLEEP &) ; env -i setsid sh -c 'setsid SLEEP & wait' TAG & sleep 0.1; echo >&3; SLEEP"}},
		{"many", []string{"echo >&3; SLEEP", "(setsid SLEEP &); echo >&3; SLEEP", "setsid SLEEP & echo >&3; wait"}},
		{"stopped", []string{"SLEEP & kill -STOP $!; (setsid sh -c 'kill -STOP $$; SLEEP' TAG &); echo >&3; kill -STOP $$"}},
		{"groups", []string{"set -m; SLEEP & (SLEEP &); echo >&3; wait"}},
		{"hundreds", []string{strings.ReplaceAll(tree, "SIZE", strconv.Itoa(times(1000, 500)))}},
	}
	alone := len(cases) - 1 // while so many start, one that forks on would fork for seconds
	for _, together := range [][]guarded{cases[:alone], cases[alone:]} {
		var killed []*killedShell
		for _, tt := range together {
			killed = append(killed, newKilledShell(t, syscall.SIGKILL, tt.scripts...))
		}
		endAll(t, killed, func(i int) string { return together[i].name })
	}
}

// A killedShell is one whose guardian ends what it leaves, while those of others do so, too.
type killedShell struct {
	*stage
	bystander *stage // what is not the shell's
	shell     *exec.Cmd
	signal    syscall.Signal
	scripts   int
}

func newKilledShell(t *testing.T, signal syscall.Signal, scripts ...string) *killedShell {
	t.Helper()
	k := &killedShell{stage: newStage(t), bystander: newStage(t), signal: signal, scripts: len(scripts)}
	other := exec.Command("setsid", "sleep", k.bystander.name)
	other.Env = []string{"PATH=/usr/bin:/bin", "FTSH_COMMAND=/else.1"}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	other.Process.Release()
	k.shell = k.stage.shell(scripts...)
	if signal != syscall.SIGKILL {
		k.shell.Stderr = nil // where the runtime tells of all goroutines
	}
	if err := k.shell.Start(); err != nil {
		t.Fatal(err)
	}
	return k
}

// endAll ends shells, and returns when nothing of them is left.
func endAll(t *testing.T, killed []*killedShell, name func(int) string) {
	t.Helper()
	for i, k := range killed {
		for range k.scripts {
			k.wait()
		}
		k.guardian(k.shell)
		k.shell.Process.Signal(k.signal)
		if k.shell.Wait() == nil {
			t.Errorf("%s: the shell ended well", name(i))
		}
	}
	for i, k := range killed {
		k.gone()
		if len(k.bystander.alive()) != 1 {
			t.Errorf("%s: it ended what it should not", name(i))
		}
		k.bystander.end()
	}
	killed[0].childrenEnd()
}

// What was under way is ended after a crash of the shell, too.
func TestGuardianOfCrash(t *testing.T) {
	var killed []*killedShell
	for _, sig := range []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE,
		syscall.SIGILL, syscall.SIGSYS, syscall.SIGTRAP} {
		killed = append(killed, newKilledShell(t, sig, "(setsid SLEEP &); SLEEP & echo >&3; SLEEP"))
	}
	endAll(t, killed, func(i int) string { return unix.SignalName(killed[i].signal) })
}

// At whatever moment the shell is killed, nothing is left.
func TestGuardianAtAnyMoment(t *testing.T) {
	const together = 6
	for range times(5, 1) {
		var killed []*stage
		for range together {
			s := newStage(t)
			c := s.shell("sleep 0.03") // so that there is a guardian for whatever follows
			in, _ := c.StdinPipe()
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, "(setsid sleep %s &); sleep %s & echo >&3; exit 1\n", s.name, s.name)
			for range 1 + rand.IntN(3) {
				s.wait()
			}
			moment := syscall.NsecToTimeval(rand.Int64N(5e6))
			syscall.Select(0, nil, nil, nil, &moment)
			c.Process.Kill()
			c.Wait()
			killed = append(killed, s)
		}
		killed[0].childrenEnd()
		for _, s := range killed {
			s.none()
		}
	}
}

// The guardian is small, holds nothing that is not its own, and leaves when the
// shell rests, ends, or dies with nothing under way.
func TestGuardianIsModest(t *testing.T) {
	s := newStage(t)
	c := s.shell("echo >&3; read x")
	in, _ := c.StdinPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	pid := s.guardian(c)
	if files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)); len(files) != guardianFiles {
		t.Errorf("it has %d descriptors", len(files))
	}
	if environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); !bytes.Contains(environ,
		[]byte("PROCESS_TEST_PLAY=shell")) {
		t.Errorf("its environment is %q", environ)
	}
	for _, line := range []string{"", "rest", "close"} {
		fmt.Fprintln(in, line)
		if line == "" {
			continue // its command ends
		}
		s.wait()
		if pid := guardianOf(c.Process.Pid); pid != 0 {
			t.Errorf("it lives after %q", line)
		}
	}
	in.Close()
	c.Wait()
	s.childrenEnd()
}

// Stopping the guardian does not stop the shell, and with nothing under way it
// leaves without a word.
func TestGuardianStopped(t *testing.T) {
	s := newStage(t)
	c := s.shell("echo >&3; read x")
	in, _ := c.StdinPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	syscall.Kill(s.guardian(c), syscall.SIGSTOP)
	fmt.Fprintln(in, "") // its command ends
	fmt.Fprintln(in, "rest")
	s.wait()
	fmt.Fprintln(in, "echo >&3")
	s.wait()
	c.Process.Kill()
	c.Wait()
	s.childrenEnd()
}

// The program may be gone by then.
func TestGuardianOfDeletedProgram(t *testing.T) {
	s := newStage(t)
	copied := filepath.Join(s.dir, "shell")
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	write.Program(t, copied, data)
	c := s.shell("(setsid SLEEP &); echo >&3; SLEEP")
	c.Path = copied
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	s.guardian(c)
	os.Remove(copied)
	c.Process.Kill()
	c.Wait()
	s.childrenEnd()
	s.none()
}
