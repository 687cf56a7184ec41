package locked

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/process/clock"
)

// shell opens a resource as a process of its own would: through descriptions that
// nobody else has.
func shell(t testing.TB, dir, name string) *Resource {
	t.Helper()
	clock := clock.New()
	folder, err := Open(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	r, err := folder.Resource(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		clock.Close()
	})
	return r
}

// stateDir is a folder that is fit to be a state directory.
func stateDir(t testing.TB) string { return t.TempDir() + "/state" }

// enter gets a pass, or fails the test.
func enter(t testing.TB, r *Resource, q shared.Visit) *Pass {
	t.Helper()
	if q.Deadline == 0 {
		q.Deadline = backoff.Never
	}
	p, err := r.Enter(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refused tells what an attempt would have to wait for.
func refused(t testing.TB, r *Resource, q shared.Visit) shared.Wait {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q.Deadline = backoff.Never
	var seen shared.Wait
	q.Told = func(w shared.Wait) {
		seen = w
		cancel()
	}
	if p, err := r.Enter(ctx, q); !errors.Is(err, context.Canceled) {
		if err == nil {
			p.Leave(shared.Undecided, 0)
		}
		t.Fatalf("it went through: %v, %v", p, err)
	}
	return seen
}

func TestSlots(t *testing.T) {
	dir := stateDir(t)
	q := shared.Visit{Rules: shared.Rules{Slots: 2}}
	a, b := shell(t, dir, "disk"), shell(t, dir, "disk")
	first, second := enter(t, a, q), enter(t, b, q)
	if w := refused(t, a, q); w.For.String() != "slot" {
		t.Errorf("a third waits for %v", w.For)
	}
	first.Leave(shared.Succeeded, 0)
	third := enter(t, b, q)
	if w := refused(t, a, q); w.For.String() != "slot" {
		t.Errorf("a fourth waits for %v", w.For)
	}
	second.Leave(shared.Succeeded, 0)
	third.Leave(shared.Succeeded, 0)
}

// TestCrowd has many come for few slots: never more at once than there are slots,
// and everybody's turn comes, in the order in which they came.
func TestCrowd(t *testing.T) {
	const crowd, slots = 60, 3
	dir := stateDir(t)
	q := shared.Visit{Rules: shared.Rules{Slots: slots}, Deadline: backoff.Never}
	var mu sync.Mutex
	inside, most := 0, 0
	var order []int
	var wg sync.WaitGroup
	door := shell(t, dir, "door")
	held := []*Pass{enter(t, door, q), enter(t, door, q), enter(t, door, q)}
	for n := range crowd {
		r := shell(t, dir, "door")
		standing := make(chan struct{})
		q := q
		q.Told = once(standing)
		wg.Go(func() {
			p, err := r.Enter(t.Context(), q)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			inside++
			most = max(most, inside)
			order = append(order, n)
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			inside--
			mu.Unlock()
			p.Leave(shared.Succeeded, 0)
		})
		<-standing
	}
	for _, p := range held {
		p.Leave(shared.Succeeded, 0)
	}
	wg.Wait()
	if most > slots || len(order) != crowd {
		t.Errorf("%d at once, and %d had their turn", most, len(order))
	}
	// Whoever was let in and was slow to say so kept a slot meanwhile, so others may have passed
	// it by; but nobody comes much before its turn.
	for place, n := range order {
		if n > place+slots {
			t.Errorf("number %d came at place %d", n, place)
		}
	}
}

// once closes a channel when it is told of the first wait.
func once(c chan struct{}) func(shared.Wait) {
	tell := sync.OnceFunc(func() { close(c) })
	return func(shared.Wait) { tell() }
}

func BenchmarkUncontended(b *testing.B) {
	r := shell(b, stateDir(b), "free")
	q := shared.Visit{Rules: shared.Rules{Slots: 4, Budgeted: true, Percent: 10, Failures: 5, Within: time.Minute,
		Probe: time.Second}, Deadline: backoff.Never}
	for b.Loop() {
		enter(b, r, q).Leave(shared.Succeeded, 0)
	}
}
