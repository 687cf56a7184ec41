package simulate_test

import (
	"context"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/simulate"
)

const resources = `resource one
    slots 1
end
resource frugal
    budget 10 percent
end
resource fused
    breaker 3 failures in 1 minute probe every 10 s
end
resource careful
    sense
        probe
    end
end
`

// TestResources lets clients share what shells of one machine would share.
func TestResources(t *testing.T) {
	for name, c := range map[string]struct {
		script, world string
		machines      int
		requests      int           // at most
		least, last   time.Duration // when the last client ended, between
	}{
		"slots": {"try for 1 hour via one\nget\nend", "server\ntakes 1 s\nend", 0, 20, 20 * time.Second,
			20 * time.Second},
		"slots of two machines": {"try for 1 hour via one\nget\nend", "server\ntakes 1 s\nend", 2, 20, 10 * time.Second,
			10 * time.Second},
		"slots and failures": {"try for 1 hour via one backoff fixed from 100 ms\nget\nend",
			"server\ntakes 1 s\nfailure 30 percent\nend", 0, 60,
			22 * time.Second, 60 * time.Second},
		"no slot in time": {"try for 5 s via one\nget\ncatch\nend", "server\ntakes 1 s\nend", 0, 6, 5 * time.Second,
			5 * time.Second},
		"budget": {"try for 9 minutes via frugal backoff fixed from 1 s\nget\ncatch\nend",
			"server\noutage from 0 s to 1 hour\nend", 0, 20 + 9*60,
			540 * time.Second, 541 * time.Second},
		"breaker": {"try for 9 minutes via fused backoff fixed from 1 s\nget\ncatch\nend",
			"server\noutage from 0 s to 1 hour\nend", 0, 20 + 3 + 54,
			540 * time.Second, 541 * time.Second},
		"breaker closes": {"try for 9 minutes via fused backoff fixed from 1 s\nget\nend",
			"server\noutage from 0 s to 1 minute\nend", 0, 20 + 3 + 6 + 20,
			60 * time.Second, 72 * time.Second},
		"sense": {"try for 1 hour or 3 times via careful backoff fixed from 1 s\nget\nend",
			"server\ntakes 1 s\nend\nserver probe\nslots 1\nqueue 0\ntakes 1 s\nend", 0, 20 + 400, 20 * time.Second,
			40 * time.Second},
		"retryafter for all": {"try for 1 hour via one backoff fixed from 1 s\ntry\nget\ncatch\nretryafter -f x\n" +
			"failure\nend\nend",
			"server\noutage from 0 s to 10 s\nretryafter 30 s\nend", 0, 21, 30 * time.Second, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			tally := run(t, simulate.Crowd{Who: simulate.All(load(t, resources+c.script)), World: parseWorld(t, c.world),
				Clients: 20, Machines: c.machines}, 1)
			last := tally.Took[len(tally.Took)-1].Round(10 * time.Millisecond)
			if tally.Done != 20 || tally.Requests > c.requests || last < c.least || last > c.last {
				t.Errorf("finished %d, failed %v, %d requests, at most %d; the last after %v, wanted %v to %v",
					tally.Done, tally.Failed, tally.Requests, c.requests, last, c.least, c.last)
			}
		})
	}
}

// TestResourcesCancelled ends clients that wait for a resource.
func TestResourcesCancelled(t *testing.T) {
	script := load(t, resources+"try for 10 hours via one\nget\nend")
	tally, err := simulate.Run(context.Background(),
		simulate.Crowd{Who: simulate.All(script), World: parseWorld(t, "server\ntakes 30 minutes\nend"), Clients: 20,
			Until: time.Hour + time.Second}, 1)
	if err != nil || tally.Running != 18 || tally.Done != 2 {
		t.Errorf("%v: %d finished, %d ran", err, tally.Done, tally.Running)
	}
}

// TestVerify settles unknown outcomes in virtual time, too.
func TestVerify(t *testing.T) {
	script := load(t, "try for 1 hour each 5 s backoff fixed from 10 s\nslow\nverify\nask -> x\nif $x .eq. ''\n"+
		"absent\nend\nend")
	world := parseWorld(t, "server\ntakes 1 s\nfailure 50 percent\nend\nserver slow\ntakes uniform 4 s 8 s\nend\n"+
		"command ask\ntakes 1 s\nfailure 50 percent\nend")
	tally := run(t, simulate.Crowd{Who: simulate.All(script), World: world, Clients: 50}, 1)
	if tally.Done != 50 || tally.Requests < 100 {
		t.Errorf("finished %d, failed %v, %d requests", tally.Done, tally.Failed, tally.Requests)
	}
}
