package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// busy is a script in which all that the shell can be doing is under way at some moment.
const busy = `
forall branch in 1 2 3
    for n in 1 2 3 4
        ./step "$branch.$n" -> said
        try 2 times every 1 ms
            ./leave
        catch
            ./step "$branch.$n.caught" | cat | cat >> caught
        end
        ./page $n => page.$branch
        head -c 1500000 /dev/zero -> large
        try for 20 ms
            ./hold
        catch
            true
        end
    end
end
`

// Each signal, at a random moment. Five of them cancel the script, some are a
// crash of the shell, two may end its programs, and the others are not meant for it.
func TestKill(t *testing.T) {
	for sig := syscall.Signal(1); sig <= 31; sig++ {
		switch sig {
		case unix.SIGSTOP, unix.SIGCONT, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU:
			continue // see stop_test.go
		}
		fault(t, "killed at a random moment by "+unix.SignalName(sig), func(s *stage) { s.kill(sig) })
	}
}

// kill runs the script and signals the shell.
func (s *stage) kill(sig syscall.Signal) {
	for _, branch := range []string{"1", "2", "3"} {
		s.put("page."+branch, page("old"), 0o644)
	}
	c := s.start(s.shell(busy))
	if s.rand.IntN(8) > 0 {
		s.until("the script to begin", func() bool { return s.get("truth") != "" })
	}
	if crashes(sig) {
		s.guardian(c)
	}
	time.Sleep(time.Duration(s.rand.Int64N(int64(400 * time.Millisecond))))
	_ = c.Process.Signal(sig)
	ended := s.wait(c)
	s.right(sig, ended)
	if ended.Exited() && ended.ExitStatus() <= 1 || ended.Signaled() && ended.Signal() == sig && !crashes(sig) {
		s.nothingLeft()
		s.orderly()
	} else {
		s.sweep()
		s.goneSoon()
	}
	for _, branch := range []string{"1", "2", "3"} {
		s.pages("page."+branch, "old", "1", "2", "3", "4")
	}
	s.truth(ended)
}

// sweep holds what the language promises of a shell that is killed between giving a
// whole file a name and putting it in its target's place: the next output removes it.
func (s *stage) sweep() {
	s.Helper()
	left, _ := filepath.Glob(s.path(".page.*.ftsh-*"))
	for _, name := range left {
		base := filepath.Base(name)
		s.pages(base, "1", "2", "3", "4")
		target := strings.Split(base[1:], ".ftsh-")[0]
		s.until("the file beside the target to go", func() bool {
			out := exec.Command(program, "-c", "cat "+target+" => "+target)
			out.Dir = s.dir
			s.must(out.Run())
			_, err := os.Lstat(name)
			return err != nil
		})
	}
}

// crashes tells that a signal ends the shell without giving it time for anything.
func crashes(sig syscall.Signal) bool {
	switch sig {
	case unix.SIGKILL, unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS,
		unix.SIGSTKFLT:
		return true
	}
	return false
}

// right holds that the shell ended as that signal asks for; or well, if it was quicker.
func (s *stage) right(sig syscall.Signal, ended syscall.WaitStatus) {
	s.Helper()
	if ended.Exited() && ended.ExitStatus() == 0 {
		return
	}
	if ended.Signaled() && ended.Signal() == sig && s.logged() == "" {
		return // before it had handlers
	}
	if sig == unix.SIGQUIT && s.logged() == "" {
		return // before main: Go's runtime tells of all goroutines then, and exits with 2
	}
	switch sig {
	case unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGXCPU, unix.SIGKILL:
		if ended.Signaled() && ended.Signal() == sig {
			return
		}
	case unix.SIGUSR1, unix.SIGUSR2:
		if ended.Exited() && ended.ExitStatus() == 1 {
			return // a program died of it
		}
	default:
		if crashes(sig) {
			return
		}
	}
	s.Errorf("ended with %s: %.2000s", outcome(ended), s.get("err"))
}

// The shell is killed while its guardian is the only one left to know.
func TestKillHeld(t *testing.T) {
	fault(t, "killed while programs of all sorts run", func(s *stage) {
		c := s.start(s.shell("forall i in 1 2 3 4\n    ./hold\nend\n"))
		s.holding(4)
		s.guardian(c)
		s.must(c.Process.Kill())
		ended := s.wait(c)
		s.goneSoon()
		s.truth(ended)
	})
	fault(t, "asked to end while programs of all sorts run", func(s *stage) {
		c := s.start(s.shell("forall i in 1 2 3 4\n    ./hold\nend\n"))
		s.holding(4)
		s.must(c.Process.Signal(unix.SIGTERM))
		ended := s.wait(c)
		s.right(unix.SIGTERM, ended)
		s.nothingLeft()
		s.truth(ended)
	})
	fault(t, "its guardian killed", func(s *stage) {
		c := s.start(s.shell("for i in 1 2 3\n    ./step $i\n    try for 2 s\n        ./hold\n    catch\n" +
			"        true\n    end\nend\n"))
		s.holding(1)
		s.must(syscall.Kill(s.guardian(c), syscall.SIGKILL))
		s.truth(s.wait(c))
		s.nothingLeft()
	})
	fault(t, "a nested shell killed with the shell", func(s *stage) {
		c := s.start(s.shell(program + " -c './hold'\n"))
		s.holding(1)
		s.guardian(c)
		s.must(c.Process.Kill())
		s.wait(c)
		s.goneSoon()
	})
}

// guardian waits until a shell has a guardian, which it has not in the first moments.
func (s *stage) guardian(c *exec.Cmd) (found int) {
	s.Helper()
	s.until("its guardian to be there", func() bool {
		for pid, line := range s.alive() {
			if strings.HasPrefix(line, "ftsh-guardian") && parent(pid) == c.Process.Pid {
				found = pid
			}
		}
		return found != 0
	})
	return found
}

// Without a guardian what was under way lives on, and nothing else changes.
func TestNoGuardian(t *testing.T) {
	fault(t, "killed with --no-guardian", func(s *stage) {
		c := s.start(s.shell("./hold\n", "--no-guardian"))
		s.holding(1)
		for pid, line := range s.alive() {
			if strings.HasPrefix(line, "ftsh-guardian") {
				s.Errorf("it has a guardian, %d", pid)
			}
		}
		const held = 5
		s.until("all programs to be up", func() bool { return s.sleepers() == held })
		s.must(c.Process.Kill())
		s.wait(c)
		if after := s.sleepers(); after != held {
			s.Errorf("%d of %d live on", after, held)
		}
		s.end()
		s.tidy()
	})
}

// sleepers counts the programs of the stage that sleep.
func (s *stage) sleepers() (n int) {
	for _, line := range s.alive() {
		if strings.HasPrefix(line, "sleep ") {
			n++
		}
	}
	return n
}

// A crowd of a thousand, in all the ways to get away.
func TestKillThousand(t *testing.T) {
	const crowd = `n=0
while [ $n -lt 250 ]; do
    (setsid sleep TAG &); sleep TAG & setsid sleep TAG & (sleep TAG &)
    n=$((n+1))
done
echo holding >> truth
exec sleep TAG
`
	for name, cut := range map[string]func(s *stage, c *exec.Cmd){
		"a thousand processes, the shell killed": func(s *stage, c *exec.Cmd) { s.must(c.Process.Kill()) },
		"a thousand processes, the shell asked to end": func(s *stage, c *exec.Cmd) {
			s.must(c.Process.Signal(unix.SIGTERM))
		},
	} {
		fault(t, name, func(s *stage) {
			s.put("crowd", "#!/bin/sh\n"+strings.ReplaceAll(crowd, "TAG", s.tag), 0o755)
			c := s.start(s.shell("./crowd\n"))
			s.holding(1)
			s.guardian(c)
			cut(s, c)
			if ended := s.wait(c); ended.Signal() == unix.SIGKILL {
				s.goneSoon()
			}
			s.nothingLeft()
		})
	}
}

// parent is a process's parent.
func parent(pid int) int {
	return field(filepath.Join("/proc", itoa(pid), "status"), "PPid:")
}
