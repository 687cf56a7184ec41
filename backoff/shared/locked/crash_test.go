package locked

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/process/clock"
	"ftsh/testdata/skip"
)

// visitorDir is set in the processes that TestCrash starts.
const visitorDir = "LOCKED_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(visitorDir); dir != "" {
		os.Exit(visitForever(dir))
	}
	os.Exit(m.Run())
}

// visitForever takes the one slot of a resource again and again, and sees that nobody
// else has it: status 9 if somebody has. Each time it writes a byte.
func visitForever(dir string) int {
	clock := clock.New()
	folder, err := Open(dir+"/state", clock)
	if err != nil {
		return 1
	}
	r, err := folder.Resource("x", nil)
	if err != nil {
		return 1
	}
	proof, err := unix.Open(dir+"/proof", unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return 1
	}
	rules := shared.Rules{Slots: 1, Budgeted: true, Percent: 100, Failures: 2, Within: time.Millisecond,
		Probe: time.Millisecond}
	for n := 0; ; n++ {
		p, err := r.Enter(context.Background(), shared.Visit{Rules: rules, Retry: n%3 == 0, Deadline: backoff.Never})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if alone, err := lockByte(proof, 0); !alone {
			fmt.Fprintln(os.Stderr, "somebody else is there:", err)
			return 9
		}
		os.Stdout.WriteString(".")
		unlockByte(proof, 0)
		p.Leave(shared.Ending(n%2), 0)
	}
}

// TestCrash kills processes at any moment of taking and giving back a slot, and spoils
// the state now and then: there are never two, and it always goes on.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), visitorDir+"="+dir)
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	var crowd []*exec.Cmd
	for range 5 {
		crowd = append(crowd, start())
	}
	buffer := make([]byte, 1000)
	kills := 15
	if skip.Long() {
		kills = 60
	}
	for range kills {
		for visits := 0; visits < 20; { // they go on
			in.SetReadDeadline(time.Now().Add(2 * time.Minute))
			n, err := in.Read(buffer)
			if err != nil {
				t.Fatal("nobody had a turn for two minutes")
			}
			visits += n
		}
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
		victim := rand.IntN(len(crowd))
		if rand.IntN(5) == 0 {
			spoil(t, dir+"/state/x.resource")
		}
		crowd[victim].Process.Kill()
		if crowd[victim].Wait(); crowd[victim].ProcessState.Exited() {
			t.Fatalf("a visitor ended by itself: %v", crowd[victim].ProcessState)
		}
		crowd[victim] = start()
	}
	for _, cmd := range crowd {
		cmd.Process.Kill()
		cmd.Wait()
	}
	if s := look(t, dir+"/state", "x"); s.Taken+s.Waiting+s.Retrying != 0 {
		t.Errorf("%+v", s)
	}
}
