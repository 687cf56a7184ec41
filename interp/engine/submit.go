package engine

import (
	"context"
	"strconv"
	"time"

	"ftsh/backoff"
	"ftsh/interp/engine/batch"
)

// submit submits the job until that has succeeded or can never do so, which is the result then.
// An error is that of ctx. A submission whose answer was lost is repeated after a look at the
// queue: if both arrive, the first that runs has the claim.
func (r *running) submit(ctx context.Context) (refused *Result, err error) {
	c := r.cluster
	script := r.script(c.program, strconv.FormatInt(time.Now().Unix(), 10)+"."+randomWord())
	s := batch.Submission{Name: r.ticket.name, Script: script, Log: r.ticket.join("log"), Options: r.job.Options}
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		answer := r.request(ctx, s)
		switch answer.Receipt {
		case batch.Accepted:
			r.number, r.submitted = answer.Number, c.Clock.Now()
			return nil, context.Cause(ctx)
		case batch.Refused:
			return &Result{Kind: batch.Mistake, Status: 1, Message: answer.Message}, nil
		case batch.Full:
			pause = fullPause
		}
		if r.job.Tell != nil {
			r.job.Tell(Progress{Ticket: r.ticket.name, State: "waiting to submit", Reason: answer.Message})
		}
		if err := backoff.Sleep(ctx, c.Clock, c.Clock.Now()+pause); err != nil {
			return nil, err
		}
		if answer.Receipt == batch.Doubtful && r.arrived(ctx) {
			return nil, context.Cause(ctx)
		}
	}
}

// How long to wait before a submission is repeated.
const (
	firstPause   = time.Second
	longestPause = time.Minute
	fullPause    = 10 * time.Second
)

// request makes one submission. It is not cut short at once when the job is cancelled.
func (r *running) request(ctx context.Context, s batch.Submission) batch.Answer {
	if ctx.Err() != nil {
		return batch.Answer{Receipt: batch.Absent}
	}
	c := r.cluster
	if c.Admit != nil {
		done, err := c.Admit(ctx)
		if err != nil {
			return batch.Answer{Receipt: batch.Absent, Message: err.Error()}
		}
		answered := false
		defer func() { done(answered) }()
		answer := c.submitOnce(ctx, r.job, s)
		answered = answer.Receipt != batch.Doubtful && answer.Receipt != batch.Absent
		return answer
	}
	return c.submitOnce(ctx, r.job, s)
}

// submitOnce hands a submission to the batch system.
func (c *Cluster) submitOnce(ctx context.Context, j *Job, s batch.Submission) batch.Answer {
	request, done := within(ctx, c.Clock, j.Patience()/2, requestLimit)
	defer done()
	return c.System.Submit(request, s)
}

// arrived reports whether a submission that was in doubt did arrive: the job has a claim or
// stands in the queue.
func (r *running) arrived(ctx context.Context) bool {
	asked := r.clock().Now()
	if _, claimed := r.ticket.claimed(r.generation); claimed {
		r.submitted = asked
		return true
	}
	list := r.cluster.queue.latest(ctx, 0)
	if list.Asked < asked || len(list.byName[r.ticket.name]) == 0 {
		return false
	}
	r.number, r.submitted = list.byName[r.ticket.name][0].Number, asked
	return true
}
