package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// The test binary is its own helper: as a guardian, and as a shell to be killed.
func TestMain(m *testing.M) {
	if status, served := process.Serve(os.Args[1:], signal.Notify, nil); served {
		if len(os.Args) == 1 || strings.HasPrefix(os.Args[1], "-test.") {
			fmt.Println("the tests were taken for a guardian")
			os.Exit(1)
		}
		os.Exit(status)
	}
	plays := map[string]func(){
		"shell": playShell, "scarce": playScarce, "crowded": playCrowded, "blind": playBlind,
		"grouped": playGrouped, "foreign": playForeign, "root": playRoot, "stops": playStops, "job": playJob,
		"watched": playWatched, "writer": playWriter,
	}
	if play := plays[os.Getenv("PROCESS_TEST_PLAY")]; play != nil {
		play()
		os.Exit(0)
	}
	startSignalLoop()
	before := holdings()
	code := m.Run()
	if left := leaks(before); left != "" && code == 0 {
		fmt.Println("left behind:", left)
		code = 1
	}
	os.Exit(code)
}

// startSignalLoop starts the goroutine of os/signal, which never ends: a test starts it
// where the tests were told to ignore a signal, as in the background of a script.
func startSignalLoop() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	signal.Stop(c)
}

// holding counts what a process could leak.
type holding struct{ goroutines, files int }

func holdings() holding {
	// The netpoller keeps two descriptors once it is used.
	r, w, _ := os.Pipe()
	r.Close()
	w.Close()
	files, _ := os.ReadDir("/proc/self/fd")
	return holding{runtime.NumGoroutine(), len(files)}
}

// leaks says what is there that was not before; goroutines that are ending get a second.
func leaks(before holding) string {
	for end := time.Now().Add(time.Second); ; runtime.Gosched() {
		now := holdings()
		_, err := syscall.Wait4(-1, nil, syscall.WNOHANG|unix.WALL, nil)
		switch {
		case now.goroutines <= before.goroutines && now.files <= before.files && err == syscall.ECHILD:
			return ""
		case time.Now().After(end):
			stacks := make([]byte, 1<<16)
			return fmt.Sprintf("%+v before, %+v now, children: %v\n%s", before, now, err, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// whole is the Config of the shell, without a guardian.
var whole = process.Config{Whole: true, Sessions: true, KillTimeout: 10 * time.Second}

func open(t testing.TB, cfg process.Config) *process.Host {
	t.Helper()
	clock := clock.New()
	cfg.Clock = clock
	h, err := process.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Close()
		clock.Close()
	})
	return h
}

// stage finds a test's processes: each carries its name in its
// arguments, so that they are found whatever they do to themselves.
type stage struct {
	t        testing.TB
	name     string
	up       *os.File // what they write to descriptor 3 comes here
	in       *os.File
	reported *bufio.Reader
	dir      string
}

var stages atomic.Int64

func newStage(t testing.TB) *stage {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// A decimal fraction, so that sleep(1) takes it too.
	s := &stage{t: t, name: fmt.Sprintf("1000.%d%06d", os.Getpid(), stages.Add(1)), up: r, in: w, dir: t.TempDir()}
	s.reported = bufio.NewReader(r)
	t.Cleanup(func() {
		if s.none(); t.Failed() {
			s.end()
		}
		r.Close()
		w.Close()
	})
	return s
}

// sh is a command for a shell script, in which SLEEP is a long sleep and TAG an
// argument that makes other programs be found.
func (s *stage) sh(script string) *world.Command {
	script = strings.NewReplacer("SLEEP", "sleep "+s.name, "TAG", s.name, "DIR", s.dir).Replace(script)
	return &world.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", script, s.name},
		Env:   []string{"PATH=/usr/bin:/bin", "LC_ALL=C"},
		Files: []int{0, 1, 2, int(s.in.Fd())},
	}
}

// twoWay lets the processes of a command read from descriptor 3 what they write
// to it themselves, so that one can wait for another.
func (s *stage) twoWay(c *world.Command) *world.Command {
	s.t.Helper()
	name := filepath.Join(s.dir, "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		s.t.Fatal(err)
	}
	fifo, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { fifo.Close() })
	c.Files[3] = int(fifo.Fd())
	return c
}

// end kills what is still there, and what that has forked meanwhile.
func (s *stage) end() {
	for left := s.alive(); len(left) > 0; left = s.alive() {
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// wait returns the next line that a process reports.
func (s *stage) wait() string {
	s.t.Helper()
	s.up.SetReadDeadline(time.Now().Add(3 * time.Minute))
	line, err := s.reported.ReadString('\n')
	if err != nil {
		s.t.Fatalf("nothing reported: %v", err)
	}
	return strings.TrimSpace(line)
}

// alive lists the processes of the stage that live, zombies not counted.
func (s *stage) alive() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() && s.lives(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lives tells whether a process is one of the stage, and lives.
func (s *stage) lives(pid int) bool {
	return strings.Contains(arguments(pid), s.name) && state(pid) != 'Z'
}

// arguments are a process's, NUL between them. While it is loading a program
// there are none.
func arguments(pid int) string {
	for {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if len(line) > 0 || err != nil {
			return string(line)
		}
		if _, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil || state(pid) == 'Z' {
			return ""
		}
	}
}

// none fails the test if there are any.
func (s *stage) none() {
	s.t.Helper()
	for _, pid := range s.alive() {
		line := arguments(pid)
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		s.t.Errorf("survived: %q, %s", line, status)
	}
}

// state is the letter of a process's state, 'Z' if there is none, or it is
// reaped and about to leave the table.
func state(pid int) byte {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(line), ") ")
	fields := strings.Fields(after)
	const threads = 20 - 3
	if err != nil || len(fields) <= threads || fields[threads] == "0" {
		return 'Z'
	}
	return fields[0][0]
}

// run runs a command and cancels it as soon as it has reported n lines.
func (s *stage) run(h *process.Host, c *world.Command, n int) (world.Status, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		for range n {
			s.wait()
		}
		cancel(errCut)
	}()
	return h.Run(ctx, c)
}

type cut struct{}

func (cut) Error() string { return "cut" }

var errCut error = cut{}
