package process_test

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// A guardian that is killed while a command runs is replaced at once, and the new one does its work.
func TestGuardianReplaced(t *testing.T) {
	s := newStage(t)
	c := s.shell("setsid SLEEP & echo >&3; SLEEP")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	first := s.guardian(c)
	time.Sleep(20 * time.Millisecond) // one that dies as soon as it was started is not replaced
	syscall.Kill(first, syscall.SIGKILL)
	second := first
	for end := time.Now().Add(patience); second == first || second == 0; second = guardianOf(c.Process.Pid) {
		pause()
		if time.Now().After(end) {
			t.Error("it was not replaced")
			break
		}
	}
	c.Process.Kill()
	c.Wait()
	s.gone()
	s.childrenEnd()
}

// The kernel's out-of-memory killer takes the shell before the guardian.
func TestGuardianSpared(t *testing.T) {
	if os.WriteFile("/proc/self/oom_score_adj", []byte("-1"), 0) != nil {
		skip.Test(t, "needs the right to lower oom_score_adj")
	}
	defer os.WriteFile("/proc/self/oom_score_adj", []byte("0"), 0)
	s := newStage(t)
	c := s.shell("echo >&3; SLEEP")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	score, _ := os.ReadFile("/proc/" + strconv.Itoa(s.guardian(c)) + "/oom_score_adj")
	if got := string(bytes.TrimSpace(score)); got != "-1000" {
		t.Errorf("oom_score_adj is %s, want -1000", got)
	}
	c.Process.Kill()
	c.Wait()
	s.gone()
	s.childrenEnd()
}

// Where /proc is that of other process numbers, a limit ends what can be reached without it.
func TestForeignProc(t *testing.T) {
	if os.Getuid() != 0 {
		skip.Test(t, "needs root, for a namespace of process numbers")
	}
	s := newStage(t)
	c := s.shell("echo >&3; SLEEP")
	c.Env = append(c.Env, "PROCESS_TEST_LIMIT=200ms")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s.wait()
	s.gone()
	c.Process.Kill()
	c.Wait()
}
