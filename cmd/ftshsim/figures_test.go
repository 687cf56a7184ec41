package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ftsh/testdata/skip"
)

// TestFigures holds that the pictures of the manual show what the simulator draws today: both in long tests, else the
// one that takes a fifth of the time.
func TestFigures(t *testing.T) {
	t.Parallel()
	if skip.UnderRace {
		skip.Test(t, "takes long with the race detector")
	}
	const folder = "../ftsh/manual/policies"
	drawn := t.TempDir()
	pictures := "outage busy"
	if !skip.Long() {
		pictures = "outage"
		skip.Say(t, "one of two pictures: the other takes seconds; FTSH_TEST=long draws it")
	}
	cmd := exec.Command("sh", "figures.sh", drawn, pictures)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(drawn + "/*")
	if err != nil || len(files) < len(strings.Fields(pictures)) {
		t.Fatalf("%v: %v", files, err)
	}
	for _, file := range files {
		now, _ := os.ReadFile(file)
		kept, err := os.ReadFile(filepath.Join(folder, filepath.Base(file)))
		if err != nil || !bytes.Equal(now, kept) {
			t.Errorf("%s is not what it was: run go generate ./cmd/ftshsim, and look at it (%v)", filepath.Base(file), err)
		}
	}
}
