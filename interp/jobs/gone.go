package jobs

import (
	"cmp"
	"context"
	"os"
	"time"

	"ftsh/interp/jobs/batch"
)

// SeemsToRun reports whether a job has begun and has not said how it ended.
func (l Left) SeemsToRun() bool { return l.State == stateRunning || l.Ends }

// IsGone reports whether FindGone has found that the batch system has the job no more.
func (l Left) IsGone() bool { return l.State == stateGone }

// Shown is the state for people: what is noted of a job that was cancelled is not true before it has ended.
func (l Left) Shown() string {
	if l.Ends && l.State != stateToCancel {
		return stateEnding
	}
	return l.State
}

// FindGone looks which of the jobs that seem to run the batch system has no more, and gives these their state. It
// reports whether the batch system has answered; if not, nothing is known of them.
func (c *Cluster) FindGone(ctx context.Context, left []*Left) (answered bool) {
	answered = true
	for _, l := range left {
		t := ticketAt(l.Path)
		began, known := t.begun(c.Clock.Now())
		if !known {
			continue
		}
		list := c.listSince(ctx, began)
		if list == nil {
			answered = false
			continue
		}
		names, _ := c.carriers(t)
		if !c.over(list, names, 0) {
			continue
		}
		if _, there, _ := t.ended(t.generation()); there || !t.has("job") {
			continue // in this moment
		}
		if l.Ends = false; l.Failed() {
			continue // as it was told to
		}
		l.State, l.Message = stateGone, c.whyGone(list, names)
	}
	return answered
}

// begun is when a job had surely made its claim; false: it has just begun, or that cannot be seen.
func (t ticket) begun(now time.Duration) (at time.Duration, known bool) {
	const skew = 2 * time.Second // of the clock that has dated the claim
	info, err := os.Lstat(t.join(claimName(t.generation())))
	if err != nil {
		return 0, false
	}
	age := time.Since(info.ModTime()) - skew
	return now - age, age > 0
}

// listSince is an answer of the batch system to what was asked after a moment; nil: there is none.
func (c *Cluster) listSince(ctx context.Context, since time.Duration) *snapshot {
	list := c.queue.latest(ctx, c.Interval)
	if list.Asked <= since {
		list = c.queue.latest(ctx, 0)
	}
	if list.Asked <= since {
		return nil
	}
	return list
}

// whyGone asks the batch system about a job that is gone.
func (c *Cluster) whyGone(list *snapshot, names []string) string {
	why := ""
	for _, e := range list.called(names) {
		if e.Kind != batch.Succeeded {
			why = e.Message
		}
	}
	return cmp.Or(why, "the batch system has it no more") + "; it has left no status"
}
