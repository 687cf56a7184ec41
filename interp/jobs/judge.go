package jobs

import (
	"context"
	"time"

	"ftsh/interp/jobs/batch"
)

// classifyByQueue looks at what the queue says of a job that shows no status.
func (r *running) classifyByQueue(ctx context.Context) finding {
	if r.pilot != nil {
		return r.crashed()
	}
	if r.clock().Now()-r.submitted < r.cluster.Interval {
		return finding{} // a job that is short shows its status before
	}
	list := r.cluster.queue.latest(ctx, r.cluster.Interval)
	if list.Asked <= max(r.submitted, r.judged) {
		return finding{}
	}
	r.judged = list.Asked
	entries := r.entries(list)
	if len(entries) == 0 {
		return r.vanished(list.Asked)
	}
	r.missing = 0
	live, runs, best := 0, true, batch.Verdict{Stage: batch.Ended}
	for _, e := range entries {
		v := r.cluster.System.Classify(e)
		if v.Stage < batch.Ended {
			live++
			runs = runs && v.Stage == batch.Running
			r.tell(e, v)
		}
		if v.Stage == batch.Never || v.Stage == batch.Ended && best.Kind == batch.Succeeded {
			best = r.doubted(ctx, e, v)
		}
	}
	if live > 0 && best.Stage != batch.Never {
		r.over = 0
		return r.unbegun(list.Asked, runs)
	}
	return r.stopped(best)
}

// startTime limits the time that a job may be listed as running without having begun, in intervals between lists: 10 minutes by
// default. Nodes prepare themselves meanwhile; but a controller that ends while it starts a job shows it so for ever.
const startTime = 20

// unbegun gives up a job that is listed as running for long and has not begun, so that it is submitted again.
func (r *running) unbegun(asked time.Duration, runs bool) finding {
	if _, claimed := r.ticket.claimed(r.generation); claimed || !runs {
		r.idle = 0
		return finding{}
	}
	if r.idle == 0 {
		r.idle = asked
	}
	if asked-r.idle < startTime*r.cluster.Interval {
		return finding{}
	}
	_, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	if err != nil || !won {
		return finding{}
	}
	r.withdraw()
	idle := startTime * r.cluster.Interval
	return neverBegun(r.lost("it is listed as running, and has not begun for " + idle.String()))
}

// doubted is a verdict, but lost where the batch system has cancelled the job by itself, as it could not start it.
func (r *running) doubted(ctx context.Context, e batch.Entry, v batch.Verdict) batch.Verdict {
	starter, able := r.cluster.System.(batch.Starter)
	if !able || v.Kind != batch.Cancelled || r.job.Requeue {
		return v
	}
	if _, claimed := r.ticket.claimed(r.generation); claimed || !starter.GaveUp(ctx, e) {
		return v
	}
	return batch.Verdict{Stage: v.Stage, Kind: batch.Lost, Message: "the node could not start the job"}
}

// vanished deals with a job that is in no list.
func (r *running) vanished(asked time.Duration) finding {
	if r.missing == 0 {
		r.missing = asked
	}
	if asked-r.missing < 2*r.cluster.Interval {
		return finding{}
	}
	if _, there, _ := r.ticket.ended(r.generation); there {
		return finding{}
	}
	return r.claimForShell(r.lost("the job has vanished from the queue, and left no status"))
}

// stopped deals with a job that has ended according to the queue, or will never start.
func (r *running) stopped(v batch.Verdict) finding {
	now := r.clock().Now()
	if r.over == 0 {
		r.over = now
	}
	_, claimed := r.ticket.claimed(r.generation)
	if v.Stage == batch.Ended && claimed && now-r.over < r.cluster.Grace {
		return finding{} // the status may come to be seen
	}
	result := Result{Kind: v.Kind, Status: statusOf(v.Kind), Message: v.Message, Number: r.number}
	if v.Kind == batch.Succeeded {
		result = r.lost("the job has ended, and left no status")
	}
	r.verdict = v // a status that has come in this moment may need it
	found := r.claimForShell(result)
	if v.Stage == batch.Never {
		r.withdraw()
	}
	return found
}

// claimForShell claims the job, so that nobody can begin it any more, and says whether it had begun.
func (r *running) claimForShell(result Result) finding {
	_, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	if err == nil && !won {
		if s, there, missing := r.ticket.ended(r.generation); there && missing == "" {
			return endedAs(r.finish(s))
		}
	}
	if err == nil && won {
		return neverBegun(result)
	}
	result.Stderr = r.ticket.lastBytes(stderrName)
	if err := r.output.takeRest(); err != nil {
		result.Message += "; its output could not be handed on: " + unwrapped(err).Error()
	}
	return endedAs(result)
}
