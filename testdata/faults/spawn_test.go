package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// retried is a script that tries something until it succeeds. Before, it has as many
// threads as it will need, since the runtime aborts when it cannot make one: each
// branch that waits for the other end of a FIFO takes one.
const retried = `
mkfifo fifo
forall i in 1 .to. 24
    try for 200 ms
        cat < fifo
    catch
        true
    end
end
./step ready
try for 1 minute every 10 ms
    ./step first
    ./step second -> said
    ./step third | cat -> more
catch
    ./step failed
end
try for 1 minute every 10 ms # the fault may come as late as this
    ./step last
end
`

// Programs cannot be started for a while.
func TestSpawn(t *testing.T) {
	fault(t, "no process left to the user (RLIMIT_NPROC)", noProcesses)
	for name, spoil := range map[string]func(s *stage) (undo func()){
		"a program that is being written (ETXTBSY)": busyProgram,
		"no permission to execute":                  func(s *stage) func() { return s.spoil(s.path("first"), 0o644, "") },
		"a missing interpreter": func(s *stage) func() {
			return s.spoil(s.path("first"), 0o755, "#!/no/such/sh\n")
		},
		"an empty program": func(s *stage) func() { return s.spoil(s.path("first"), 0o755, "\x7fELF") },
	} {
		fault(t, name, func(s *stage) {
			s.put("first", "#!/bin/sh\nexit 0\n", 0o755)
			undo := spoil(s)
			// A program that cannot be executed is kind missing, which ends a try that does not say otherwise.
			c := s.start(s.shell("./step ready\ntry for 1 minute every 10 ms except on 99\n    ./first\nend\n./step last\n"))
			s.until("a failure", func() bool { return strings.Contains(s.logged(), "command.failed") })
			undo()
			s.wellAfter(c)
		})
	}
	fault(t, "arguments that are too long (E2BIG)", func(s *stage) {
		s.run(s.shell("head -c 4000000 /dev/zero | tr '\\0' x -> long\ntry\n    ./step $long\ncatch\n"+
			"    ./step caught\nend\n"), 0)
		s.nothingLeft()
	})
}

// path is a file in the stage's directory.
func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

func (s *stage) logged() string { return s.get("log") }

// wellAfter waits for a shell that recovers from a fault.
func (s *stage) wellAfter(c *exec.Cmd) {
	s.Helper()
	ended := s.wait(c)
	if !ended.Exited() || ended.ExitStatus() != 0 || !strings.HasSuffix(s.get("truth"), "last\n") {
		s.Errorf("ended with %s after %q: %.2000s%.3000s", outcome(ended), s.get("truth"), s.get("err"), s.logged())
	}
	s.orderly()
	s.nothingLeft()
	s.truth(ended)
}

// noProcesses takes all processes from a user while the script runs. Root may
// always start one, so that another user runs it.
func noProcesses(s *stage) {
	if os.Getuid() != 0 {
		s.Skip("needs root, to become a user who has no other processes")
	}
	s.give()
	c := s.shell(retried)
	c.SysProcAttr.Credential = &syscall.Credential{Uid: s.user(), Gid: s.user()}
	s.start(c)
	s.until("the threads", func() bool { return s.get("truth") != "" })
	var before unix.Rlimit
	s.must(unix.Getrlimit(unix.RLIMIT_NPROC, &before)) // which it has inherited
	s.allowProcesses(c, 1)
	failures := strings.Count(s.logged(), `"failure":"system"`)
	s.until("failures", func() bool { return strings.Count(s.logged(), `"failure":"system"`) > failures+2 || s.ended(c) })
	s.allowProcesses(c, before.Cur)
	s.wellAfter(c)
}

// allowProcesses changes how many processes a shell may have, as its user.
func (s *stage) allowProcesses(c *exec.Cmd, many uint64) {
	s.Helper()
	limit := exec.Command("prlimit", "--pid", itoa(c.Process.Pid), "--nproc="+strconv.FormatUint(many, 10)+":")
	limit.SysProcAttr = &syscall.SysProcAttr{Credential: c.SysProcAttr.Credential}
	if out, err := limit.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
}

// ended tells that a shell that is still to be waited for has ended.
func (s *stage) ended(c *exec.Cmd) bool { return over(filepath.Join("/proc", itoa(c.Process.Pid))) }

// user is a user who has nothing but this stage.
func (s *stage) user() uint32 {
	fields := strings.Split(s.tag, ".")
	n := uint32(0)
	for _, c := range fields[1] {
		n = n*10 + uint32(c-'0')
	}
	return 100000 + n%1000000
}

// give gives the stage to that user.
func (s *stage) give() {
	s.Helper()
	for dir := s.dir; dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode()&0o011 == 0 {
			s.must(os.Chmod(dir, info.Mode()|0o011))
		}
	}
	s.must(filepath.Walk(s.dir, func(name string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(name, int(s.user()), int(s.user()))
	}))
	s.must(os.Chmod(s.dir, 0o777))
}

// busyProgram holds a program open for writing.
func busyProgram(s *stage) (undo func()) {
	f, err := os.OpenFile(s.path("first"), os.O_WRONLY, 0)
	s.must(err)
	return func() { f.Close() }
}

// spoil puts another program in the place of one.
func (s *stage) spoil(name string, mode os.FileMode, text string) (undo func()) {
	s.Helper()
	before, err := os.ReadFile(name)
	s.must(err)
	if text == "" {
		text = string(before)
	}
	replace := func(text []byte, mode os.FileMode) {
		s.must(os.WriteFile(name+".new", text, mode))
		s.must(os.Chmod(name+".new", mode))
		s.must(os.Rename(name+".new", name))
	}
	replace([]byte(text), mode)
	return func() { replace(before, 0o755) }
}
