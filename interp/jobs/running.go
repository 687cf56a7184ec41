package jobs

import (
	"cmp"
	"context"
	"math/rand/v2"
	"sync/atomic"
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
	submission
}

// submission is one of a job's: each has a claim and a status of its own, and what was found out of one says nothing of
// the next.
type submission struct {
	generation int    // from 1
	number     string // "" as long as that is not known
	submitted  time.Duration
	pilot      *pilot    // that runs it, or is to
	handover   *handover // to it

	missing  time.Duration // the first answer of the queue in which it was missing; 0: none
	judged   time.Duration // the last answer that was looked at
	over     time.Duration // when it was first known to have ended, without all that is to be known; 0: it was not
	idle     time.Duration // the first answer in which it ran and had not begun; 0: none
	verdict  batch.Verdict
	complete time.Duration // when a status was there but not all output; 0: it was not
	silence  string        // why the batch system does not answer; "": it does
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
	if r.job.Resumed {
		first = r.resume()
	}
	var found finding
	var err error
	if first > 1+repeats {
		found = endedAs(r.noted())
	}
	for n := first; n <= 1+repeats; n++ {
		r.release()
		r.submission = submission{generation: n}
		if err = r.recover(ctx, found.result); err != nil {
			found.result = r.cutOff()
			break
		}
		if found, err = r.submitAndWait(ctx); err != nil || found.state != neverBegan || found.result.Kind != batch.Lost {
			break
		}
		r.cluster.unbegun.Add(1)
	}
	r.release()
	result := found.result
	result.Number = cmp.Or(result.Number, r.number)
	r.announce(Progress{Number: result.Number, Node: result.Node, State: r.job.ending(result, err), Used: result.Used})
	if err == nil && !r.job.hasSucceeded(result) {
		r.ticket.note(result)
	}
	return result, err
}

// recover waits before the job is submitted again: the first time not, unless others before it have fared likewise,
// then longer and longer, so that a node that ends jobs before they can begin has time to recover, or to be taken out
// of service.
func (r *running) recover(ctx context.Context, last Result) error {
	const again, others = 2, 3
	if last.Kind != batch.Lost || r.job.pilots != nil || r.generation == again && r.cluster.unbegun.Load() <= others {
		return nil
	}
	most := r.cluster.Interval << max(0, r.generation-again-1)
	pause := most/2 + rand.N(most/2)
	r.announce(Progress{State: StateWaiting, Reason: last.Message + "; submitted again in " + pause.Round(time.Second).String()})
	for until := r.clock().Now() + pause; r.clock().Now() < until; {
		if _, cancelled := r.cancelledBefore(); cancelled {
			return nil
		}
		if err := backoff.Sleep(ctx, r.clock(), min(until, r.clock().Now()+longestLook)); err != nil {
			return err
		}
	}
	return nil
}

// submitAndWait submits the job and waits for it.
func (r *running) submitAndWait(ctx context.Context) (finding, error) {
	if r.generation > 1 { // it has waited, while somebody may have had enough of it
		if result, cancelled := r.cancelledBefore(); cancelled {
			return endedAs(result), nil
		}
	}
	refused, err := r.enqueue(ctx)
	switch {
	case err != nil:
		return endedAs(r.cutOff()), err
	case refused != nil:
		return endedAs(*refused), nil
	}
	r.announce(Progress{Number: r.number, State: StateQueued})
	first := firstLook
	if r.pilot != nil {
		first = firstPoll
	}
	defer r.cluster.looks.begin()()
	for pause := first; ; pause = min(pause*5/4, longestLook) {
		if found := r.look(ctx); found.state != stillWaiting {
			return found, nil
		}
		now := r.clock().Now()
		if err := backoff.Sleep(ctx, r.clock(), now+r.cluster.looks.next(now, pause)); err != nil {
			return endedAs(r.cutOff()), err
		}
	}
}

// look sees whether the job has ended: by its output, which may have no taker any more, by its status, or by the queue.
func (r *running) look(ctx context.Context) finding {
	begun, err := r.output.takeNew()
	if begun && r.told.State == StateQueued {
		r.cluster.unbegun.Store(0)
		held, _ := r.ticket.claimed(r.generation)
		r.announce(Progress{Number: held.Number, State: StateRunning, Node: held.Node})
	}
	if err != nil {
		return endedAs(r.endUnhanded(err))
	}
	found, there := r.readStatus(ctx)
	if found.state != stillWaiting {
		r.cluster.looks.saw(r.clock().Now())
		r.cluster.unbegun.Store(0)
	}
	if there {
		return found
	}
	found = r.classifyByQueue(ctx)
	if r.silence = r.cluster.queue.silence(); r.silence != "" && found.state == stillWaiting {
		told := r.told
		told.Reason = r.silence
		r.announce(told)
	}
	return found
}

// cancelledBefore sees whether somebody has cancelled the job before it had begun.
func (r *running) cancelledBefore() (Result, bool) {
	if held, made := r.ticket.claimed(r.generation); !made || !held.Shell {
		return Result{}, false
	}
	return Result{Kind: batch.Cancelled, Status: statusOf(batch.Cancelled), Message: "it was cancelled before it had begun"}, true
}

// How often a shell looks for the status of a job: a look costs some microseconds on this
// machine and a request to the server of a network file system.
const (
	firstLook   = 20 * time.Millisecond
	longestLook = time.Second
)

// looks has those jobs be looked at often of whose crowd one has just ended, as the others will soon.
type looks struct {
	waiting atomic.Int64 // jobs that are looked at
	ended   atomic.Int64 // when one was last seen to have ended, on the clock; 0: none was
}

// lookShare is added for each waiting job to the time between two looks at one of them: so all looks of a shell
// are at most 1,000 in a second, as many as 1,000 jobs have of which none ends.
const lookShare = time.Millisecond

// begin counts a job.
func (l *looks) begin() (end func()) {
	l.waiting.Add(1)
	return func() { l.waiting.Add(-1) }
}

// saw tells that a job has ended.
func (l *looks) saw(now time.Duration) { l.ended.Store(int64(now)) }

// next is when to look again at a job whose own pause is that long.
func (l *looks) next(now, pause time.Duration) time.Duration {
	ended := time.Duration(l.ended.Load())
	if ended == 0 || now-ended >= longestLook {
		return pause
	}
	return min(pause, max(firstLook, time.Duration(l.waiting.Load())*lookShare))
}

func (r *running) clock() backoff.Clock { return r.cluster.Clock }

// entries are the lines of the queue for this job.
func (r *running) entries(list *snapshot) []batch.Entry {
	return list.called(r.ticket.names(r.generation))
}

// readStatus sees whether the job has ended, by its status; there is false if there is none. One whose
// output cannot be seen yet, or that the batch system has to explain, does not count yet.
func (r *running) readStatus(ctx context.Context) (found finding, there bool) {
	s, there, missing := r.ticket.ended(r.generation)
	switch {
	case !there:
		return found, false
	case missing != "":
		if r.complete == 0 {
			r.complete = r.clock().Now()
		}
		if r.clock().Now()-r.complete < r.cluster.Grace {
			return found, true
		}
		return endedAs(r.lost("its output " + missing + " could not be seen whole")), true
	case r.pilot == nil && s.needsVerdict() && !r.waitForVerdict(ctx):
		return found, true
	}
	return endedAs(r.finish(s)), true
}

// waitForVerdict waits for an answer of the queue that was asked for after the end, but not for ever. The answer is
// asked for at once: the runner was told to end, so that the batch system knows why.
func (r *running) waitForVerdict(ctx context.Context) (known bool) {
	if r.over == 0 {
		r.over = r.clock().Now()
	}
	list := r.cluster.queue.latest(ctx, min(r.cluster.Interval, verdictAge))
	if list.Asked > r.over {
		entries := r.entries(list)
		for _, e := range entries {
			if v := r.cluster.System.Classify(e); v.Stage == batch.Ended {
				r.verdict = v
				return true
			}
		}
		if len(entries) == 0 {
			return true
		}
	}
	return r.clock().Now()-r.over > requestLimit+r.cluster.Grace
}

// verdictAge limits the age of a list of the queue that is to say why a job has ended.
const verdictAge = 500 * time.Millisecond

// finish hands on what is left of the output, and says how the job ended.
func (r *running) finish(s status) Result {
	result := outcome(s, s.Marked, r.verdict, s.Used)
	result.Stderr = r.ticket.lastBytes(stderrName)
	err := r.output.takeRest()
	if err == nil {
		err = r.output.whole(s.Sizes)
	}
	switch {
	case err != nil && result.Kind == batch.Succeeded:
		return unhanded(s.Number, err)
	case err != nil:
		result.Message += "; its output could not be handed on: " + unwrapped(err).Error()
	}
	return result
}

// endUnhanded ends a job whose output has no taker any more.
func (r *running) endUnhanded(err error) Result {
	result := unhanded(r.number, err)
	cancelled := r.cancel()
	result.Number, result.Unsettled = cancelled.Number, cancelled.Unsettled
	return result
}

func (r *running) lost(why string) Result {
	return Result{Kind: batch.Lost, Status: 1, Message: why, Number: r.number}
}

// tell tells where the job is, as the queue has it.
func (r *running) tell(e batch.Entry, v batch.Verdict) {
	p := Progress{Number: e.Number, State: StateQueued, Reason: e.Reason}
	if v.Stage == batch.Running {
		p.State, p.Reason, p.Node = StateRunning, "", e.Node
	}
	r.announce(p)
}

// announce tells where the job is, if that is new.
func (r *running) announce(p Progress) {
	p.Ticket = r.ticket.name
	if r.job.Tell != nil && p != r.told {
		r.job.Tell(p)
	}
	r.told = p
}

// hasSucceeded reports whether nobody has to look at a job that ended so: the answer no of a test is no failure.
func (j *Job) hasSucceeded(r Result) bool {
	const exit batch.Kind = "exit"
	return r.Kind == batch.Succeeded || j.Test && r.Kind == exit && r.Status == 1 && !r.Early
}

// ending is the last state of a job.
func (j *Job) ending(result Result, err error) string {
	switch {
	case err != nil:
		return StateLeft
	case j.hasSucceeded(result):
		return StateDone
	}
	return StateFailed
}

// quoted is a word for /bin/sh.
func quoted(word string) string {
	out := "'"
	for _, c := range word {
		if c == '\'' {
			out += `'\''`
		} else {
			out += string(c)
		}
	}
	return out + "'"
}
