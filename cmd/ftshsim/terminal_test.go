package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"ftsh/testdata/skip"
)

// TestInterrupt presses Ctrl-C in a long run at a terminal: it shows how far it
// is, and then prints what there is.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	interrupt(t, []string{"contention", "--seeds", "1000000", "--clients", "1,10,50", "--policies", "full"},
		"left (Ctrl-C prints what there is)", "  full  ", "at most 1000000 runs of each point")
}

// TestInterruptRun does so in a run of scripts: one that takes long, and many.
func TestInterruptRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir + "/" + name
	}
	spec := write("my.spec", "server\ntakes 1 s\nend")
	script := write("script.ftsh", "while true\nfetch\nend")
	interrupt(t, []string{"run", "--server", spec, "--until", "8000h", "--seeds", "1", script},
		"of at most 8000h0m0s (Ctrl-C prints what there is)", "still running at the end", "answered well")
	interrupt(t, []string{"run", "--server", spec, "--until", "1m", "--clients", "10", "--seeds", "1000000", script},
		"left (Ctrl-C prints what there is)", "still running at the end", "at most 1000000 runs of each point")
}

// interrupt runs ftshsim at a terminal, presses Ctrl-C when that is shown, and
// wants those texts in what it prints then.
func interrupt(t *testing.T, args []string, when string, wanted ...string) {
	t.Helper()
	cmd := exec.Command("ftshsim", args...)
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
		if !pressed && strings.Contains(screen.String(), when) {
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
	for _, text := range append(wanted, "Interrupted: this is what there was until then.") {
		if !strings.Contains(screen.String(), text) {
			t.Errorf("the screen does not show %q:\n%s", text, screen.String())
		}
	}
}

// TestHerdPage holds that testdata/herd.md says what the simulator says today.
func TestHerdPage(t *testing.T) {
	skip.UnlessLong(t, "it repeats all experiments")
	if skip.UnderRace {
		skip.Test(t, "it takes a minute with the race detector; the scripts hold what seeds give")
	}
	page, err := os.ReadFile("testdata/herd.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ftshsim", "compare").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, page) {
		t.Errorf("testdata/herd.md is not what the simulator says today: run go generate ./cmd/ftshsim, look at the " +
			"changes, and tell in the commit why")
	}
}
