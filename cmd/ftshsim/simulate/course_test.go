package simulate_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"ftsh/cmd/ftshsim/simulate"
	"ftsh/interp/event"
)

// TestOutermostTry holds that a try which waits without a stack, an outermost one, does what it does within an if.
func TestOutermostTry(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"plain", "try for 5 minutes each 5 s\nget\nend"},
		{"so many times", "try 3 times every 7 s\nget -> x\nend\nget"},
		{"none at all", "try 0 times\nget\ncatch\ntool\nend"},
		{"catch and finally", "try for 1 minute\nget\ncatch\nget\nfailure\nfinally\nget\nend"},
		{"giveup", "try for 5 minutes\nget\ntry\nget\ncatch\ngiveup\nend\ncatch\ntool\nend"},
		{"retryafter", "try for 20 minutes\nget\ncatch\nfailure\nend\ntry 9 times\ntry\nget\ncatch\n" +
			"retryafter -f headers\nfailure\nend\nend"},
		{"two, and one within", "try 2 times\ntry 4 times\nget\nend\nend\ntry for 2 minutes\nget\nend"},
		{"exit", "try for 5 minutes\nget\nexit 3\nend"},
		{"verify", "try for 5 minutes each 2 s key same\nget\nverify\nget\nabsent\nend"},
		{"output", "try for 5 minutes\nget\nend -> x\nget $x"},
		{"branches", "try for 5 minutes\nforall i in 1 2 3\ntry 2 times\nget\nend\nend\nend"},
		{"a limit that is wrong", "n=x\ntry $n times\nget\ncatch\ntool\nend"},
		{"via", "resource r\nslots 2\nend\ntry for 5 minutes via r\nget\nend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			crowd := func(script string) simulate.Crowd {
				return simulate.Crowd{Who: simulate.All(load(t, script)), World: parseWorld(t, rough), Clients: 20,
					Start: 30 * time.Second, Until: 4 * time.Minute}
			}
			within := c.script
			if at := strings.Index(c.script, "try"); at >= 0 { // what stands before is declared outside
				within = c.script[:at] + "if 1 .eql. 1\n" + c.script[at:] + "\nend"
			}
			for seed := range uint64(3) {
				plain, told := observed(t, crowd(c.script), seed)
				inner, want := observed(t, crowd(within), seed)
				if !reflect.DeepEqual(plain.Tally, inner.Tally) || !reflect.DeepEqual(plain.Failed, inner.Failed) ||
					plain.Events != inner.Events || told != want {
					t.Fatalf("seed %d: outermost %+v %v\n%s\nwithin %+v %v\n%s", seed, plain.Tally, plain.Failed, told,
						inner.Tally, inner.Failed, want)
				}
			}
		})
	}
}

// observed runs a crowd, and tells what its clients did.
func observed(t *testing.T, crowd simulate.Crowd, seed uint64) (*simulate.Tally, string) {
	t.Helper()
	var story strings.Builder
	crowd.Observe = func(client int, now func() time.Duration) event.Observer {
		return teller{&story, client, now}
	}
	return run(t, crowd, seed), story.String()
}

// teller writes down what a client does.
type teller struct {
	story  *strings.Builder
	client int
	now    func() time.Duration
}

func (teller) Enabled(int) bool { return true }

func (o teller) Observe(e event.Event) {
	if e.Kind != event.IfBranch {
		fmt.Fprintln(o.story, o.client, o.now(), e.Kind, e.Attempt, e.Command, e.Failure, e.Message, e.Wait, e.Remaining)
	}
}
