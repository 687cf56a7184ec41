package interp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/world"
)

// killed is a shell in a process of its own that dies of SIGKILL at a point. Its ledger is a file.
type killed struct {
	ledger *os.File
	points atomic.Int64
	at     int64
}

func (k *killed) pass(string) {
	if k.points.Add(1) == k.at {
		_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
		select {}
	}
}

// Run is a program, as that of a world.
func (k *killed) Run(_ context.Context, c *world.Command) (world.Status, error) {
	k.pass("start")
	name, code := strings.Join(c.Args[1:], " "), 0
	if c.Args[0] == "act" {
		name = c.Args[1]
		if len(c.Args) > 2 {
			code, _ = strconv.Atoi(c.Args[2])
		}
	}
	_, _ = fmt.Fprintf(k.ledger, "%q\n", name)
	if c.Args[0] == "say" {
		_, _ = unix.Write(c.Files[1], []byte(name+"\n"))
	}
	k.pass("end")
	return world.Status{Code: code}, nil
}

func (k *killed) Rest() {}

// TestKilledShell is that process, if the environment says what it runs.
func TestKilledShell(t *testing.T) {
	name, dir := os.Getenv("FTSH_KILLED_SCRIPT"), os.Getenv("FTSH_KILLED_DIR")
	if name == "" {
		return // it is run by TestKilled
	}
	ledger, err := os.OpenFile(filepath.Join(dir, "ledger"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	k := &killed{ledger: ledger}
	k.at, _ = strconv.ParseInt(os.Getenv("FTSH_KILLED_AT"), 10, 64)
	j, err := journal.Open(filepath.Join(dir, "j"), journal.Config{Hook: k.pass, Machine: "m", Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, finished := interp.Finished(j.Image()); finished {
		return
	}
	clock := virtual{time.Now()}
	d := &durable.Script{Journal: j, Canonical: canonical}
	file := parse(t, durableScripts[name])
	config := interp.Config{
		World: findsAll{at(k, clock)}, Durable: d, Seed: 1,
		Script: interp.Script{Name: "script", Dir: dir, Files: []int{0, 1, 2}},
	}
	for u := interp.Undecided(config, file); len(u) > 0; u = interp.Undecided(config, file) {
		if err := d.Answer(u[:1], all, none); err != nil {
			t.Fatal(err)
		}
	}
	err = interp.New(config).Run(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.WriteFile(filepath.Join(dir, "points"), []byte(strconv.FormatInt(k.points.Load(), 10)), 0o600)
}

// TestKilled kills real shells, and one more time while they go on.
func TestKilled(t *testing.T) {
	for _, name := range []string{"sequence", "captures", "loops", "functions", "files", "pipes"} {
		t.Run(name, func(t *testing.T) {
			kills := 0
			want, all, _ := killedLives(t, name, 0)
			for _, at := range points(all, 2, 40) {
				ledger, _, crashes := killedLives(t, name, at, 1+at*7%all, 0)
				kills += crashes
				if !explained(ledger, want, crashes) {
					t.Errorf("killed at %d: the ledger is %q, wanted %q", at, ledger, want)
				}
			}
			t.Logf("%d kills", kills)
		})
	}
}

// killedLives runs shells that die at those points, until one does not, and gives what their programs did.
func killedLives(t *testing.T, name string, lives ...int) (ledger []string, points, crashes int) {
	dir, temporary := scratchDir(t), scratchDir(t) // the one for what those that are killed leave besides
	for _, at := range lives {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledShell$")
		cmd.Env = append(os.Environ(), "FTSH_KILLED_SCRIPT="+name, "FTSH_KILLED_DIR="+dir, "FTSH_KILLED_AT="+strconv.Itoa(at),
			"TMPDIR="+temporary)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if status := cmd.ProcessState.Sys().(interface{ Signaled() bool }); !status.Signaled() {
			t.Fatalf("at %d: %v\n%s", at, err, out)
		}
		crashes++
	}
	text, _ := os.ReadFile(filepath.Join(dir, "ledger"))
	number, _ := os.ReadFile(filepath.Join(dir, "points"))
	points, _ = strconv.Atoi(string(number))
	return strings.Split(strings.TrimSpace(string(text)), "\n"), points, crashes
}
