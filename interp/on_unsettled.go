package interp

import (
	"context"
	"sync"
)

// unsettled are jobs that were cancelled and may still be running, by the tries that they were of:
// none of these makes a further attempt before it is known that they are gone.
type unsettled struct {
	mu   sync.Mutex
	jobs map[*try][]*doubt
}

// doubt is whether one job is gone.
type doubt struct {
	mu   sync.Mutex
	gone bool
	wait func(ctx context.Context) (gone bool)
}

// add notes a job of a try, and of all around.
func (u *unsettled) add(t *try, wait func(context.Context) bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.jobs == nil {
		u.jobs = map[*try][]*doubt{}
	}
	for d := (&doubt{wait: wait}); t != nil; t = t.outer {
		u.jobs[t] = append(u.jobs[t], d)
	}
}

// forget forgets the jobs of a try, which has ended. Those around know of them.
func (u *unsettled) forget(t *try) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.jobs, t)
}

// settle waits until the jobs of a try are gone, or ctx ends.
func (u *unsettled) settle(ctx context.Context, t *try) {
	u.mu.Lock()
	doubts := u.jobs[t]
	delete(u.jobs, t)
	u.mu.Unlock()
	for _, d := range doubts {
		d.settle(ctx)
	}
}

func (d *doubt) settle(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = d.gone || d.wait(ctx)
}
