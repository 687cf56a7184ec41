package engine

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"ftsh/backoff"
	"ftsh/interp/engine/batch"
)

// running is a job that the shell waits for.
type running struct {
	cluster    *Cluster
	job        *Job
	ticket     ticket
	generation int    // of the submission, from 1: each has a claim and a status of its own
	number     string // "" as long as that is not known
	submitted  time.Duration
	offsets    map[string]int64 // how much of an output was handed on
	told       Progress
	noticed    [2]int64  // how much of the outputs is noted as handed on
	sought     int       // the submission of an earlier shell; 0: there was none
	pilot      *pilot    // that runs it, or is to
	handover   *handover // to it
	forgotten  bool      // no later shell needs the folder

	missing  time.Duration // the first answer of the queue in which it was missing; 0: none
	judged   time.Duration // the last answer that was looked at
	over     time.Duration // when the queue first said that it has ended; 0: it did not
	idle     time.Duration // the first answer in which it ran and had not begun; 0: none
	verdict  batch.Verdict
	complete time.Duration // when a status was there but not all output; 0: it was not
}

// run submits the job, again if it was lost before it began, and waits for it.
func (r *running) run(ctx context.Context) (Result, error) {
	var result Result
	var err error
	first := 1
	if r.job.Resumed {
		first = r.resume()
	}
	if first > 1+repeats {
		result = r.noted()
	}
	for r.generation = first; r.generation <= 1+repeats; r.generation++ {
		r.number, r.missing, r.judged, r.over, r.idle, r.complete = "", 0, 0, 0, 0, 0
		var begun bool
		if err = r.recover(ctx, result); err != nil {
			result = r.cutOff()
			break
		}
		if result, begun, err = r.once(ctx); err != nil || result.Kind != batch.Lost || begun {
			break
		}
		r.cluster.unbegun.Add(1)
	}
	r.release()
	if result.Number == "" {
		result.Number = r.number
	}
	r.announce(Progress{Number: result.Number, Node: result.Node, State: r.job.ending(result, err), Used: result.Used})
	if err == nil && !r.job.hasSucceeded(result) {
		r.ticket.note(result)
	}
	return result, err
}

// recover waits before the job is submitted again: the first time not, unless others before it have fared likewise, then
// longer and longer, so that a node that ends jobs before they can begin has time to recover, or to be taken out of service.
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

// once submits the job and waits for it. begun is false if it is sure that it never began.
func (r *running) once(ctx context.Context) (result Result, begun bool, err error) {
	if r.generation > 1 { // it has waited, while somebody may have had enough of it
		if result, cancelled := r.cancelledBefore(); cancelled {
			return result, true, nil
		}
	}
	if refused, err := r.enqueue(ctx); refused != nil || err != nil {
		if err != nil {
			return r.cutOff(), true, err
		}
		return *refused, true, nil
	}
	r.announce(Progress{Number: r.number, State: StateQueued})
	first := firstLook
	if r.pilot != nil {
		first = firstPoll
	}
	defer r.cluster.looks.begin()()
	for pause := first; ; pause = min(pause*5/4, longestLook) {
		if result, done := r.look(ctx); done {
			r.cluster.looks.saw(r.clock().Now())
			r.cluster.unbegun.Store(0)
			return result, true, nil
		}
		if result, begun, done := r.judge(ctx); done {
			return result, begun, nil
		}
		now := r.clock().Now()
		if err := backoff.Sleep(ctx, r.clock(), now+r.cluster.looks.next(now, pause)); err != nil {
			return r.cutOff(), true, err
		}
	}
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

// lookShare is what each waiting job adds to the time between two looks at one of them: so all looks of a shell
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

// look sees whether the job has ended, by its status.
func (r *running) look(ctx context.Context) (Result, bool) {
	r.follow(false)
	s, there, missing := r.ticket.ended(r.generation)
	if !there {
		return Result{}, false
	}
	if missing != "" {
		if r.complete == 0 {
			r.complete = r.clock().Now()
		}
		if r.clock().Now()-r.complete < r.cluster.Grace {
			return Result{}, false
		}
		return r.lost("its output " + missing + " could not be seen whole"), true
	}
	if r.pilot == nil && (s.Kind == interrupted || s.Status == 128+9) {
		// The batch system ended it, or the kernel did for want of memory: the queue knows why.
		if !r.explained(ctx) {
			return Result{}, false
		}
	}
	return r.finish(s), true
}

// explained waits for an answer of the queue that was asked for after the end, but not for ever.
func (r *running) explained(ctx context.Context) bool {
	if r.over == 0 {
		r.over = r.clock().Now()
	}
	list := r.cluster.queue.latest(ctx, r.cluster.Interval)
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

// finish hands on what is left of the output, and says how the job ended.
func (r *running) finish(s status) Result {
	result := Result{
		Kind: s.Kind, Status: s.Status, Message: s.Message, Command: s.Command, Early: s.Early, Number: s.Number, Node: s.Node, Used: s.Used}
	because := r.verdict.Kind
	switch {
	case s.Kind == interrupted && because != batch.Succeeded && because != batch.Lost:
		result.Kind, result.Status, result.Message = because, statusOf(because), r.verdict.Message
	case s.Kind == interrupted:
		result.Kind, result.Status = batch.Lost, 1
		if r.verdict.Message != "" {
			result.Message = r.verdict.Message
		}
	case s.Kind != batch.Succeeded && because == batch.Memory:
		result.Kind, result.Status, result.Message = batch.Memory, statusOf(batch.Memory), r.verdict.Message
	}
	result.Stderr = r.tail()
	if err := r.follow(true); err != nil {
		message := "cannot take the output of job " + s.Number + ": " + unwrapped(err).Error()
		return Result{Kind: shortage, Status: 1, Message: message}
	}
	return result
}

// statusOf is the exit status of a kind.
func statusOf(k batch.Kind) int {
	switch k {
	case batch.Memory:
		return 137
	case batch.Timeout:
		return 124
	}
	return 1
}

func (r *running) lost(why string) Result {
	return Result{Kind: batch.Lost, Status: 1, Message: why, Number: r.number}
}

// judge looks at what the queue says of a job that shows no status.
func (r *running) judge(ctx context.Context) (result Result, begun, done bool) {
	if r.pilot != nil {
		return r.crashed()
	}
	if r.clock().Now()-r.submitted < r.cluster.Interval {
		return result, false, false // a job that is short shows its status before
	}
	list := r.cluster.queue.latest(ctx, r.cluster.Interval)
	if list.Asked <= max(r.submitted, r.judged) {
		return result, false, false
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

// startTime is how long a job may be listed as running without having begun, in intervals between lists: 10 minutes by
// default. Nodes prepare themselves meanwhile; but a controller that ends while it starts a job shows it so for ever.
const startTime = 20

// unbegun gives up a job that is listed as running for long and has not begun, so that it is submitted again.
func (r *running) unbegun(asked time.Duration, runs bool) (result Result, begun, done bool) {
	if _, claimed := r.ticket.claimed(r.generation); claimed || !runs {
		r.idle = 0
		return result, false, false
	}
	if r.idle == 0 {
		r.idle = asked
	}
	if asked-r.idle < startTime*r.cluster.Interval {
		return result, false, false
	}
	_, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	if err != nil || !won {
		return result, false, false
	}
	r.withdraw()
	return r.lost("it is listed as running, and has not begun for " + (startTime * r.cluster.Interval).String()), false, true
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
func (r *running) vanished(asked time.Duration) (result Result, begun, done bool) {
	if r.missing == 0 {
		r.missing = asked
	}
	if asked-r.missing < 2*r.cluster.Interval {
		return result, false, false
	}
	if _, there, _ := r.ticket.ended(r.generation); there {
		return result, false, false
	}
	return r.never(r.lost("the job has vanished from the queue, and left no status"))
}

// stopped deals with a job that has ended according to the queue, or will never start.
func (r *running) stopped(v batch.Verdict) (result Result, begun, done bool) {
	now := r.clock().Now()
	if r.over == 0 {
		r.over = now
	}
	_, claimed := r.ticket.claimed(r.generation)
	if v.Stage == batch.Ended && claimed && now-r.over < r.cluster.Grace {
		return result, false, false // the status may come to be seen
	}
	result = Result{Kind: v.Kind, Status: statusOf(v.Kind), Message: v.Message, Number: r.number}
	if v.Kind == batch.Succeeded {
		result = r.lost("the job has ended, and left no status")
	}
	r.verdict = v // a status that has come in this moment may need it
	result, begun, done = r.never(result)
	if v.Stage == batch.Never {
		r.withdraw()
	}
	return result, begun, done
}

// never claims the job, so that it cannot begin any more, and says whether it had begun.
func (r *running) never(result Result) (_ Result, begun, done bool) {
	_, won, err := r.ticket.take(r.generation, claim{Word: randomWord(), Shell: true})
	if err == nil && !won {
		if s, there, missing := r.ticket.ended(r.generation); there && missing == "" {
			return r.finish(s), true, true
		}
	}
	result.Stderr = r.tail()
	_ = r.follow(true)
	return result, err != nil || !won, true
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

// outputs are the names of all files that the job may write.
func (r *running) outputs() []string {
	names := []string{stdoutName, stderrName}
	for n := range r.job.Outputs {
		names = append(names, "out."+strconv.Itoa(n))
	}
	return names
}

// follow hands on what the job has written since the last time; of the files of captures only at the end.
func (r *running) follow(last bool) error {
	for n, name := range r.outputs() {
		if n > 1 && !last {
			break
		}
		err := r.copy(name)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if err == nil && !last && r.told.State == StateQueued { // its first act is to make that file
			r.cluster.unbegun.Store(0)
			held, _ := r.ticket.claimed(r.generation)
			r.announce(Progress{Number: held.Number, State: StateRunning, Node: held.Node})
		}
	}
	r.take()
	return nil
}

// copy hands on what is new in a file. It is opened each time: so network file systems look again.
func (r *running) copy(name string) error {
	file, err := os.Open(r.ticket.join(name))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= r.offsets[name] {
		return err // most looks find nothing new
	}
	buffer := make([]byte, min(info.Size()-r.offsets[name], 64<<10))
	for {
		n, err := file.ReadAt(buffer, r.offsets[name])
		if n > 0 {
			r.offsets[name] += int64(n)
			if err := r.job.Output(name, buffer[:n]); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			return nil // the end, or an error that a later look meets again
		}
	}
}

// MostStderr is how much of standard error a result tells.
const MostStderr = 1 << 20

// tail is the end of standard error.
func (r *running) tail() string { return r.end(stderrName) }

// end is the end of an output.
func (r *running) end(name string) string {
	file, err := os.Open(r.ticket.join(name))
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	size := min(info.Size(), MostStderr)
	text := make([]byte, size)
	n, _ := file.ReadAt(text, info.Size()-size)
	return string(text[:n])
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
