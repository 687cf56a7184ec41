package jobs

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// stubborn is a batch system that cancels nothing.
type stubborn struct{ scripted }

func (s *stubborn) Array() batch.Array { return batch.Array{} }

// pilotAt does what a pilot does with its first program, but that goes on, whatever it is told, until it is released.
func pilotAt(t *testing.T, pilot ticket, release <-chan struct{}) {
	claimedBy(claim{Number: "7", Submission: "s", Word: "p"})(t, pilot)
	var next nextProgram
	for pilot.readJSON(nextPrefix+"1", &next) != nil {
		time.Sleep(time.Second)
	}
	program := ticketAt(string(next.Folder))
	claimedBy(claim{Number: "7", Submission: "s", Word: "w", Pilot: pilot.name})(t, program)
	<-release
	put(t, program, statusName(1), string(asJSON(status{})))
	put(t, pilot, statusName(1), string(asJSON(status{})))
}

// TestPilotUnsettled: a program whose pilot could not be ended in time is not taken for gone when the pilots are
// closed.
func TestPilotUnsettled(t *testing.T) { synctest.Test(t, pilotUnsettled) }

func pilotUnsettled(t *testing.T) {
	release := make(chan struct{})
	s := &stubborn{scripted{clock: bubble{time.Now().Add(-time.Hour)},
		queue: func(time.Duration) string { return "running" }}}
	s.job = func(pilot ticket, _ int) { pilotAt(t, pilot, release) }
	c, err := open(Config{
		System: s, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s",
		Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	patience := func() time.Duration { return time.Minute }
	pilots := c.newPilots(1, &Job{Asked: world.Job{Patience: patience}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := c.Run(ctx, &Job{
		pilots: pilots, order: order{Words: texts{"true"}}, Asked: world.Job{Patience: patience,
			Output: func(context.Context, int, []byte) error { return nil }}})
	if !errors.Is(err, context.DeadlineExceeded) || result.unsettled == nil {
		t.Fatalf("result %v, error %v", result, err)
	}
	pilots.end()
	short, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if result.unsettled.settle(short) {
		t.Error("the program is taken for gone while it runs")
	}
	close(release)
	if !result.unsettled.settle(t.Context()) {
		t.Error("the program has ended, and is not taken for gone")
	}
}

// TestPilotJustEnded: a program that is handed to a pilot which has just ended is given to another, and does not fail.
func TestPilotJustEnded(t *testing.T) { synctest.Test(t, pilotJustEnded) }

func pilotJustEnded(t *testing.T) {
	p := &pilots{cluster: &Cluster{Config: Config{Clock: bubble{time.Now()}}}, most: 2, live: 2,
		free: make(chan *handover)}
	open, done := context.WithCancel(t.Context())
	ended := &pilot{ticket: newJob(t, false), gone: make(chan struct{})}
	other := &pilot{ticket: newJob(t, false), gone: make(chan struct{})}
	_ = ended.ticket.remove()
	r := &running{cluster: p.cluster, job: &Job{pilots: p}, ticket: newJob(t, false)}
	r.begin(1)
	go p.keepBusy(open, ended)
	handedOver := make(chan *Result)
	go func() {
		refused, err := r.via.submit(t.Context())
		if err != nil {
			t.Error(err)
		}
		handedOver <- refused
	}()
	synctest.Wait()
	go p.keepBusy(open, other)
	if refused := <-handedOver; refused != nil || r.via.(*piloted).pilot != other {
		t.Errorf("refused: %v, the pilot %v", refused, r.via.(*piloted).pilot)
	}
	r.via.release()
	done()
}

// TestPilotHasIt: a program that an earlier shell gave to a pilot is followed as soon as that takes it, though all
// pilots have other work.
func TestPilotHasIt(t *testing.T) { synctest.Test(t, pilotHasIt) }

func pilotHasIt(t *testing.T) {
	busy := &pilot{ticket: newJob(t, false), gone: make(chan struct{})}
	p := &pilots{cluster: &Cluster{Config: Config{Clock: bubble{time.Now()}}}, most: 1, live: 1,
		free:  make(chan *handover),
		known: map[string]*pilot{busy.ticket.name: busy}}
	r := &running{cluster: p.cluster, job: &Job{pilots: p}, ticket: newJob(t, false), sought: 1}
	r.begin(1)
	go func() {
		time.Sleep(time.Minute)
		claimedBy(claim{Number: "7", Submission: "s", Word: "w", Pilot: busy.ticket.name})(t, r.ticket)
	}()
	if refused, err := r.via.submit(t.Context()); refused != nil || err != nil || r.via.(*piloted).pilot != busy ||
		p.waiting != 0 {
		t.Errorf("refused: %v, %v; the pilot %v, %d programs wait", refused, err, r.via.(*piloted).pilot, p.waiting)
	}
}
