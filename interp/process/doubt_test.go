package process

import (
	"testing"
	"time"

	"ftsh/interp/process/clock"
	"ftsh/interp/world"
)

// On a busy machine every look at all its processes meets some that end, or load a program,
// and do not say whose they are. That must not keep a search that finds nothing of ours for ever.
func TestDoubtEnds(t *testing.T) {
	real := clock.New()
	defer real.Close()
	h, err := Open(Config{Clock: real})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.mu.Lock()
	left := h.addTarget(&run{cmd: &world.Command{}, number: 1, ended: true}, 0)
	h.mu.Unlock()
	const interval = 20 * time.Millisecond
	began := real.Now()
	for at := began; !left.done; at += interval {
		if at > began+2*survivorAfter {
			t.Fatalf("still in doubt after %v", at-began)
		}
		r := h.newSweep()
		r.now, r.doubtful = at, true
		r.closeEmptyTargets()
		if left.done && at < began+survivorAfter {
			t.Errorf("sure after %v", at-began)
		}
	}
}
