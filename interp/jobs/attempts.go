package jobs

import (
	"context"
	"sync"

	"ftsh/interp/journal"
)

// Attempts has the jobs of a structure that tries again: a try, or a forany with its alternatives. Once it has
// succeeded nobody has to look at those that failed in the attempts before; and none is made as long as one of them may
// still be running that was cancelled. Safe for concurrent use; nil has none.
type Attempts struct {
	outer *Attempts // of the structure around

	mu      sync.Mutex
	attempt int // that is made
	failed  []FailedJob
	doubts  []*doubt
}

// FailedJob is a job whose folder is kept for people to look at, as a journal has it.
type FailedJob struct {
	Attempt int          `json:"attempt"`
	Folder  journal.Text `json:"folder"`
	lasting bool         // a later shell may find it made good
}

// A doubt is of a job that was cancelled and may run all the same. Nil: there is none.
type doubt struct {
	mu   sync.Mutex
	gone bool
	wait func(ctx context.Context) (gone bool)
}

// settle waits until the job is known to be gone; false: ctx ended before.
func (d *doubt) settle(ctx context.Context) (gone bool) {
	if d == nil {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = d.gone || d.wait(ctx)
	return d.gone
}

// add notes a job that has failed, or may still be running, in all structures around it.
func (a *Attempts) add(j *Job, t ticket, r Result, failed bool) {
	for ; a != nil; a = a.outer {
		a.mu.Lock()
		if failed {
			a.failed = append(a.failed, FailedJob{a.attempt, journal.Text(t.folder), j.Outlives})
		}
		if r.unsettled != nil {
			a.doubts = append(a.doubts, r.unsettled)
		}
		a.mu.Unlock()
	}
}

// Begin notes that an attempt begins.
func (a *Attempts) Begin(attempt int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attempt = attempt
}

// MadeGood removes the folders of the jobs that failed before the attempt under way, which has succeeded. What failed
// in that attempt was caught there, and stays.
func (a *Attempts) MadeGood() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, job := range a.failed {
		if job.Attempt < a.attempt {
			discard(string(job.Folder))
		}
	}
}

// Settle waits until the jobs that may still be running are gone, or ctx ends.
func (a *Attempts) Settle(ctx context.Context) {
	a.mu.Lock()
	doubts := a.doubts
	a.doubts = nil
	a.mu.Unlock()
	for _, d := range doubts {
		d.settle(ctx)
	}
}

// lasting lists what a later shell needs, if it is not too much: each attempt writes it anew.
func (a *Attempts) lasting() (saved []FailedJob) {
	const most = 100
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, job := range a.failed {
		if job.lasting && len(saved) < most {
			saved = append(saved, job)
		}
	}
	return saved
}
