package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ftsh/interp/journal"
)

// TestMain is another process, too, that has a journal.
func TestMain(m *testing.M) {
	switch path := os.Getenv("JOURNAL_TEST_HOLD"); {
	case path != "":
		hold(path)
	default:
		os.Exit(m.Run())
	}
}

// hold opens a journal, has a process of its own hold the lock, too, and waits for its end.
func hold(path string) {
	j, err := journal.Open(path, journal.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	guardian := exec.Command("cat") // it ends with our standard input
	guardian.Stdin = os.NewFile(3, "pipe")
	guardian.ExtraFiles = []*os.File{j.Lock()}
	if err := guardian.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestBusy holds that a journal that another process runs is refused, and so is one whose shell is dead
// as long as somebody still has its lock.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	guarded, guard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_HOLD="+path)
	cmd.ExtraFiles = []*os.File{guarded}
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = guarded.Close()
	defer stdin.Close()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		t.Fatalf("the other says %q, %v", line, err)
	}
	busy(t, path, cmd.Process.Pid)
	if pid, held := journal.Holder(path, journal.Config{}); pid != cmd.Process.Pid || !held {
		t.Errorf("process %d holds it: %v", pid, held)
	}
	if err := journal.Restart(path, journal.Config{}); err == nil {
		t.Error("it was put aside while somebody had it")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	busy(t, path, 0)
	_ = guard.Close()
	for { // until the process that has the lock is gone
		j, err := journal.Open(path, journal.Config{})
		var is *journal.BusyError
		if err == nil {
			_ = j.Close()
			return
		}
		if !errors.As(err, &is) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func busy(t *testing.T, path string, pid int) {
	t.Helper()
	_, err := journal.Open(path, journal.Config{})
	var is *journal.BusyError
	if !errors.As(err, &is) || is.PID != pid || is.Path != path {
		t.Errorf("got %v, want that %d has it", err, pid)
	}
}

// TestClosedIsFree holds that the end of a shell frees the lock, though another has it as well.
func TestClosedIsFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := mustOpen(t, path, journal.Config{})
	guardian := exec.Command("cat")
	stdin, _ := guardian.StdinPipe()
	guardian.ExtraFiles = []*os.File{j.Lock()}
	if err := guardian.Start(); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if err := mustOpen(t, path, journal.Config{}).Close(); err != nil {
		t.Error(err)
	}
	_ = stdin.Close()
	_ = guardian.Wait()
}
