package faults

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// stage is a folder in which one fault is tried.
type stage struct {
	*testing.T
	dir  string // where scripts run; the programs below are there
	temp string // TMPDIR
	log  string
	tag  string // in the arguments, and in the environment, of all processes
	rand *rand.Rand

	early holdings // of a soak
}

// patience limits the wait for what has to happen, on the slowest machine.
const patience = time.Minute

var stages atomic.Int64

// programs are run by scripts. step notes in the file truth that it was there; leave
// fails, and leaves processes of all sorts; hold does the same and stays; page writes
// a long text; TAG is the stage's.
var programs = map[string]string{
	"step": `echo "$1" >> truth; echo "$1"`,
	"leave": `(setsid sleep TAG &) ; sleep TAG & (sleep TAG &)
sh -c 'trap "" HUP INT TERM; kill -STOP $$; exec sleep TAG' &
exit 3`,
	"hold": `(setsid sleep TAG &) ; sleep TAG & setsid sleep TAG &
env -i PATH="$PATH" sleep TAG &
echo holding >> truth
exec sleep TAG`,
	"page": `n=0; while [ $n -lt 500 ]; do echo "$1 of a text that must not be torn"; n=$((n+1)); done; echo end of "$1"`,
}

func newStage(t *testing.T) *stage {
	t.Helper()
	number := stages.Add(1)
	// A decimal fraction, so that sleep(1) takes it too.
	s := &stage{T: t, dir: t.TempDir(), tag: fmt.Sprintf("1000.%d%05d", os.Getpid(), number)}
	s.rand = rand.New(rand.NewPCG(*seed, uint64(number)))
	s.temp, s.log = filepath.Join(s.dir, "temp"), filepath.Join(s.dir, "log")
	s.must(os.Mkdir(s.temp, 0o700))
	for name, text := range programs {
		s.put(name, "#!/bin/sh\n"+strings.ReplaceAll(text, "TAG", s.tag)+"\n", 0o755)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("-seed %d", *seed)
		}
		s.end()
	})
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// put makes a file in the stage's directory.
func (s *stage) put(name, text string, mode os.FileMode) {
	s.Helper()
	s.must(os.WriteFile(filepath.Join(s.dir, name), []byte(text), mode))
}

// get returns the contents of a file in the stage's directory; "" if it is not there.
func (s *stage) get(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(text)
}

// shell is the shell with a script, which it finds in its first argument. It logs
// everything, and its kill timeout is a fifth of a second.
func (s *stage) shell(script string, args ...string) *exec.Cmd {
	s.Helper()
	if os.Getenv(hidden) != "" {
		s.put("agent", "#!/bin/sh\n"+strings.ReplaceAll(agent, "PROGRAM", os.Args[0])+"\n", 0o755)
		script = "./agent\n" + script
	}
	s.put("script.ftsh", script, 0o644)
	c := exec.Command(program, append(append([]string{"-t", "0.2", "-f", s.log, "-l", "40", "--log-format", "json"},
		args...), "script.ftsh", s.tag)...)
	c.Dir = s.dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + s.temp, "HOME=" + s.dir, "LC_ALL=C", "FAULT=" + s.tag,
		"GORACE=atexit_sleep_ms=0 log_path=race"}
	c.Stdout, c.Stderr = s.file("out"), s.file("err")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c
}

// file is a new file for a stream. (A pipe would be held by survivors.)
func (s *stage) file(name string) *os.File {
	s.Helper()
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	s.must(err)
	s.Cleanup(func() { f.Close() })
	return f
}

// start starts a shell.
func (s *stage) start(c *exec.Cmd) *exec.Cmd {
	s.Helper()
	s.must(c.Start())
	s.Cleanup(func() { _ = c.Process.Kill(); _, _ = c.Process.Wait() })
	return c
}

// wait returns how a shell ended.
func (s *stage) wait(c *exec.Cmd) syscall.WaitStatus {
	s.Helper()
	late := time.AfterFunc(patience, func() {
		s.Errorf("the shell hangs")
		_ = c.Process.Signal(syscall.SIGKILL)
	})
	err := c.Wait()
	late.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	return c.ProcessState.Sys().(syscall.WaitStatus)
}

// run runs a shell to its end, and wants that exit status.
func (s *stage) run(c *exec.Cmd, want int) {
	s.Helper()
	if got := s.wait(s.start(c)); !got.Exited() || got.ExitStatus() != want {
		s.Errorf("ended with %s, want status %d", outcome(got), want)
	}
}

// until waits for something.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("waited in vain for %s", what)
		}
	}
}

// holding waits until as many programs hold.
func (s *stage) holding(n int) {
	s.Helper()
	s.until("programs to be up", func() bool { return strings.Count(s.get("truth"), "holding\n") >= n })
}

// alive are the processes of the stage that live, guardians included, by id.
func (s *stage) alive() map[int]string {
	found := map[int]string{}
	names, _ := filepath.Glob("/proc/[1-9]*")
	for _, name := range names {
		line, _ := os.ReadFile(name + "/cmdline")
		environ, _ := os.ReadFile(name + "/environ")
		ours := bytes.Contains(line, []byte(s.tag)) || bytes.Contains(environ, []byte("FAULT="+s.tag+"\x00"))
		if pid, _ := strconv.Atoi(filepath.Base(name)); ours && !over(name) {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return found
}

// over tells that a process has ended.
func over(proc string) bool {
	stat, err := os.ReadFile(proc + "/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err != nil || rest == "" || rest[0] == 'Z' || rest[0] == 'X'
}

// end kills what is still there.
func (s *stage) end() {
	s.endAgent()
	for left := s.alive(); len(left) > 0; left = s.alive() {
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
