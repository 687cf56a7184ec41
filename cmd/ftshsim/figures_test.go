package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ftsh/testdata/skip"
)

// TestFigures holds that the pictures of the manual show what the simulator draws
// today.
func TestFigures(t *testing.T) {
	t.Parallel()
	if skip.UnderRace {
		skip.Test(t, "takes long with the race detector")
	}
	const folder = "../ftsh/manual/policies"
	drawn := t.TempDir()
	cmd := exec.Command("sh", "figures.sh", drawn)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(drawn + "/*")
	if err != nil || len(files) < 2 {
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
