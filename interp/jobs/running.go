package jobs

import (
	"context"
	"math/rand/v2"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// running is a job that the shell waits for.
type running struct {
	cluster   *Cluster
	job       *Job
	ticket    ticket
	output    *taker
	told      Progress
	sought    int  // the submission of an earlier shell; 0: there was none
	forgotten bool // no later shell needs the folder
	current   submission
	via       carrier // that runs it
}

// submission is one of a job's: each has a claim and a status of its own, and what was found out of one says nothing of
// the next.
type submission struct {
	rhythm     rhythm // in which to look whether it has ended
	generation int    // from 1
	number     string // "" as long as that is not known
	submitted  time.Duration
	over       time.Duration // when it was first known to have ended, without all that is to be known; 0: it was not
	complete   time.Duration // when a status was there but not all output; 0: it was not
	verdict    batch.Entry   // what the queue says of its end
}

// carrier runs a submission: a job of its own ([queued]), or a pilot ([piloted]).
type carrier interface {
	// submit has the job run until that has succeeded or can never do so, which is the result then. What an earlier
	// shell has submitted is found again. An error is that of ctx.
	submit(ctx context.Context) (refused *Result, err error)
	// judge says what became of it, as it shows no status.
	judge() finding
	// explains says why somebody was ending it, or a process of it was killed; false: it is to be asked again.
	explains() (known bool)
	// doomed holds what is to be ended, now that it has begun and is marked.
	doomed() *doomed
	// withdraw has it taken out of what waits, as it never begins; false: that is left to the next shell.
	withdraw() (done bool)
	// release tells that nothing is wanted of it any more.
	release()
}

// A finding tells what a look at a job has found out.
type finding struct {
	state  foundState
	result Result
}

// foundState is whether a job has ended.
type foundState uint8

const (
	stillWaiting foundState = iota // it waits or runs, as far as anybody knows
	hasEnded                       // with that result
	neverBegan                     // and never will; the result says why
)

func endedAs(result Result) finding    { return finding{hasEnded, result} }
func neverBegun(result Result) finding { return finding{neverBegan, result} }

// run submits the job, again if it was lost before it began, and waits for it.
func (r *running) run(ctx context.Context) (Result, error) {
	r.cluster.live.Store(r, nil)
	defer r.cluster.live.Delete(r)
	first := 1
	if r.job.Asked.Resumed {
		first = r.resume()
	}
	var found finding
	var err error
	if first > 1+repeats {
		found = endedAs(r.noted())
	}
	for n := first; n <= 1+repeats; n++ {
		r.begin(n)
		if n > first {
			if err = r.recover(ctx, found.result); err != nil {
				found, err = r.cutOff(err)
				break
			}
		}
		if found, err = r.submitAndWait(ctx); err != nil || found.state != neverBegan || found.result.Kind != batch.Lost {
			break
		}
		r.cluster.unbegun.Add(1)
	}
	if r.via != nil {
		r.via.release()
	}
	return found.result, err
}

// begin begins a submission.
func (r *running) begin(generation int) {
	if r.via != nil {
		r.via.release()
	}
	r.current, r.via = submission{generation: generation, rhythm: ofEnd}, &queued{r: r}
	if r.job.pilots != nil {
		r.via, r.current.rhythm = &piloted{r: r, pilots: r.job.pilots}, ofProgram
	}
}

// recover waits before the job is submitted again: the first time not, unless others before it have fared likewise,
// then longer and longer, so that a node that ends jobs before they can begin has time to recover, or to be taken out
// of service.
func (r *running) recover(ctx context.Context, last Result) error {
	const again, others = 2, 3
	if r.job.pilots != nil || r.current.generation == again && r.cluster.unbegun.Load() <= others {
		return nil
	}
	most := r.cluster.Interval << max(0, r.current.generation-again-1)
	pause := most/2 + rand.N(most/2)
	next := "; submitted again in " + pause.Round(time.Second).String()
	r.announce(Progress{State: stateWaiting, Reason: last.Message + next})
	until := r.clock().Now() + pause
	every := rhythm{longestLook, longestLook, 1}
	return every.awaitAtRate(ctx, r.clock(), func() bool {
		_, cancelled := r.cancelledBefore()
		return cancelled || r.clock().Now() >= until
	}, func(now, pause time.Duration) time.Duration { return min(pause, until-now) })
}

// submitAndWait submits the job and waits for it.
func (r *running) submitAndWait(ctx context.Context) (finding, error) {
	if r.current.generation > 1 { // it has waited, while somebody may have had enough of it
		if result, cancelled := r.cancelledBefore(); cancelled {
			return endedAs(result), nil
		}
	}
	refused, err := r.via.submit(ctx)
	switch {
	case err != nil:
		return r.cutOff(err)
	case refused != nil:
		return endedAs(*refused), nil
	}
	r.announce(Progress{Number: r.current.number, State: stateQueued})
	looks := &r.cluster.looks
	looks.waiting.Add(1)
	defer looks.waiting.Add(-1)
	var found finding
	err = r.current.rhythm.awaitAtRate(ctx, r.clock(), func() bool {
		found = r.look()
		return found.state != stillWaiting
	}, looks.rate)
	if err != nil {
		return r.cutOff(err)
	}
	return found, nil
}

// look reports whether the job has ended: as nobody takes its output any more, by its status, or by the queue.
func (r *running) look() finding {
	begun, err := r.output.takeNew()
	if begun && r.told.State == stateQueued {
		r.cluster.unbegun.Store(0)
		held, _ := r.ticket.claimed(r.current.generation)
		r.announce(Progress{Number: held.Number, State: stateRunning, Node: held.Node})
	}
	if err != nil {
		return endedAs(r.endUnhanded(err))
	}
	found, there := r.readStatus()
	if found.state != stillWaiting {
		r.cluster.looks.ended.Store(int64(r.clock().Now()))
		r.cluster.unbegun.Store(0)
	}
	if there {
		return found
	}
	found = r.via.judge()
	why := r.cluster.queue.silent.text(r.clock().Now(), longSilence)
	if why != "" && found.state == stillWaiting {
		told := r.told
		told.Reason = why
		r.announce(told)
	}
	return found
}

// silence returns why the batch system has not answered for this job, and for how long; "": it has.
func (r *running) silence() string {
	now := r.clock().Now()
	if r.current.submitted == 0 {
		return r.cluster.submits.text(now, shortSilence)
	}
	return r.cluster.queue.silent.text(now, shortSilence)
}

// cancelledBefore reports whether the job was cancelled before it began, and the result then.
func (r *running) cancelledBefore() (Result, bool) {
	if held, made := r.ticket.claimed(r.current.generation); !made || !held.Shell {
		return Result{}, false
	}
	return failed(batch.Cancelled, "", "it was cancelled before it had begun"), true
}

func (r *running) clock() backoff.Clock { return r.cluster.Clock }

// entries are the lines of the queue for this job.
func (r *running) entries(list *snapshot) []batch.Entry {
	return list.called(r.ticket.names(r.current.generation))
}

// readStatus reports whether the job has ended, by its status; there is false if there is none. A status does not
// count before all output can be seen, and the batch system has explained what it has to.
func (r *running) readStatus() (found finding, there bool) {
	s, there, missing := r.ticket.ended(r.current.generation)
	switch {
	case !there:
		return found, false
	case missing != "":
		if r.current.complete == 0 {
			r.current.complete = r.clock().Now()
		}
		if r.clock().Now()-r.current.complete < r.cluster.grace {
			return found, true
		}
		return endedAs(r.lost("its output " + missing + " could not be seen whole")), true
	case s.needsVerdict() && !r.via.explains():
		return found, true
	}
	return endedAs(r.finish(s)), true
}

// finish hands on what is left of the output, and says how the job ended.
func (r *running) finish(s status) Result {
	result := outcome(s, r.current.verdict)
	succeeded := result.Kind == batch.Succeeded
	if err := r.takeRest(&result, s.Sizes); err != nil && succeeded {
		return unhanded(s.Number, err)
	}
	return result
}

// takeRest hands on what is left of the output, of which a job that has ended says how much there is. The result gets
// the end of standard error, and says if something could not be handed on.
func (r *running) takeRest(result *Result, sizes map[string]int64) error {
	result.Stderr = r.ticket.lastBytes(stderrName)
	err := r.output.takeRest(sizes)
	if err != nil {
		result.Message = joined(result.Message, "its output could not be handed on: "+unwrapped(err).Error())
	}
	return err
}

// endUnhanded ends a job whose output has no taker any more.
func (r *running) endUnhanded(err error) Result {
	result := unhanded(r.current.number, err)
	cancelled := r.cancel()
	result.Number, result.unsettled = cancelled.Number, cancelled.unsettled
	return result
}

func (r *running) lost(why string) Result { return failed(batch.Lost, r.current.number, why) }

// announce tells where the job is, if that is new.
func (r *running) announce(p Progress) {
	p.Ticket = r.ticket.name
	if p != r.told {
		r.job.tell(p)
	}
	r.told = p
}

// claimForShell claims the job, so that nobody can begin it any more, and says whether it had begun.
func (r *running) claimForShell(result Result) finding {
	_, won, err := r.ticket.take(r.current.generation, claim{Shell: true})
	if err == nil && !won {
		if s, there, missing := r.ticket.ended(r.current.generation); there && missing == "" {
			return endedAs(r.finish(s))
		}
	}
	if err == nil && won {
		return neverBegun(result)
	}
	_ = r.takeRest(&result, nil)
	return endedAs(result)
}
