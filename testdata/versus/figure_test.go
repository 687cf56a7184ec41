package versus

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// figures are the folders of figures, in the order of the page.
var figures = []string{"start", "thousand", "four", "fanout", "memory"}

// TestFigures measures, with -update: a figure of a busy machine would be no reason for a test to fail.
func TestFigures(t *testing.T) {
	if !*update || !skip.Long() {
		skip.Test(t, "figures are measured by FTSH_TEST=long with -update")
	}
	shelltest.Shell(t)
	known := readResults(t)
	for _, name := range figures {
		base := 0.0
		for _, tool := range tools {
			if _, err := os.Stat(filepath.Join("figures", name, tool)); err != nil {
				continue
			}
			best := measure(t, name, tool)
			for range *times - 1 {
				best = min(best, measure(t, name, tool))
			}
			if tool == "bash" {
				base = best
			}
			known.setFigure(cell{row: name, tool: tool, ratio: best / base})
		}
	}
	known.write(t)
}

// measure is the time in seconds that a script takes or, for the figure memory, the most that it and its programs have
// at a time.
func measure(t *testing.T, name, tool string) float64 {
	t.Helper()
	work, environ := stage(t, filepath.Join("figures", name))
	script := exec.Command("./" + tool)
	script.Dir, script.Env = work, environ
	begun := time.Now()
	if err := script.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- script.Wait() }()
	most, looks := 0.0, time.NewTicker(50*time.Millisecond)
	defer looks.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s, %s: %v", name, tool, err)
			}
			if name == "memory" {
				return most
			}
			return time.Since(begun).Seconds()
		case <-looks.C:
			if name == "memory" {
				most = max(most, memory(script.Process.Pid))
			}
		}
	}
}

// memory is what a process and those below it have, in kB; what several share counts once.
func memory(pid int) (sum float64) {
	for _, pid := range append(descendants(pid), pid) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		_, after, _ := strings.Cut(string(text), "\nPss:")
		if fields := strings.Fields(after); len(fields) > 0 {
			kB, _ := strconv.ParseFloat(fields[0], 64)
			sum += kB
		}
	}
	return sum
}
