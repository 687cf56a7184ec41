package shelltest

import (
	"bytes"
	"os"
	"path/filepath"
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
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(Marker+"="+mark+"\x00")) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		name, _ := os.ReadFile(filepath.Dir(path) + "/cmdline")
		found[pid] = strings.ReplaceAll(string(name), "\x00", " ")
	}
	return found
}

// Remaining are the carriers once no guardian is among them any more: one whose shell was killed ends by itself, as
// soon as it has ended what that shell had begun.
func Remaining(mark string) map[int]string {
	found := Carriers(mark)
	for end := time.Now().Add(slow); hasGuardian(found) && time.Now().Before(end); found = Carriers(mark) {
		time.Sleep(10 * time.Millisecond)
	}
	return found
}

func hasGuardian(processes map[int]string) bool {
	for _, name := range processes {
		if strings.HasPrefix(name, "ftsh-guardian ") {
			return true
		}
	}
	return false
}

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
