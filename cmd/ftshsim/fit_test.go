package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// fetching asks a server again and again, through an outage at first.
const fetching = `for i in 1 .to. 5
    try for 1 minute each 5 s backoff full from 200 ms to 1 s
        curl -fsS http://ADDRESS/api -> x
    end
end
`

// TestFit closes the loop, ten times in a row: real shells ask the real server, a SPEC is made of
// their logs, and a simulation with it predicts what was seen, within 20 %.
func TestFit(t *testing.T) {
	skip.UnlessLong(t, "it runs 250 shells")
	skip.Without(t, "curl")
	shell := shelltest.Shell(t)
	for round := range 10 {
		t.Run(strconv.Itoa(round+1), func(t *testing.T) {
			dir := t.TempDir()
			real25(t, shell, dir)
			text, err := exec.Command("ftshsim", "fit", dir+"/log").Output()
			if err != nil {
				t.Fatalf("%v %s", err, err.(*exec.ExitError).Stderr)
			}
			if err := os.WriteFile(dir+"/fitted.spec", text, 0o644); err != nil {
				t.Fatal(err)
			}
			within20(t, dir, string(text))
		})
	}
}

// real25 runs shells that write a log, against a server that is there when they have
// failed often enough.
func real25(t *testing.T, shell, dir string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	script := filepath.Join(dir, "fetch.ftsh")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(fetching, "ADDRESS", address)), 0o644); err != nil {
		t.Fatal(err)
	}
	var shells []*exec.Cmd
	for range 25 {
		cmd := exec.Command(shell, "--log-format", "json", "-l", "30", "-f", dir+"/log", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		shells = append(shells, cmd)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(dir + "/log")
		if bytes.Count(text, []byte(`"command.failed"`)) >= 100 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("they do not fail:\n%s", text)
		}
	}
	serve := started(t, "serve", "--listen", address, "--baseDelay", "300ms", "--limit", "4", "--factor", "1.3")
	for _, cmd := range shells {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a shell: %v", err)
		}
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_ = serve.Wait() // its standard error is not of interest here
}

// within20 compares what is predicted with what was seen.
func within20(t *testing.T, dir, spec string) {
	t.Helper()
	out, err := exec.Command("ftshsim", "run", "--server", dir+"/fitted.spec", "--csv", "-", dir+"/fetch.ftsh").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, spec)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, wanted := range []string{"time to finish, median (s)", "time to finish, 95 % (s)", "requests per success"} {
		found := false
		for _, row := range rows {
			if row[0] != "seen" || row[1] != wanted || row[2] != "difference" {
				continue
			}
			found = true
			difference, err := strconv.ParseFloat(row[5], 64)
			said += fmt.Sprintf(" %s %+.1f %%;", wanted, difference)
			if err != nil || math.Abs(difference) > 20 {
				t.Errorf("%s: %s %% off\n%s\n%s", wanted, row[5], spec, out)
			}
		}
		if !found {
			t.Errorf("there is no %s:\n%s", wanted, out)
		}
	}
	t.Log(said)
}
