package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"ftsh/interp/files"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
	"ftsh/testdata/write"
)

const againVariable = "PROCESS_TEST_AGAIN"

// runAgain is a command that runs a test once more, in a process of its own, where isAgain says so.
func runAgain(t *testing.T) *exec.Cmd {
	c := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), againVariable+"="+t.Name(), "GORACE=atexit_sleep_ms=0")
	return c
}

func isAgain(t *testing.T) bool { return os.Getenv(againVariable) == t.Name() }

// TestRunRelay has a relay say that it is ready, tell of each signal, and end with the shell.
func TestRunRelay(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	line, other := os.NewFile(uintptr(ends[0]), "line"), os.NewFile(uintptr(ends[1]), "other")
	c := exec.Command("/proc/self/exe", relayFlag)
	c.Stdin = other
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	other.Close()
	for i, sig := range []syscall.Signal{0, unix.SIGINT, unix.SIGQUIT, unix.SIGINT} {
		if sig != 0 {
			c.Process.Signal(sig)
		}
		var b [1]byte
		if n, err := line.Read(b[:]); n != 1 || err != nil || b[0] != byte(sig) {
			t.Errorf("%d: read %d, %v; want %d", i, b[0], err, sig)
		}
	}
	line.Close()
	over := make(chan struct{})
	go func() {
		defer close(over)
		err = c.Wait()
	}()
	if !isClosed(over) {
		t.Error("it outlives the shell")
		c.Process.Kill()
		<-over
	}
	if err != nil {
		t.Error(err)
	}
}

// TestForeground has a terminal be given to the programs of a job only while there are some, and the job is in the
// foreground; in between it is the shell's.
func TestForeground(t *testing.T) {
	if !isAgain(t) {
		c := runAgain(t)
		terminal, err := pty.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		defer terminal.Close()
		said, _ := io.ReadAll(terminal) // which fails at the end
		if err := c.Wait(); err != nil || !strings.Contains(string(said), "PASS") {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	h := openInside(t, Config{Whole: true})
	group, own := forkGroup(t), unix.Getpgrp()
	defer reapNow(group)
	watchGives(t, h, own, group)
	leavingGives(t, h, own, group)
	SetForeground(0, own)
	onOwnThread(func() {
		SetForeground(0, own)
		var blocked unix.Sigset_t
		err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &blocked)
		if err != nil || blocked.Val[0]&(1<<(unix.SIGTTOU-1)) != 0 {
			t.Errorf("%v; blocked are %x", err, blocked.Val[0])
		}
	})
}

// holder returns the process group that has the terminal.
func holder(t *testing.T) int {
	t.Helper()
	group, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	if err != nil {
		t.Fatal(err)
	}
	return group
}

// watchGives has jobs watched, of which one with programs and a group gets the terminal.
func watchGives(t *testing.T, h *Host, own, group int) {
	t.Helper()
	for _, foreground := range []bool{true, false} {
		for programs := range 2 {
			for _, has := range []int{0, group} {
				j := h.NewJob(0)
				j.foreground, j.programs, j.group, j.closed = foreground, programs, has, true // so that no relay is needed
				want := own
				if foreground && programs > 0 && has != 0 {
					want = group
				}
				j.Watch()
				if got := holder(t); got != want {
					t.Errorf("foreground %v, %d programs, group %d: it is %d's, want %d's", foreground, programs, has, got, want)
				}
				SetForeground(0, own)
			}
		}
	}
}

// leavingGives has a program of a job end or stop: if it was the last, the shell takes the terminal back.
func leavingGives(t *testing.T, h *Host, own, group int) {
	t.Helper()
	for _, foreground := range []bool{true, false} {
		for programs := 1; programs <= 2; programs++ {
			j := &Job{host: h, own: own, programs: programs, foreground: foreground, stops: map[int]bool{}}
			r := &run{pid: 4000, cmd: &world.Command{Job: j}}
			for name, leave := range map[string]func(){"ended": func() { j.leaveProgram(4000) }, "stopped": r.takeStop} {
				SetForeground(0, group)
				j.programs, j.stopped, j.foreground = programs, false, foreground
				clear(j.stops)
				want := group
				if programs == 1 && foreground {
					want = own
				}
				leave()
				if got := holder(t); got != want {
					t.Errorf("one of %d has %s, foreground %v: it is %d's, want %d's", programs, name, foreground, got, want)
				}
			}
		}
	}
}

// TestHandlesOfOne has only the programs of that job be asked for their handlers, among many others.
func TestHandlesOfOne(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j, other := h.NewJob(-1), h.NewJob(-1)
	defer j.Close()
	defer other.Close()
	h.running[h.self] = &run{cmd: &world.Command{Job: j}} // Go has handlers for most
	for i := range 30 {
		h.running[1<<22+i] = &run{cmd: &world.Command{Job: other}}
	}
	for range 30 {
		if !j.Handles(unix.SIGHUP) || j.Handles(unix.SIGKILL) || other.Handles(unix.SIGHUP) {
			t.Fatal("it does not handle what it does, or another's")
		}
	}
	clear(h.running)
}

// TestHandlesBeforeEntered has programs be asked that have started, and have a handler, before the shell has noted it;
// but no relay, nor one of another job.
func TestHandlesBeforeEntered(t *testing.T) {
	h := openInside(t, Config{Whole: true})
	j := h.NewJob(-1)
	defer j.Close()
	for _, tt := range []struct {
		marker  string
		under   int // starts that are under way
		older   bool
		group   bool
		handles bool
	}{
		{"7", 1, false, true, true}, {"7", 0, false, true, false}, {"7", 1, true, true, false},
		{"7", 1, false, false, false}, {nobody, 1, false, true, false},
	} {
		c := exec.Command("/bin/sh", "-c", "trap 'exit 5' USR1; echo; read line")
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		c.Env = append(os.Environ(), markerName+"="+tt.marker)
		hold, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		said, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said.Read(make([]byte, 1))
		h.mu.Lock()
		h.forks.under, h.forks.since, j.group = tt.under, 0, h.self
		if tt.older {
			h.forks.since = procfs.Now() + 1
		}
		if tt.group {
			j.group = c.Process.Pid
		}
		h.mu.Unlock()
		if got := j.Handles(unix.SIGUSR1); got != tt.handles || j.Handles(unix.SIGUSR2) {
			t.Errorf("%+v: it is said to handle it: %v", tt, got)
		}
		hold.Close()
		c.Wait()
	}
	h.forks.under, j.group = 0, 0
}

// TestExec has this process become a script that has no first line, by the shell; and stay what it is where a text is
// not executable, or a program is for another machine.
func TestExec(t *testing.T) {
	if isAgain(t) {
		name := os.Getenv("PROCESS_TEST_PROGRAM")
		c := &world.Command{Path: filepath.Base(name), Args: []string{"name", "a b"},
			Dir: files.Directory{Name: filepath.Dir(name)}}
		if err := os.Chdir(c.Dir.Name); err != nil {
			t.Fatal(err)
		}
		fmt.Println(Exec(c, []string{"VALUE=7"}))
		return
	}
	dir := t.TempDir()
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		want       string
	}{
		{"script", "echo \"$1 $VALUE\"\n", 0o755, "a b 7\n"},
		{"-script", "echo \"$0 $1 $VALUE\"\n", 0o755, "./-script a b 7\n"},
		{"interpreted", "#!/bin/sh\necho \"$1 $VALUE\"\n", 0o755, "a b 7\n"},
		{"plain", "echo executed\n", 0o644, "plain: not executable\n"},
		{"binary", "\x00\x01", 0o755, "binary: not a program for this machine\n"},
	} {
		write.Program(t, filepath.Join(dir, tt.name), tt.text)
		if err := os.Chmod(filepath.Join(dir, tt.name), tt.mode); err != nil {
			t.Fatal(err)
		}
		c := runAgain(t)
		c.Env = append(c.Env, "PROCESS_TEST_PROGRAM="+filepath.Join(dir, tt.name))
		if out, err := c.CombinedOutput(); !strings.HasPrefix(string(out), tt.want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, out, err, tt.want)
		}
	}
}

// TestDirectoryWithoutProc has a program be started in a directory that is known by a descriptor alone, where /proc
// does not lead to it; and the reason be told where one cannot go there.
func TestDirectoryWithoutProc(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, to hide /proc")
	}
	if !isAgain(t) {
		c := runAgain(t)
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	open := func(name string) files.Directory {
		fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return files.Directory{Name: "/no/such", FD: fd}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write.Program(t, filepath.Join(dir, "program"), "#!/bin/sh\necho >there\n")
	folder, none := open(dir), open(file)
	shown := "/proc/self/fd/" + strconv.Itoa(folder.FD)
	there := func(d files.Directory) error { return runsIn(d, dir) }
	if err := there(folder); err != nil || !leadsTo(shown, folder) {
		t.Errorf("by /proc: %v", err)
	}
	if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("none", "/proc", "tmpfs", 0, "")); err != nil {
		t.Fatal(err)
	}
	for _, shows := range []struct {
		name string
		make func() error
	}{
		{"nothing", func() error { return nil }},
		{"a folder of another file system", func() error { return os.MkdirAll(shown, 0o700) }},
		{"another folder", func() error { return errors.Join(os.Remove(shown), os.Symlink(t.TempDir(), shown)) }},
	} {
		if err := shows.make(); err != nil {
			t.Fatal(err)
		}
		if err := there(folder); err != nil || leadsTo(shown, folder) {
			t.Errorf("/proc shows %s: %v", shows.name, err)
		}
	}
	if err := there(none); !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("in a file: %v", err)
	}
	if here, err := os.Getwd(); err != nil || here == dir {
		t.Errorf("the process has gone there itself: %s, %v", here, err)
	}
}

// runsIn runs the program of a directory there, and sees that it has run in dir.
func runsIn(d files.Directory, dir string) error {
	attr := syscall.ProcAttr{Dir: "/proc/self/fd/" + strconv.Itoa(d.FD), Env: os.Environ()}
	pid, err := forkExecIn(d, "./program", []string{"program"}, &attr)
	if err == nil {
		syscall.Wait4(pid, nil, 0, nil)
	}
	_, found := os.Stat(filepath.Join(dir, "there"))
	os.Remove(filepath.Join(dir, "there"))
	return errors.Join(err, found)
}
