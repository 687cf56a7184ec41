package engine

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/interp/engine/batch"
)

// cancel ends the job, which nobody waits for any more. If it has not begun it never will, as
// the shell takes the claim; else it returns when the job is gone, or its patience is at an end.
func (r *running) cancel() Result {
	_, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	end := r.clock().Now() + r.job.Patience()
	if err == nil && won {
		r.withdraw()
		r.drop()
		return Result{Number: r.number}
	}
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), end, errSlow)
	defer stop()
	if r.gone(ctx) {
		return Result{Number: r.number}
	}
	return Result{Number: r.number, Unsettled: func(ctx context.Context) {
		r.forgotten = true // by then its end is in the journal
		r.gone(ctx)
	}}
}

// withdraw takes the job out of the queue, where it can do no harm: in the time that it has left.
func (r *running) withdraw() {
	most := max(r.job.Patience(), leastWithdraw)
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), r.clock().Now()+most, errSlow)
	defer stop()
	for pause := 200 * time.Millisecond; ; pause *= 2 {
		if r.cluster.System.Cancel(ctx, []string{r.ticket.name}) == nil {
			return
		}
		if backoff.Sleep(ctx, r.clock(), r.clock().Now()+pause) != nil {
			return
		}
	}
}

// leastWithdraw is the time that a request gets however little patience is left.
const leastWithdraw = 2 * time.Second

// gone cancels the job, which has begun, until it is known to have ended; false if ctx ended before.
func (r *running) gone(ctx context.Context) bool {
	const again = 5 * time.Second
	var asked time.Duration
	for pause := firstLook; ; pause = min(pause*5/4, longestLook/4) {
		if now := r.clock().Now(); asked == 0 || now-asked > again {
			_ = r.cluster.System.Cancel(ctx, []string{r.ticket.name})
			asked = now
		}
		if s, there, _ := r.ticket.ended(r.generation); there {
			_, _ = s, r.follow(true)
			r.drop()
			return true
		}
		if r.clock().Now()-asked > time.Second && r.absent(ctx, asked) {
			r.drop()
			return true
		}
		if backoff.Sleep(ctx, r.clock(), r.clock().Now()+pause) != nil {
			return false
		}
	}
}

// absent reports whether the queue has the job as ended, or not at all, later than a moment.
func (r *running) absent(ctx context.Context, since time.Duration) bool {
	list := r.cluster.queue.latest(ctx, min(r.cluster.Interval, 3*time.Second))
	if list.Asked <= since {
		return false
	}
	for _, e := range list.byName[r.ticket.name] {
		if r.cluster.System.Classify(e).Stage < batch.Ended {
			return false
		}
	}
	return true
}
