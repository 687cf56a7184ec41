package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// playApart runs a play in a process of its own; it says on standard error what
// is wrong.
func playApart(t *testing.T, play string, env ...string) {
	t.Helper()
	c := exec.Command("/proc/self/exe")
	c.Env = append(append(os.Environ(), "PROCESS_TEST_PLAY="+play, "GORACE=atexit_sleep_ms=0"), env...)
	out, err := os.Create(filepath.Join(t.TempDir(), "out")) // no pipe: a survivor would hold it
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c.Stdout, c.Stderr = out, out
	if err := c.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		t.Errorf("%s: %v\n%.3000s", play, err, said)
	}
}

// useUpDescriptors leaves none below that limit.
func useUpDescriptors(limit uint64) {
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		panic(err)
	}
	for {
		if _, err := syscall.Dup(0); err != nil {
			return
		}
	}
}

// A shell that has no descriptor left still ends everything, and fails to start
// more in an orderly way.
func TestNoDescriptors(t *testing.T) {
	for name := range configs() {
		s := newStage(t)
		playApart(t, "scarce", "PROCESS_TEST_STAGE="+s.name, "PROCESS_TEST_CONFIG="+name)
		s.none()
	}
}

func playScarce() {
	cfg := configs()[os.Getenv("PROCESS_TEST_CONFIG")]
	clock := clock.New()
	cfg.Clock = clock
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	up, in, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	script := strings.ReplaceAll("SLEEP & (setsid SLEEP &) ; echo; SLEEP", "SLEEP", "sleep "+
		os.Getenv("PROCESS_TEST_STAGE"))
	done := make(chan error)
	go func() {
		_, err := h.Run(ctx, &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(),
			Files: []int{0, int(in.Fd()), 2}})
		done <- err
	}()
	up.Read(make([]byte, 1))
	for range 100 { // what began the script may still give back descriptors that it had for a moment
		useUpDescriptors(32)
		if _, err = h.Run(context.Background(), &world.Command{Path: "/bin/true", Args: []string{"true"}}); err != nil {
			break
		}
	}
	var start *world.StartError
	if !errors.As(err, &start) || !start.System() || start.Missing {
		fmt.Fprintln(os.Stderr, "started without descriptors:", err)
		os.Exit(1)
	}
	cancel(errCut)
	if err := <-done; err != errCut {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	h.Close()
	clock.Close()
}

// Without a process left, too. Root may always start one, so that another user
// tries; and Go needs its threads before.
func TestNoProcesses(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, to become a user who has no other processes")
	}
	playApart(t, "crowded")
}

func playCrowded() {
	const nobody = 64123
	if err := syscall.Setuid(nobody); err != nil {
		panic(err)
	}
	clock := clock.New()
	cfg := whole
	cfg.Clock, cfg.Guardian = clock, true
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	run := func() error {
		_, err := h.Run(context.Background(), &world.Command{Path: "/bin/true", Args: []string{"true"}})
		return err
	}
	if err := run(); err != nil {
		panic(err)
	}
	h.Rest()
	unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 1, Max: 1})
	var start *world.StartError
	if err := run(); !errors.As(err, &start) || !start.System() || start.Missing {
		fmt.Fprintln(os.Stderr, "started without processes:", err)
		os.Exit(1)
	}
	h.Close()
	clock.Close()
}

// Without /proc a command and its group are ended all the same.
func TestNoProc(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, to hide /proc")
	}
	for name, cfg := range configs() {
		s := newStage(t)
		if !cfg.Sessions {
			continue
		}
		playApart(t, "blind", "PROCESS_TEST_STAGE="+s.name, "PROCESS_TEST_CONFIG="+name)
		s.gone() // only the command's own process was waited for
	}
}

// playBlind starts again where /proc is hidden.
func playBlind() {
	if os.Getenv("PROCESS_TEST_BLIND") == "" {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), "PROCESS_TEST_BLIND=1")
		c.Stderr = os.Stderr
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if c.Run() != nil {
			os.Exit(1)
		}
		return
	}
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("none", "/proc", "tmpfs", 0, "")); err != nil {
		panic(err)
	}
	cfg := configs()[os.Getenv("PROCESS_TEST_CONFIG")]
	clock := clock.New()
	cfg.Clock = clock
	cfg.KillTimeout = 50 * time.Millisecond
	told := 0
	cfg.Observe = func(n process.Notice) {
		if n.Happening == process.Blind {
			told++
		}
	}
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	for _, script := range []string{"SLEEP & echo; SLEEP", "trap '' TERM; SLEEP & echo; SLEEP; SLEEP"} {
		up, in, _ := os.Pipe()
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() {
			up.Read(make([]byte, 1))
			cancel(errCut)
		}()
		script = strings.ReplaceAll(script, "SLEEP", "sleep "+os.Getenv("PROCESS_TEST_STAGE"))
		if _, err := h.Run(ctx, &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Env: os.Environ(),
			Files: []int{0, int(in.Fd()), 2}}); err != errCut {
			panic(err)
		}
	}
	if got, err := h.Run(context.Background(),
		&world.Command{Path: "/bin/false", Args: []string{"false"}}); got.Code != 1 || err != nil {
		panic(fmt.Sprint(got, err))
	}
	if told != 1 {
		fmt.Fprintf(os.Stderr, "said %d times that there is no /proc, want once\n", told)
		os.Exit(1)
	}
	h.Close()
	clock.Close()
}

// A process that has become another user's is named, and not waited for; the
// rest of the tree goes.
func TestForeign(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, to make a program setuid")
	}
	s := newStage(t)
	setuid := filepath.Join(s.dir, "setuid")
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	write.Program(t, setuid, data)
	os.Chmod(setuid, 0o755|os.ModeSetuid)
	for dir := s.dir; dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			os.Chmod(dir, info.Mode()|0o755)
		}
	}
	for name := range configs() {
		t.Run(name, func(t *testing.T) {
			playApart(t, "foreign", "PROCESS_TEST_STAGE="+s.name, "PROCESS_TEST_PROGRAM="+setuid, "PROCESS_TEST_CONFIG="+name)
			for _, pid := range s.alive() {
				if strings.HasPrefix(arguments(pid), "sleep") {
					t.Errorf("survived: %q", arguments(pid))
				}
			}
			s.end()
		})
	}
}

// playForeign is a shell of another user, whose command becomes root.
func playForeign() {
	const nobody = 64124
	if os.Getuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			panic(err)
		}
	}
	out := 0
	cfg := configs()[os.Getenv("PROCESS_TEST_CONFIG")]
	clock := clock.New()
	cfg.Clock = clock
	cfg.Observe = func(n process.Notice) {
		if n.Happening == process.OutOfReach {
			out++
		}
	}
	h, err := process.Open(cfg)
	if err != nil {
		panic(err)
	}
	up, in, _ := os.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		up.Read(make([]byte, 1))
		cancel(errCut)
	}()
	stage, program := os.Getenv("PROCESS_TEST_STAGE"), os.Getenv("PROCESS_TEST_PROGRAM")
	script := fmt.Sprintf("(setsid sleep %s &); sleep %s & exec %s %s", stage, stage, program, stage)
	_, err = h.Run(ctx, &world.Command{
		Path: "/bin/sh", Args: []string{"sh", "-c", script},
		Env: append(os.Environ(), "PROCESS_TEST_PLAY=root"), Files: []int{0, 1, 2, int(in.Fd())},
	})
	if err != errCut || out != 1 {
		fmt.Fprintln(os.Stderr, "got", err, "and", out, "out of reach")
		os.Exit(1)
	}
	h.Close()
	clock.Close()
}

// playRoot becomes root for good, if it is allowed to.
func playRoot() {
	if err := syscall.Setresuid(0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.NewFile(3, "").Write([]byte("\n"))
	time.Sleep(time.Hour)
}
