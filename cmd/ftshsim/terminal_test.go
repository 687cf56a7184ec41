package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestInterrupt presses Ctrl-C in a long run at a terminal: it shows how far it
// is, and then prints what there is.
func TestInterrupt(t *testing.T) {
	cmd := exec.Command("ftshsim", "contention", "--seeds", "1000000", "--clients", "1,10,50", "--policies", "full")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer func() { _ = cmd.Process.Kill() }()
	var screen bytes.Buffer
	pressed := false
	for piece := make([]byte, 4096); ; {
		n, err := terminal.Read(piece)
		screen.Write(piece[:n])
		if !pressed && strings.Contains(screen.String(), "left (Ctrl-C prints what there is)") {
			pressed = true
			if _, err := terminal.Write([]byte{3}); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil {
			break // the last process at the terminal is gone
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != statusInterrupted {
		t.Errorf("%v, want status %d", err, statusInterrupted)
	}
	for _, wanted := range []string{"Interrupted: this is what there was until then.", "  full  ", "at most 1000000 runs of each point"} {
		if !strings.Contains(screen.String(), wanted) {
			t.Errorf("the screen does not show %q", wanted)
		}
	}
}

// TestHerdPage holds that testdata/herd.md is what the simulator says today.
func TestHerdPage(t *testing.T) {
	if slow {
		t.Skip("takes a minute with the race detector; the scripts hold what seeds give")
	}
	page, err := os.ReadFile("../../testdata/herd.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ftshsim", "compare").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, page) {
		t.Errorf("testdata/herd.md is not what the simulator says today: run go generate ./cmd/ftshsim, look at the changes, and tell in the commit why")
	}
}
