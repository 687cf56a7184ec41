package jobs

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// queued is a submission to the batch system, by itself or with others as an array.
type queued struct {
	r       *running
	missing time.Duration // the first answer of the queue in which it was missing; 0: none
	judged  time.Duration // the last answer that was looked at
	idle    time.Duration // the first answer in which it ran and had not begun; 0: none
	asking  atomic.Bool
	gaveUp  atomic.Pointer[bool] // whether the batch system has cancelled it by itself; nil: that was not told yet
}

func (q *queued) release() {}

// submit implements carrier. A submission whose answer was lost is repeated after a look at the queue: if both arrive,
// the first that runs has the claim.
func (q *queued) submit(ctx context.Context) (refused *Result, err error) {
	if q.r.current.generation == q.r.sought {
		if found, err := q.seek(ctx); found || err != nil {
			return nil, err
		}
	}
	if q.r.job.Crowd != nil && q.r.current.generation == 1 {
		return q.r.job.Crowd.submit(ctx, q.r)
	}
	b := &bundle{cluster: q.r.cluster, jobs: []*running{q.r}, name: q.r.ticket.name}
	answer, err := b.submit(ctx)
	switch {
	case err != nil:
		return nil, err
	case answer.Receipt != batch.Accepted:
		result := failed(batch.Mistake, "", answer.Message)
		return &result, nil
	}
	q.r.current.number, q.r.current.submitted = answer.Number, q.r.clock().Now()
	return nil, context.Cause(ctx)
}

// seek finds out whether the job of an earlier shell has begun or stands in the queue. A request to submit
// that is still on its way may come after the answer: whichever of the two begins first is the job.
func (q *queued) seek(ctx context.Context) (found bool, err error) {
	began := q.r.clock().Now()
	err = ofEnd.await(ctx, q.r.clock(), func() (done bool) {
		list := q.r.cluster.queue.latest(0)
		if held, made := q.r.ticket.claimed(q.r.current.generation); made {
			q.r.current.number, q.r.current.submitted, found = held.Number, began, true
		} else if entries := q.r.entries(list); len(entries) > 0 {
			q.r.current.number, q.r.current.submitted, found = entries[0].Number, list.Asked, true
		}
		return found || list.Asked >= began
	})
	if !found && err == nil {
		err = context.Cause(ctx)
	}
	return found, err
}

// judge implements carrier: it looks at what the queue says.
func (q *queued) judge() finding {
	if q.r.clock().Now()-q.r.current.submitted < q.r.cluster.Interval {
		return finding{} // a job that is short shows its status before
	}
	list := q.r.cluster.queue.latest(q.r.cluster.Interval)
	if list.Asked <= max(q.r.current.submitted, q.judged) {
		return finding{}
	}
	entries := q.r.entries(list)
	doubtful := slices.IndexFunc(entries, q.isDoubtful)
	if doubtful >= 0 && q.gaveUp.Load() == nil {
		q.askWhy(entries[doubtful])
		return finding{}
	}
	q.judged = list.Asked
	if len(entries) == 0 {
		return q.vanished(list.Asked)
	}
	q.missing = 0
	live, runs, best := 0, true, batch.Entry{}
	for _, e := range entries {
		switch {
		case e.IsLive():
			live++
			runs = runs && e.Kind == batch.Running
			q.tell(e)
		case e.Kind == batch.Mistake || best.Kind == batch.Succeeded:
			best = e
			if q.isDoubtful(e) && *q.gaveUp.Load() {
				best.Kind, best.Message = batch.Lost, "the node could not start the job"
			}
		}
	}
	if live > 0 && best.Kind != batch.Mistake {
		q.r.current.over = 0
		return q.unbegun(list.Asked, runs)
	}
	return q.stopped(best)
}

// startTime limits the time that a job may be listed as running without having begun, in intervals between lists: 10
// minutes by default. Nodes prepare themselves meanwhile; but a controller that ends while it starts a job shows it
// so for ever.
const startTime = 20

// unbegun gives up a job that is listed as running for long and has not begun, so that it is submitted again.
func (q *queued) unbegun(asked time.Duration, runs bool) finding {
	if _, claimed := q.r.ticket.claimed(q.r.current.generation); claimed || !runs {
		q.idle = 0
		return finding{}
	}
	if q.idle == 0 {
		q.idle = asked
	}
	if asked-q.idle < startTime*q.r.cluster.Interval {
		return finding{}
	}
	_, won, err := q.r.ticket.take(q.r.current.generation, claim{Shell: true})
	if err != nil || !won {
		return finding{}
	}
	q.withdraw()
	idle := startTime * q.r.cluster.Interval
	return neverBegun(q.r.lost("it is listed as running, and has not begun for " + idle.String()))
}

// isDoubtful reports whether an entry may be of a job that the batch system has cancelled by itself, as it could not
// start it.
func (q *queued) isDoubtful(e batch.Entry) bool {
	_, claimed := q.r.ticket.claimed(q.r.current.generation)
	return e.Kind == batch.Cancelled && !q.r.job.Requeue && !claimed
}

// askWhy asks beside whether it was so.
func (q *queued) askWhy(e batch.Entry) {
	q.r.cluster.errands.begin(&q.asking, q.r.clock(), func(ctx context.Context) {
		gaveUp := q.r.cluster.System.GaveUp(ctx, e)
		q.gaveUp.Store(&gaveUp)
	})
}

// vanished deals with a job that is in no list. That proves nothing: a list may be incomplete. So if it has begun it is
// ended before another attempt can take its place, and stays lost whatever it still writes.
func (q *queued) vanished(asked time.Duration) finding {
	if q.missing == 0 {
		q.missing = asked
	}
	if asked-q.missing < 2*q.r.cluster.Interval {
		return finding{}
	}
	if _, there, _ := q.r.ticket.ended(q.r.current.generation); there {
		return finding{}
	}
	lost := q.r.lost("the job has vanished from the queue, and left no status")
	_, won, err := q.r.ticket.take(q.r.current.generation, claim{Shell: true})
	if err == nil && won {
		q.withdraw()
		return neverBegun(lost)
	}
	return q.r.endVanished(lost)
}

// stopped deals with a job that has ended according to the queue, or will never start.
func (q *queued) stopped(v batch.Entry) finding {
	now := q.r.clock().Now()
	if q.r.current.over == 0 {
		q.r.current.over = now
	}
	_, claimed := q.r.ticket.claimed(q.r.current.generation)
	if v.Kind != batch.Mistake && claimed && now-q.r.current.over < q.r.cluster.grace {
		return finding{} // the status may come to be seen
	}
	result := failed(v.Kind, q.r.current.number, v.Message)
	if v.Kind == batch.Succeeded {
		result = q.r.lost("the job has ended, and left no status")
	}
	q.r.current.verdict = v // a status that has come in this moment may need it
	found := q.r.claimForShell(result)
	if v.Kind == batch.Mistake {
		q.withdraw()
	}
	return found
}

// tell tells where the job is, as the queue has it.
func (q *queued) tell(e batch.Entry) {
	p := Progress{Number: e.Number, State: stateQueued, Reason: e.Reason}
	if e.Kind == batch.Running {
		p.State, p.Reason, p.Node = stateRunning, "", e.Node
	}
	q.r.announce(p)
}

// explains waits for an answer of the queue that was asked for after the end, but not for ever. The answer is
// asked for at once: the runner was told to end, so that the batch system knows why.
func (q *queued) explains() (known bool) {
	if q.r.current.over == 0 {
		q.r.current.over = q.r.clock().Now()
	}
	list := q.r.cluster.queue.latest(min(q.r.cluster.Interval, verdictAge))
	if list.Asked > q.r.current.over {
		entries := q.r.entries(list)
		for _, e := range entries {
			if !e.IsLive() && e.Kind != batch.Mistake {
				q.r.current.verdict = e
				return true
			}
		}
		if len(entries) == 0 {
			return true
		}
	}
	return q.r.clock().Now()-q.r.current.over > requestLimit+q.r.cluster.grace
}

// verdictAge limits the age of a list of the queue that is to say why a job has ended.
const verdictAge = 500 * time.Millisecond

// doomed implements carrier.
func (q *queued) doomed() *doomed { return q.r.cluster.doom(q.r.ticket, q.r.job.Asked.Patience()) }

// withdraw takes the job, which never begins, out of the queue: in a moment, as it can do no harm there. What cannot be
// cancelled now is left to the next shell.
func (q *queued) withdraw() (done bool) {
	names := q.r.ticket.names(q.r.current.generation)
	if q.r.silence() == "" {
		ctx, stop := backoff.WithDeadline(context.Background(), q.r.clock(), q.r.clock().Now()+q.r.cluster.soon(), errSlow)
		defer stop()
		if q.r.cluster.cancel(ctx, names) == nil {
			return true
		}
	}
	q.r.cluster.cancelLater(q.r.ticket, names)
	return false
}
