package engine

import (
	"cmp"
	"context"
	"sync"
	"time"

	"ftsh/backoff"
	"ftsh/interp/engine/batch"
)

// cancel ends the job, which nobody waits for any more. If it has not begun it never will, as
// the shell takes the claim; else it returns when the job is gone, or its patience is at an end.
func (r *running) cancel() Result {
	held, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	end := r.clock().Now() + r.job.Patience()
	if err == nil && won {
		if r.job.pilots == nil {
			r.withdraw()
		}
		r.drop()
		return Result{Number: r.number}
	}
	r.number = cmp.Or(r.number, held.Number)
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), end, errSlow)
	defer stop()
	if r.gone(ctx) {
		return Result{Number: r.number}
	}
	return Result{Number: r.number, Unsettled: func(ctx context.Context) bool {
		r.forgotten = true // by then its end is in the journal
		return r.gone(ctx)
	}}
}

// withdraw takes the job out of the queue, where it can do no harm: in the time that it has left.
func (r *running) withdraw() {
	most := max(r.job.Patience(), leastWithdraw)
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), r.clock().Now()+most, errSlow)
	defer stop()
	for pause := 200 * time.Millisecond; ; pause *= 2 {
		if r.cluster.cancel(ctx, r.ticket.names(r.generation)) == nil {
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
	if r.job.pilots != nil && r.findPilot() || r.pilot != nil {
		if !r.halt(ctx) {
			return false
		}
		r.drop()
		return true
	}
	const again = 5 * time.Second
	var asked time.Duration
	for pause := firstLook; ; pause = min(pause*5/4, longestLook/4) {
		if now := r.clock().Now(); asked == 0 || now-asked > again {
			_ = r.cluster.cancel(ctx, r.ticket.names(r.generation))
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
	return r.cluster.over(list, r.ticket.names(r.generation), since)
}

// over reports whether an answer of the queue that was asked for after a moment has what is called by these names as
// ended, or not at all.
func (c *Cluster) over(list *snapshot, names []string, since time.Duration) bool {
	if list.Asked <= since {
		return false
	}
	for _, e := range list.called(names) {
		if c.System.Classify(e).Stage < batch.Ended {
			return false
		}
	}
	return true
}

// cancels are the cancellations that wait for a request that is under way: when a script is interrupted
// two requests do for all of its jobs.
type cancels struct {
	turn chan struct{} // has room for one: who may make a request
	mu   sync.Mutex
	next *cancellation
}

// cancellation is one request.
type cancellation struct {
	names []string
	done  chan struct{}
	err   error
}

// cancel cancels what the queue has under these names.
func (c *Cluster) cancel(ctx context.Context, names []string) error {
	q := &c.cancels
	q.mu.Lock()
	request := q.next
	first := request == nil
	if first {
		request = &cancellation{done: make(chan struct{})}
		q.next = request
	}
	request.names = append(request.names, names...)
	q.mu.Unlock()
	if !first {
		select {
		case <-request.done:
			return request.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	q.turn <- struct{}{}
	q.mu.Lock()
	q.next = nil
	q.mu.Unlock()
	request.err = c.System.Cancel(ctx, request.names)
	<-q.turn
	close(request.done)
	return request.err
}
