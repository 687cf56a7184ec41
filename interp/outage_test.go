package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/process/clock"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
)

// overload is smira's server (2013), five times as fast: it answers in 20 ms as long as no more
// than nine requests are in flight, and the more there are the slower, up to
// seconds. Requests whose clients have given up stay until their time is over.
type overload struct {
	inFlight atomic.Int64
	down     atomic.Bool // requests come in, and nothing goes on
	asked    atomic.Int64
	served   atomic.Int64
	under    sync.WaitGroup
	closed   atomic.Bool
}

// backlog limits the requests that the server takes in.
const backlog = 1000

// delay returns the time that a request takes with so many in flight.
func (s *overload) delay() time.Duration {
	const base, limit = 20 * time.Millisecond, 9
	over := max(0, float64(s.inFlight.Load())-limit)
	return time.Duration(min(float64(base)*math.Pow(1.05, over/4.5), float64(time.Hour)))
}

// request is answered, or given up by its client after 400 ms.
func (s *overload) request() bool {
	s.asked.Add(1)
	deadline := time.Now().Add(400 * time.Millisecond)
	for s.down.Load() || s.inFlight.Load() >= backlog { // it takes nobody in
		if time.Sleep(5 * time.Millisecond); time.Now().After(deadline) {
			return false
		}
	}
	s.inFlight.Add(1)
	answered := make(chan struct{})
	s.under.Go(func() {
		defer s.inFlight.Add(-1)
		for since := time.Now(); !s.closed.Load(); {
			left := s.delay() - time.Since(since)
			if left <= 0 {
				break
			}
			time.Sleep(min(max(left/4, time.Millisecond), 100*time.Millisecond))
		}
		close(answered)
	})
	select {
	case <-answered:
		s.served.Add(1)
		return true
	case <-time.After(time.Until(deadline)):
		return false
	}
}

// Run makes a request of every command.
func (s *overload) Run(context.Context, *world.Command) (world.Status, error) {
	if s.request() {
		return world.Status{}, nil
	}
	return world.Status{Code: 1}, nil
}

// Rest does nothing.
func (s *overload) Rest() {}

// use is done by a client between thinking.
const use = `
try for 10 seconds %s backoff fixed from 20 ms
	request
catch
	success
end
`

// disciplines are the clients that the manual compares.
var disciplines = []struct {
	name, settings string
	recovers       bool
}{
	{"plain", "", false},
	{"budget", "budget 10 percent", true},
	{"breaker", "breaker 20 failures in 1 second probe every 200 ms", true},
	{"slots", "slots 30", true},
	{"all", "slots 30; budget 10 percent; breaker 20 failures in 1 second probe every 200 ms", true},
}

// TestOutage stops a server for three seconds that 400 clients use, and looks what it
// does afterwards. With a plain try it never recovers: the clients that try again
// are too many for it to answer any in time. With a resource it does, by the budget
// when the tries of the outage have reached their limits.
//
// FTSH_OUTAGE=1 takes the figures of the manual: each second of each discipline.
func TestOutage(t *testing.T) {
	full := os.Getenv("FTSH_OUTAGE") != ""
	skip.UnlessLong(t, "it takes 17 seconds, and a machine that has time")
	if skip.UnderRace {
		skip.Test(t, "the race detector makes its clients too slow")
	}
	for _, d := range disciplines {
		t.Run(d.name, func(t *testing.T) {
			if !full {
				if d.name == "slots" || d.name == "all" {
					skip.Test(t, "FTSH_OUTAGE=1 runs it")
				}
				t.Parallel()
			}
			text, via := fmt.Sprintf("resource r; %s; end", d.settings), "via r"
			if d.settings == "" {
				text, via = "", ""
			}
			served := outage(t, text+fmt.Sprintf(use, via))
			t.Logf("served each second: %v", served)
			last := served[len(served)-1] + served[len(served)-2] + served[len(served)-3]
			if d.recovers != (last > 150) { // of some 600 that are wanted
				t.Errorf("served in the last three seconds: %d", last)
			}
		})
	}
}

// outage runs the clients, and gives how many requests were served in each second.
func outage(t *testing.T, script string) (served []int64) {
	server, stop := &overload{}, make(chan struct{})
	var clients sync.WaitGroup
	clock := clock.New()
	defer clock.Close()
	dir := t.TempDir() + "/state"
	for range 400 {
		r := interp.New(interp.Config{
			World: findsAll{at(server, clock)}, Script: interp.Script{Environ: []string{"FTSH_STATE_DIR=" + dir, "PATH=/"}},
		})
		file := parse(t, script) // it belongs to one runner
		clients.Go(func() { think(t, r, file, stop) })
	}
	var asked []int64
	for second := range 17 {
		server.down.Store(second >= 2 && second < 5)
		before, done := server.asked.Load(), server.served.Load()
		time.Sleep(time.Second)
		asked, served = append(asked, server.asked.Load()-before), append(served, server.served.Load()-done)
	}
	close(stop)
	clients.Wait()
	server.closed.Store(true)
	server.under.Wait()
	t.Log("asked each second:  " + strings.Trim(fmt.Sprint(asked), "[]"))
	return served
}

// think runs the script again and again, and thinks for two seconds on average.
func think(t *testing.T, r *interp.Runner, file *ast.File, stop chan struct{}) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(rand.ExpFloat64() * float64(2*time.Second))):
		}
		var failure *interp.Failure
		if err := r.Run(ctx, file); err != nil && !errors.As(err, &failure) {
			t.Error(err)
		}
	}
}
