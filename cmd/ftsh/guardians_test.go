package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/testdata/shelltest"
)

// heldCases are shells that die with a lock while their guardian is stopped, and who waits for that lock.
var heldCases = []struct {
	name, script string
	first, next  []string
	status       int
	lock         string // as the one that waits calls it
}{
	{"journal", "sh -c 'echo $$ > begun; exec sleep 1000'",
		[]string{"--journal", "./j"}, []string{"--continue", "./j", "--abandon"}, 1, "the journal "},
	{"slot", "resource one\n slots 1\nend\ntry for 1 minute via one\n" +
		" sh -c 'test -e begun && exit; echo $$ > begun; exec sleep 1000'\nend",
		nil, []string{"held.ftsh"}, 0, "a slot of one "},
}

// Who waits for a lock that a stopped guardian of a dead shell holds says so, and wakes it.
func TestStoppedGuardianIsWoken(t *testing.T) {
	t.Parallel()
	shell := shelltest.Shell(t)
	for _, tt := range heldCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, env := heldPlace(t, tt.script)
			guardian := dieBeside(t, shell, dir, env, tt.first, func(guardian int) {
				must(t, syscall.Kill(guardian, syscall.SIGSTOP))
				waitUntil(t, "the guardian stops", func() bool { return stateOf(fmt.Sprint(guardian)) == "T" })
			})
			status, said := runHeld(t, shell, dir, env, tt.next)
			if status != tt.status {
				t.Errorf("status %d, want %d: %s", status, tt.status, said)
			}
			want := fmt.Sprintf("waiting: process %d, a guardian of ftsh, has locked %s", guardian, tt.lock)
			if strings.Count(said, want) != 1 || strings.Count(said, "waiting:") != 1 {
				t.Errorf("want once %q: %s", want, said)
			}
		})
	}
}

// A guardian that cannot be woken is not waited for without an end.
func TestStoppedGuardianStays(t *testing.T) {
	t.Parallel()
	shell, tt := shelltest.Shell(t), heldCases[0]
	dir, env := heldPlace(t, tt.script)
	runtime.LockOSThread() // which traces
	defer runtime.UnlockOSThread()
	guardian := dieBeside(t, shell, dir, env, tt.first, func(guardian int) {
		if err := syscall.PtraceAttach(guardian); errors.Is(err, syscall.EPERM) {
			t.Skip("a process that is no child may not be traced here, which is how the test keeps it stopped")
		} else if err != nil {
			t.Fatal(err)
		}
		_, err := syscall.Wait4(guardian, nil, unix.WALL, nil)
		must(t, err)
	})
	status, said := runHeld(t, shell, dir, env, tt.next)
	if want := fmt.Sprintf("kill -CONT %d, then begin again", guardian); status != 2 || !strings.Contains(said, want) {
		t.Errorf("status %d, want 2 and %q: %s", status, want, said)
	}
	must(t, syscall.PtraceDetach(guardian))
	if status, said = runHeld(t, shell, dir, env, tt.next); status != tt.status {
		t.Errorf("status %d, want %d once it goes on: %s", status, tt.status, said)
	}
}

// heldPlace makes the script of a case, and the environment of its shells.
func heldPlace(t *testing.T, script string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "held.ftsh"), []byte(script+"\n"), 0o666))
	return dir, append(os.Environ(), "FTSH_STATE_DIR="+filepath.Join(dir, "state"), "HOME="+dir)
}

// dieBeside runs the script until its command is under way, has its guardian stopped, and kills it.
func dieBeside(t *testing.T, shell, dir string, env, options []string, stop func(guardian int)) (guardian int) {
	t.Helper()
	c := exec.Command(shell, append(options[:len(options):len(options)], "held.ftsh")...)
	c.Dir, c.Env = dir, env
	must(t, c.Start())
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	command, _ := strconv.Atoi(waitForFile(t, filepath.Join(dir, "begun")))
	waitUntil(t, "the guardian", func() bool { guardian = guardianOf(c.Process.Pid); return guardian != 0 })
	t.Cleanup(func() {
		_ = syscall.Kill(guardian, syscall.SIGCONT)
		waitUntil(t, "the command ends", func() bool { return syscall.Kill(command, 0) != nil })
	})
	stop(guardian)
	return guardian
}

// guardianOf is the process id of a shell's guardian, 0 if it has none.
func guardianOf(shell int) int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", shell))
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for word := range strings.FieldsSeq(string(list)) {
			if comm, _ := os.ReadFile("/proc/" + word + "/comm"); string(comm) == "ftsh-guardian\n" {
				pid, _ := strconv.Atoi(word)
				return pid
			}
		}
	}
	return 0
}

// runHeld runs a shell to its end.
func runHeld(t *testing.T, shell, dir string, env, args []string) (status int, said string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "timeout", append([]string{"-k", "1", "30", shell}, args...)...)
	var text bytes.Buffer
	c.Dir, c.Env, c.Stderr = dir, env, &text
	_ = c.Run()
	return c.ProcessState.ExitCode(), text.String()
}
