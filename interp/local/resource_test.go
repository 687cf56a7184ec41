package local

import (
	"context"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/world"
)

// quick is a clock on which whatever lies in the future is due at once.
type quick struct{ now time.Duration }

func (q quick) Now() time.Duration { return q.now }

func (q quick) AfterFunc(_ time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(0, f)
}

// resting tells when programs may rest.
type resting chan struct{}

func (r resting) Rest() {
	select {
	case r <- struct{}{}:
	default:
	}
}

func (resting) Run(context.Context, *world.Command) (world.Status, error) { return world.Status{}, nil }

// TestRestInLine holds that programs rest while an attempt waits long for a slot, and that whoever keeps the slot is
// looked after.
func TestRestInLine(t *testing.T) {
	rests, looked := make(resting, 1), make(chan string, 1)
	w := New(Config{Programs: rests, Clock: quick{time.Hour}, AwaitSlot: func(name, _ string) func() {
		looked <- name
		return func() { close(looked) }
	}})
	folder := t.TempDir() + "/state"
	inherited := func(name string) (string, bool) { return folder, name == "FTSH_STATE_DIR" }
	enter := func(ctx context.Context) (world.Gate, world.Pass, error) {
		g, err := w.Resource("r", inherited)
		if err != nil {
			t.Fatal(err)
		}
		visit := shared.Visit{Rules: shared.Rules{Slots: 1}, Deadline: backoff.Never, Told: func(shared.Wait) {}}
		pass, err := g.Enter(ctx, visit)
		return g, pass, err
	}
	first, pass, err := enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		second, _, err := enter(ctx)
		second.Close()
		ended <- err
	}()
	<-rests
	if name := <-looked; name != "r" {
		t.Errorf("looked after %s", name)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it got the slot")
	}
	if _, open := <-looked; open {
		t.Error("it is looked after on and on")
	}
	pass.Leave(shared.Succeeded, 0)
	first.Close()
}
