package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// TestGroupedMemory has branches write far more than the shell may use of memory, all at the same time.
func TestGroupedMemory(t *testing.T) {
	skip.Without(t, "head", "go")
	branches, each := 20, 10_000_000
	if skip.Long() {
		branches, each = 50, 200_000_000
	}
	s := newScene(t)
	script := s.file("x.ftsh", fmt.Sprintf("forall i in 1 .to. %d .grouped.\n    head -c %d /dev/zero\nend\n"+
		"grep VmHWM /proc/$$/status > peak\n", branches, each))
	cmd := exec.Command(leanShell(t), script)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, s.env, os.Stderr
	output, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	read, err := io.Copy(io.Discard, output)
	if want := int64(branches) * int64(each); err != nil || read != want {
		t.Errorf("read %d bytes, %v; want %d", read, err, want)
	}
	s.must(cmd.Wait())
	var peak int
	if _, err := fmt.Sscanf(strings.TrimSpace(s.read("peak")), "VmHWM: %d kB", &peak); err != nil || peak > 30<<10 {
		t.Errorf("peak %d kB, %v; want at most 30 MB", peak, err)
	}
	t.Logf("peak %d kB", peak)
	s.leaves("x.ftsh", "peak")
}
