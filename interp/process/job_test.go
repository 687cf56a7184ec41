package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// playJob runs programs on the terminal that is its standard input, and says on descriptor 3 what comes of each.
func playJob() {
	report := os.NewFile(3, "")
	h, err := process.Open(process.Config{Clock: clock.New(), Whole: true})
	if err != nil {
		panic(err)
	}
	job := h.NewJob(0)
	ctx, cancel := context.WithCancelCause(context.Background())
	run := func(script string, during func()) {
		ended := make(chan string, 1)
		go func() {
			status, err := h.Run(ctx, &world.Command{Path: "/bin/sh", Args: []string{"sh", "-c", script},
				Env: []string{"PATH=/usr/bin:/bin"}, Files: []int{0, 1, 2, 3}, Job: job})
			ended <- fmt.Sprint("ended ", status.Code, " ", int(status.Signal), " ", err)
		}()
		during()
		fmt.Fprintln(report, <-ended)
		fmt.Fprintln(report, "the terminal is "+holder())
	}
	signals := func() { fmt.Fprintln(report, "signal", unix.SignalName(<-job.Signals())) }
	run(`echo runs >&3; read line; echo "read $line" >&3`, func() {})
	run(`echo runs >&3; read line; echo "read $line" >&3`, func() {
		signals()
		fmt.Fprintln(report, "the terminal is "+holder())
		job.Continue()
		fmt.Fprintln(report, "the terminal is "+holder())
	})
	run(`trap 'exit 7' QUIT; echo runs >&3; while :; do read line; done`, func() {
		signals()
	})
	run(`trap 'exit 7' QUIT; echo runs >&3; read line; echo "read $line" >&3; until test -e never; do sleep 0.01; done`,
		func() {
			signals()
			fmt.Fprintln(report, "handled", job.Handles(unix.SIGQUIT), job.Handles(unix.SIGTERM))
			waits := make(chan error)
			go func() {
				_, err := h.Run(ctx, &world.Command{Path: "/bin/true", Args: []string{"true"}, Job: job})
				waits <- err
			}()
			cancel(errors.New("over"))
			fmt.Fprintln(report, "another", <-waits)
		})
	job.Close()
	job.Close()
	if err := h.Close(); err != nil {
		panic(err)
	}
	fmt.Fprintln(report, "closed")
}

// holder says whose the terminal is.
func holder() string {
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	switch {
	case err != nil:
		return err.Error()
	case group == unix.Getpgrp():
		return "the shell's"
	}
	return "the programs'"
}

// TestJob has programs on a terminal: keys reach them and not the shell, which is told of them, and gets the terminal
// back when they end or stop. Another program of a stopped job is not begun.
func TestJob(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), "PROCESS_TEST_PLAY=job", "GORACE=atexit_sleep_ms=0")
	c.ExtraFiles = []*os.File{w}
	terminal, err := pty.Start(c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	lines := bufio.NewScanner(r)
	for _, step := range []struct{ want, keys string }{
		{"runs", "first\n"}, {"read first", ""}, {"ended 0 0 <nil>", ""}, {"the terminal is the shell's", ""},
		{"runs", "\x1a"}, {"signal SIGTSTP", ""}, {"the terminal is the shell's", ""},
		{"the terminal is the programs'", "second\n"},
		{"read second", ""}, {"ended 0 0 <nil>", ""}, {"the terminal is the shell's", ""},
		{"runs", "\x03"}, {"signal SIGINT", ""}, {"ended 0 2 <nil>", ""}, {"the terminal is the shell's", ""},
		{"runs", "\x1a"}, {"signal SIGTSTP", ""}, {"handled true false", ""}, {"another over", ""}, {"ended 0 15 over", ""},
		{"the terminal is the shell's", ""}, {"closed", ""},
	} {
		if !lines.Scan() {
			t.Fatalf("it ended before %q: %v", step.want, lines.Err())
		}
		if lines.Text() != step.want {
			t.Errorf("%q, wanted %q", lines.Text(), step.want)
		}
		if _, err := terminal.WriteString(step.keys); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestDirectory has names as system calls want them, and programs that run in a directory whose name is another's by
// now.
func TestDirectory(t *testing.T) {
	for _, test := range []struct {
		dir      files.Directory
		name     string
		fd       int
		relative string
	}{
		{files.Directory{}, "a", unix.AT_FDCWD, "a"},
		{files.Directory{}, "/a", unix.AT_FDCWD, "/a"},
		{files.Directory{Name: "/d"}, "a", unix.AT_FDCWD, "/d/a"},
		{files.Directory{Name: "/d"}, "/a", unix.AT_FDCWD, "/a"},
		{files.Directory{Name: "/d", FD: 7}, "a", 7, "a"},
		{files.Directory{Name: "/d", FD: 7}, "/a", 7, "/a"},
	} {
		if fd, relative := test.dir.At(test.name); fd != test.fd || relative != test.relative {
			t.Errorf("%+v, %s: %d, %s", test.dir, test.name, fd, relative)
		}
	}
	h, s := open(t, whole), newStage(t)
	name := filepath.Join(s.dir, "one")
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := errors.Join(os.Rename(name, name+".moved"), os.Mkdir(name, 0o700)); err != nil {
		t.Fatal(err)
	}
	c := s.sh("pwd -P > where; exit 0")
	c.Dir = files.Directory{Name: name, FD: int(dir.Fd())}
	if status, err := h.Run(t.Context(), c); !status.Success() || err != nil {
		t.Fatal(status, err)
	}
	where, err := os.ReadFile(filepath.Join(name+".moved", "where"))
	if !strings.HasSuffix(strings.TrimSpace(string(where)), "one.moved") || err != nil {
		t.Errorf("it ran in %q, %v", where, err)
	}
}

// TestEndOfLeft has what is known of a dead shell's commands by their markers, and what is not.
func TestEndOfLeft(t *testing.T) {
	h, s := open(t, whole), newStage(t)
	left := h.Left()
	if left.Marker == "" || left.Born == 0 {
		t.Fatalf("%+v", left)
	}
	if got, err := (process.Left{}).End(process.Config{Clock: clock.New()}); got != process.Unseen || err != nil {
		t.Errorf("of nobody: %v, %v", got, err)
	}
	if got, err := left.End(process.Config{Clock: clock.New()}); got != process.Unseen || err != nil {
		t.Errorf("with no number: %v, %v", got, err)
	}
	if status, err := h.Run(t.Context(), s.sh("true")); !status.Success() || err != nil {
		t.Fatal(status, err)
	}
	left.Numbers = []uint64{1}
	if got, err := left.End(process.Config{Clock: clock.New()}); got != process.NoneSeen || err != nil {
		t.Errorf("after its end: %v, %v", got, err)
	}
}
