package faults

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/testdata/skip"
)

// hidden is the environment variable with the shell that this program tries where /proc hides processes.
const hidden = "FAULTS_HIDDEN"

// agent is a program that leaves a daemon which may be signalled and not be looked at, as ssh-agent does.
const agent = `[ -s agent.pid ] && exit
FAULTS_AGENT=agent.pid setsid PROGRAM < /dev/null > /dev/null 2>&1 &
until [ -s agent.pid ]; do sleep 0.01; done`

// playAgent is the daemon, which writes its process id to that file.
func playAgent(file string) {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	signal.Ignore(unix.SIGHUP)
	_ = os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o600)
	_ = os.Rename(file+".new", file)
	time.Sleep(time.Hour)
}

// endAgent ends the daemon of a stage.
func (s *stage) endAgent() {
	if pid, _ := strconv.Atoi(s.get("agent.pid")); pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// The faults are tried as another user, too, where /proc hides processes, with a daemon about that is hidden: all of
// them in the long form.
func TestHidepid(t *testing.T) {
	if os.Getenv(hidden) != "" {
		t.Skip("these are the faults where /proc hides processes")
	}
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, for a /proc of its own")
	}
	skip.Without(t, "unshare", "setpriv", "setsid")
	ways, tests := []string{"2"}, "^Test(Hidden|NoGuardian)$"
	if skip.Long() {
		ways = []string{"1", "2", "4"}
		tests = "^Test(Hidden|Kill.*|NoGuardian|Stop|ClosedStreams|NobodyReads|OneLog|FullLog|Spawn|.*Descriptors)$"
	}
	dir := filepath.Dir(program)
	binary := filepath.Join(dir, "faults.test")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(binary, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			temp := filepath.Join(dir, "hidepid"+way)
			const user = 65534
			if err := os.Mkdir(temp, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(temp, user, user); err != nil {
				t.Fatal(err)
			}
			// In a space of numbers of its own: before Linux 5.8 the option is for all of one's /proc.
			c := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c",
				`mount -o remount,hidepid=$0 /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"`, way,
				binary, "-test.run="+tests, "-test.timeout=20m", "-test.v")
			c.Dir = temp
			c.Env = append(os.Environ(), hidden+"="+program, "TMPDIR="+temp, "HOME="+temp)
			out, err := c.CombinedOutput()
			if strings.Contains(string(out), "mount: ") {
				skip.Test(t, "no /proc can be mounted: %s", out)
			}
			if passed := strings.Count(string(out), "--- PASS"); err != nil || passed == 0 {
				t.Errorf("%v, %d passed: %s", err, passed, out)
			}
		})
	}
}

// ended reports whether a process has ended, also one that cannot be seen.
func ended(pid int) bool {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return true
	}
	defer syscall.Close(handle)
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0)
	return n > 0
}

// hiding are the ways in which a command has a process that may not be looked at. PROGRAM writes its id to the file
// that FAULTS_AGENT names.
var hiding = map[string]string{
	"its own":         `FAULTS_AGENT=hidden.pid exec PROGRAM`,
	"a child":         `FAULTS_AGENT=hidden.pid PROGRAM; exit 1`,
	"one behind":      `FAULTS_AGENT=hidden.pid PROGRAM & exec sleep TAG`,
	"in a session":    `FAULTS_AGENT=hidden.pid setsid PROGRAM & exec sleep TAG`,
	"an orphan":       `(FAULTS_AGENT=hidden.pid PROGRAM &); exec sleep TAG`,
	"a hidden daemon": `(FAULTS_AGENT=hidden.pid setsid PROGRAM &); exec sleep TAG`,
}

// What may not be looked at ends with its command, at a limit and when the shell is asked to end; when that is killed
// or stopped, too, unless nothing tells whose it is.
func TestHidden(t *testing.T) {
	program := os.Args[0]
	if !filepath.IsAbs(program) {
		program = "/proc/" + itoa(os.Getpid()) + "/exe"
	}
	if os.Getenv(hidden) == "" && !skip.Long() {
		t.Skip("nothing hides here: TestHidepid runs it where that is so")
	}
	for name, command := range hiding {
		if !skip.Long() && name != "its own" && name != "an orphan" && name != "in a session" {
			continue
		}
		begin := func(s *stage, script string, args ...string) (c *exec.Cmd, pid int) {
			s.put("hide", "#!/bin/sh\n"+strings.NewReplacer("PROGRAM", program, "TAG", s.tag).Replace(command)+"\n", 0o755)
			c = s.start(s.shell(script, args...))
			s.until("the process to be up", func() bool { pid, _ = strconv.Atoi(s.get("hidden.pid")); return pid > 1 })
			s.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			return c, pid
		}
		gone := func(s *stage, pid int) {
			s.Helper()
			s.until("it to be gone", func() bool { return ended(pid) })
		}
		fault(t, name+" hides, and a limit passes", func(s *stage) {
			c, pid := begin(s, "try for 1 s\n    ./hide\ncatch\n    exit 9\nend\n")
			if got := s.wait(c); got.ExitStatus() != 9 {
				s.Errorf("ended with %s, want status 9", outcome(got))
			}
			gone(s, pid)
			s.nothingLeft()
		})
		fault(t, name+" hides, and the shell is asked to end", func(s *stage) {
			c, pid := begin(s, "./hide\n")
			s.must(c.Process.Signal(unix.SIGTERM))
			s.right(unix.SIGTERM, s.wait(c))
			gone(s, pid)
			s.nothingLeft()
		})
		if name == "an orphan" || name == "a hidden daemon" {
			continue
		}
		fault(t, name+" hides, and the shell is killed", func(s *stage) {
			c, pid := begin(s, "./hide\n")
			s.guardian(c)
			s.must(c.Process.Kill())
			s.wait(c)
			gone(s, pid)
			s.goneSoon()
		})
		fault(t, name+" hides, and the shell is stopped", func(s *stage) {
			c, pid := begin(s, "try for 1 s\n    ./hide\ncatch\n    exit 9\nend\n")
			s.guardian(c)
			s.must(c.Process.Signal(unix.SIGSTOP))
			gone(s, pid)
			s.must(c.Process.Signal(unix.SIGCONT))
			if got := s.wait(c); got.ExitStatus() != 9 {
				s.Errorf("ended with %s, want status 9", outcome(got))
			}
			s.nothingLeft()
		})
		fault(t, name+" hides, and the shell of a journal is killed", func(s *stage) {
			c, pid := begin(s, "./hide\n", "--journal", "./j")
			s.must(c.Process.Kill())
			s.wait(c)
			gone(s, pid)
			s.goneSoon()
			next := s.shell("./hide\n", "--continue", "./j")
			next.Args = append([]string{next.Args[0], "--continue", "./j"}, "--abandon")
			s.run(next, 1)
		})
	}
}
