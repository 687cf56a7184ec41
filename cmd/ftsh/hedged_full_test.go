package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// A hedged alternative whose output could not be held has failed, whatever its program says.
func TestHedgedWithoutRoom(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", full, "tmpfs", 0, "size=16k"); err != nil {
		skip.Test(t, "cannot mount a small file system: %v", err)
	}
	defer unix.Unmount(full, 0)
	c := exec.Command(shelltest.Shell(t), "-c", "try 1 time\n"+
		"forany x in 1 .hedge. 5 s\n sh -c 'seq 300000; true'\nend > o\ncatch\n echo ${error.kind}\nend")
	c.Dir, c.Env = dir, append(os.Environ(), "TMPDIR="+full)
	out, err := c.Output()
	if _, absent := os.Stat(filepath.Join(dir, "o")); err != nil || strings.TrimSpace(string(out)) != "system" ||
		absent == nil {
		t.Errorf("got %q, %v, output kept: %v; want system", out, err, absent == nil)
	}
}
