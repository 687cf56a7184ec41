package shelltest

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Marker is the variable of the environment by which whatever a test has started is
// found again.
const Marker = "FTSH_TEST_MARK"

// Carriers are the living processes that have the mark in their environment, with
// their command lines.
func Carriers(mark string) map[int]string {
	found := map[int]string{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if Carries(pid, mark) {
			found[pid] = commandLine(pid)
		}
	}
	return found
}

// Carries reports whether a process lives and has the mark in its environment: its number alone may have gone to
// another process, or thread, within seconds.
func Carries(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(environ, []byte(Marker+"="+mark+"\x00"))
}

// commandLine is that of a process, empty once it has ended.
func commandLine(pid int) string {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.ReplaceAll(string(line), "\x00", " ")
}

// Remaining are the carriers once no guardian is among them any more: one whose shell was killed ends by itself, as
// soon as it has ended what that shell had begun.
func Remaining(mark string) map[int]string {
	end := time.Now().Add(slow)
	for {
		found, waited := Carriers(mark), false
		for pid, line := range found {
			for ; isGuardian(line) && time.Now().Before(end); line = commandLine(pid) {
				time.Sleep(10 * time.Millisecond)
				waited = true
			}
		}
		if !waited {
			return found
		}
	}
}

func isGuardian(line string) bool { return strings.HasPrefix(line, "ftsh-guardian ") }

// CheckNothingLeft fails a test if a process that carries the mark, or a file in its TMPDIR, outlived it.
func CheckNothingLeft(t interface {
	Log(args ...any)
	FailNow()
}, mark, temp string,
) {
	found := Remaining(mark)
	for wait := time.Now().Add(2 * time.Second); len(found) > 0 && time.Now().Before(wait); found = Carriers(mark) {
		time.Sleep(10 * time.Millisecond) // what a test has killed may not have died yet
	}
	for pid, name := range found {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Log("left behind: process ", pid, " ", name)
		defer t.FailNow()
	}
	left, _ := os.ReadDir(temp)
	for _, entry := range left {
		t.Log("left behind: temporary file ", entry.Name())
		defer t.FailNow()
	}
}
