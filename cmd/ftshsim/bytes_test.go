package main

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/cmd/ftshsim/simulate"
	"ftsh/cmd/ftshsim/world"
	"ftsh/interp/event"
	"ftsh/testdata/skip"
)

// TestBytesOfClient holds what a client keeps while it waits, stack and heap without garbage.
func TestBytesOfClient(t *testing.T) {
	if skip.UnderRace {
		t.Skip("the frames of the race detector are larger")
	}
	const fresh = "FTSHSIM_TEST_FRESH" // set in a process in which nothing has grown stacks or heap before
	if os.Getenv(fresh) == "" {
		c := exec.Command("/proc/self/exe", "-test.run=^TestBytesOfClient$")
		c.Env = append(os.Environ(), fresh+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const (
		refuse = "server\n\toutage from 0 s to 1 hour\nend\n"
		hang   = "server\n\toutage from 0 s to 1 hour hang\nend\n"
		most   = perClient / 1024 / 1.25 // of one with a single try, see room.tighten
	)
	before := inUse() // once: what a run leaves to the next, such as stacks, is in use again
	for _, c := range []struct {
		name, spec, script string
		most               float64
	}{
		{"between attempts", refuse, "try for 1 hour\n\tget a -> data\nend\n", 13},
		{"between attempts with a limit", refuse, "try for 1 hour each 10 s\n\tget a -> data\nend\n",
			perWaiting / 1024 / 1.25},
		{"between attempts in an if", refuse, "if 1 .eql. 1\n\ttry for 1 hour\n\t\tget a -> data\n\tend\nend\n", most},
		{"in an attempt with a limit", hang, "try for 1 hour each 50 minutes\n\tget a -> data\nend\n", most},
		{"in an inner attempt", hang, "try for 1 hour\n\ttry 5 times\n\t\tget a\n\tend\nend\n", most + 11},
	} {
		if kept := kilobytes(t, before, c.spec, c.script); kept > c.most || kept < c.most/2 { // a stack is of 8 or of 16 KB
			t.Errorf("%s it keeps %.2f KB; want at most %.1f, and at least half of it: the pages say so", c.name, kept, c.most)
		}
	}
}

// kilobytes returns how much each of some clients keeps when all wait.
func kilobytes(t *testing.T, before float64, spec, script string) float64 {
	t.Helper()
	w, err := world.Parse(&ast.Source{Name: "spec", Text: spec})
	if err != nil {
		t.Fatal(err)
	}
	s, err := simulate.Load("script", script, nil)
	if err != nil {
		t.Fatal(err)
	}
	const clients = 1000
	during, begun := 0.0, 0
	_, err = simulate.Run(t.Context(), simulate.Crowd{Who: simulate.All(s), World: w, Clients: clients,
		Start: 5 * time.Second, Until: time.Minute, Observe: func(int, func() time.Duration) event.Observer {
			if begun++; begun == clients {
				during = inUse()
			}
			return nil
		}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return (during - before) / clients / 1024
}

func inUse() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}
