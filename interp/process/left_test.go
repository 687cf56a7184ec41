package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
)

// TestEndRemains has what is left of a dead shell's commands be ended, as far as they were under way; what they carry
// tells that. All others live.
func TestEndRemains(t *testing.T) {
	real := clock.New()
	defer real.Close()
	marker := fmt.Sprintf("/left%d.%d.", os.Getpid(), clock.SinceBoot())
	left := Left{Marker: marker, Born: uint64(procfs.Now()), Numbers: []uint64{1, 37}}
	processes := []struct {
		marker string
		want   unix.Signal
	}{
		{marker + "1", unix.SIGTERM},
		{marker + "11/x.2", unix.SIGTERM}, // 37, and a command of a shell in it
		{marker + "2", unix.SIGKILL},
		{"/other" + marker + "1", unix.SIGKILL},
		{"", unix.SIGKILL},
	}
	var commands []*exec.Cmd
	var reaping sync.WaitGroup
	for _, p := range processes {
		c := exec.Command("/bin/sleep", "1000")
		c.Env = []string{"A=b"}
		if p.marker != "" {
			c.Env = append(c.Env, markerName+"="+p.marker)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, c)
		reaping.Go(func() { _ = c.Wait() })
	}
	for _, number := range left.Numbers { // its marker is there a moment after its program is
		one := Left{Marker: marker, Numbers: []uint64{number}}
		for end := time.Now().Add(2 * time.Minute); !one.findMarkers(); clock.Nap(time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("number %d is not found", number)
				break
			}
		}
	}
	if got := left.findRemains(); got != SomeLeft {
		t.Errorf("they live, and %v is found", got)
	}
	if got := (Left{Marker: marker, Born: left.Born, Numbers: []uint64{3}}).findRemains(); got != NoneSeen {
		t.Errorf("of another number %v is found", got)
	}
	if got, err := left.End(Config{Clock: real}); got != NoneSeen || err != nil {
		t.Errorf("they were ended, and %v is found, %v", got, err)
	}
	for _, c := range commands {
		_ = c.Process.Kill()
	}
	reaping.Wait()
	for i, c := range commands {
		if died := c.ProcessState.Sys().(interface{ Signal() unix.Signal }).Signal(); died != processes[i].want {
			t.Errorf("with the marker %q it died of %v, want %v", processes[i].marker, died, processes[i].want)
		}
	}
}
