package jobs

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ftsh/backoff"
)

// cancel ends the job, which nobody waits for any more, takes what it has written by then, and removes its folder. If
// it has not begun it never will, as the shell takes the claim; else it returns when the job is gone, or its patience
// is at an end.
func (r *running) cancel() Result {
	result, gone := r.end()
	_ = r.takeRest(&result, nil)
	if gone {
		r.drop()
	}
	return result
}

// joined is two messages in one.
func joined(message, more string) string {
	if message == "" || more == "" {
		return message + more
	}
	return message + "; " + more
}

// end ends the job; gone is false if it may be running all the same, or is still in the queue.
func (r *running) end() (result Result, gone bool) {
	held, won, err := r.ticket.take(r.current.generation, claim{Shell: true})
	until := r.clock().Now() + r.job.Asked.Patience()
	if err == nil && won {
		result.Number = r.current.number
		if !r.via.withdraw() {
			result.Message = joined(result.Message, "the job could not be taken out of the queue: it never begins, "+
				"and the next shell that reaches the batch system cancels it")
			return result, false
		}
		return result, true
	}
	r.current.number = cmp.Or(r.current.number, held.Number)
	result.Number = r.current.number
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), until, errSlow)
	defer stop()
	if r.endBegun(ctx) {
		return result, true
	}
	names, _ := r.cluster.carriers(r.ticket)
	r.cluster.cancelLater(r.ticket, names)
	result.unsettled = &doubt{wait: func(ctx context.Context) bool {
		r.forgotten = true // by then its end is in the journal
		if !r.endBegun(ctx) {
			return false
		}
		r.cluster.cancelled(r.ticket.name)
		r.drop()
		return true
	}}
	return result, false
}

// endBegun ends the job, which has begun; false if ctx ended before it was known to be gone. It is marked, and its
// runner is sent a signal, so that it ends all that it has started as the shell does; a pilot looks for the mark.
// When half of the time has passed the batch system cancels it, with signals to all of its processes.
func (r *running) endBegun(ctx context.Context) (gone bool) {
	_ = r.ticket.write(stopName, nil)
	return r.cluster.end(ctx, r.via.doomed()) == nil
}

// endVanished ends a job that has begun and is in no list any more: that proves nothing, as a list may be incomplete.
// It is lost whatever it still writes. If it is dead it never says that it has ended, so that it is not waited for
// longer than one that is cancelled.
func (r *running) endVanished(lost Result) finding {
	ctx, stop := backoff.WithDeadline(context.Background(), r.clock(), r.clock().Now()+r.job.Asked.Patience(), errSlow)
	defer stop()
	_ = r.ticket.write(stopName, nil)
	d := r.via.doomed()
	d.vanished = true
	if r.cluster.end(ctx, d) != nil {
		r.cluster.cancelLater(r.ticket, d.names)
	}
	lost.vanished = true
	_ = r.takeRest(&lost, nil)
	return endedAs(lost)
}

// doomed is a job that has begun, is marked and has to end.
type doomed struct {
	ticket
	names    []string      // by which the queue knows it, or the pilot that runs it
	piloted  bool          // a pilot runs it, which sees the mark
	pilot    *pilot        // that one, if it is this shell's
	began    time.Duration // when it was marked
	patience time.Duration // how long its runner may take to end it by itself
	asked    time.Duration // when somebody was last asked to end it; 0: nobody was
	vanished bool          // that the queue does not have it says nothing
}

// doom makes a job doomed whose runner may take half of the patience to end it.
func (c *Cluster) doom(t ticket, patience time.Duration) *doomed {
	names, piloted := c.carriers(t)
	return &doomed{ticket: t, names: names, piloted: piloted, began: c.Clock.Now(), patience: patience / 2}
}

// carriers are the names by which the queue knows what runs a job, or would: itself, or its pilot.
func (c *Cluster) carriers(t ticket) (names []string, piloted bool) {
	if held, _ := t.claimed(t.generation()); held.Pilot != "" {
		t, piloted = ticketAt(c.folder.join(held.Pilot)), true
	}
	return t.names(t.generation()), piloted
}

// end ends jobs that are marked, and returns when all are known to have ended; an error is that of ctx.
func (c *Cluster) end(ctx context.Context, jobs ...*doomed) error {
	asked, stop := context.WithCancelCause(ctx)
	var pressing atomic.Bool // a batch system that is silent must not keep us from seeing the end
	var asking sync.WaitGroup
	defer asking.Wait()
	defer stop(nil)
	defer c.errands.use()()
	jobs = slices.Clone(jobs)
	return ofBegin.await(ctx, c.Clock, func() (done bool) {
		jobs = slices.DeleteFunc(jobs, func(d *doomed) bool { return c.hasEnded(ctx, d) })
		if still := slices.Clone(jobs); len(still) > 0 && pressing.CompareAndSwap(false, true) {
			asking.Go(func() {
				c.press(asked, still)
				pressing.Store(false)
			})
		}
		return len(jobs) == 0
	})
}

// hasEnded reports whether the job is known to have ended.
func (c *Cluster) hasEnded(ctx context.Context, d *doomed) bool {
	if _, there, _ := d.ticket.ended(d.generation()); there {
		return true
	}
	switch {
	case d.vanished:
		return false
	case d.pilot == nil:
		return c.isAbsent(d)
	}
	return isClosed(d.pilot.gone) && d.pilot.result.unsettled.settle(ctx)
}

// isClosed reports whether a channel is.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A demand is a request for the end of a job.
type demand uint8

const (
	nothing   demand = iota
	askRunner        // by a signal
	askToKill        // of the batch system, by its own cancellation
)

// due returns the requests that are to be made now.
func (d *doomed) due(now time.Duration) demand {
	const again = 5 * time.Second
	hard := now-d.began > d.patience
	switch {
	case !hard && d.piloted, d.asked != 0 && now-d.asked <= again && !(hard && d.asked-d.began <= d.patience):
		return nothing
	case hard:
		return askToKill
	}
	return askRunner
}

// press asks for the end of jobs for which it is time.
func (c *Cluster) press(ctx context.Context, jobs []*doomed) {
	now := c.Clock.Now()
	var names [askToKill + 1][]string
	for _, d := range jobs {
		if what := d.due(now); what != nothing {
			names[what] = append(names[what], d.names...)
			d.asked = now
		}
	}
	ctx, done := backoff.WithDeadline(ctx, c.Clock, now+requestLimit, errSlow)
	defer done()
	if len(names[askRunner]) > 0 && c.System.Signals() {
		_ = c.endings.add(ctx, names[askRunner])
	}
	if len(names[askToKill]) > 0 {
		_ = c.cancel(ctx, names[askToKill])
	}
}

// isAbsent reports whether the queue has the job as ended, or not at all, some time after it was marked.
func (c *Cluster) isAbsent(d *doomed) bool {
	if c.Clock.Now()-d.began < time.Second {
		return false
	}
	return c.over(c.queue.latest(min(c.Interval, 3*time.Second)), d.names, d.began)
}

// over reports whether an answer of the queue that was asked for after a moment has what is called by these names as
// ended, or not at all.
func (c *Cluster) over(list *snapshot, names []string, since time.Duration) bool {
	if list.Asked <= since {
		return false
	}
	for _, e := range list.called(names) {
		if e.IsLive() {
			return false
		}
	}
	return true
}

// requests are the cancellations that wait for one that is under way: when a script is interrupted
// two requests do for all of its jobs.
type requests struct {
	ask  func(ctx context.Context, names []string) error
	turn chan struct{} // has room for one: who may make a request
	mu   sync.Mutex
	next *request
}

func newRequests(ask func(context.Context, []string) error) *requests {
	return &requests{ask: ask, turn: make(chan struct{}, 1)}
}

// request is one of them.
type request struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	names   []string
	waiting int // for its answer
	done    chan struct{}
	err     error
}

// cancel cancels what the queue has under these names.
func (c *Cluster) cancel(ctx context.Context, names []string) error { return c.cancels.add(ctx, names) }

// signalTime limits the time in which a batch system hands on a signal.
const signalTime = 10 * time.Second

// SignalJobs sends a signal to the runners of all jobs that run, which hand it on to their programs. Where the batch
// system cannot do that they find it in their folders.
func (c *Cluster) SignalJobs(sig syscall.Signal) {
	var names []string
	c.live.Range(func(key, _ any) bool {
		r := key.(*running)
		switch {
		case r.job.Pilot || !r.ticket.isUnderWay():
		case !c.System.Signals():
			_ = r.ticket.put(signalName(sig), nil, false)
		default:
			carriers, _ := c.carriers(r.ticket)
			names = append(names, carriers...)
		}
		return true
	})
	if len(names) == 0 {
		return
	}
	ctx, done := backoff.WithDeadline(context.Background(), c.Clock, c.Clock.Now()+signalTime, errSlow)
	defer done()
	_ = c.System.Signal(ctx, names, sig)
}

// add makes a request for these names, together with others that wait. It is cut short when nobody waits for it any
// more.
func (q *requests) add(ctx context.Context, names []string) error {
	q.mu.Lock()
	own := q.next
	if own == nil {
		own = &request{done: make(chan struct{})}
		own.ctx, own.cancel = context.WithCancelCause(context.Background())
		q.next = own
		go q.perform(own)
	}
	own.names = append(own.names, names...)
	own.waiting++
	q.mu.Unlock()
	select {
	case <-own.done:
		return own.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	own.waiting--
	last := own.waiting == 0
	if last && q.next == own {
		q.next = nil
	}
	q.mu.Unlock()
	if last {
		own.cancel(context.Cause(ctx))
		<-own.done // it leaves no process behind
	}
	return context.Cause(ctx)
}

// perform makes a request when it is its turn.
func (q *requests) perform(own *request) {
	defer close(own.done)
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-own.ctx.Done():
	}
	q.mu.Lock()
	if q.next == own {
		q.next = nil
	}
	names := own.names
	q.mu.Unlock()
	if own.err = context.Cause(own.ctx); own.err == nil {
		own.err = q.ask(own.ctx, names)
	}
	own.cancel(nil)
}

// What could not be cancelled, as the batch system did not answer, is noted in a folder beside the jobs: a file for
// each, with the names by which the queue knows it. The next shell that reaches the batch system cancels it.
const laterName = ".cancel"

// cancelLater notes that a job is to be cancelled.
func (c *Cluster) cancelLater(t ticket, names []string) {
	in, err := makeFolder(c.folder.join(laterName))
	if err == nil {
		_ = in.replace(t.name, "."+t.name+"."+randomWord(), []byte(strings.Join(names, "\n")+"\n"))
	}
}

// cancelled forgets a job that was to be cancelled.
func (c *Cluster) cancelled(name string) {
	_ = os.Remove(c.folder.join(filepath.Join(laterName, name)))
}

// tidy begins to cancel what could not be cancelled before, now that the batch system has just answered.
func (c *Cluster) tidy() { c.errands.begin(&c.tidying, c.Clock, c.cancelNoted) }

// cancelNoted cancels what could not be cancelled before.
func (c *Cluster) cancelNoted(ctx context.Context) {
	in := folder(c.folder.join(laterName))
	entries, _ := os.ReadDir(string(in))
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") })
	if len(entries) == 0 {
		return
	}
	var names []string
	for _, entry := range entries {
		text, _ := in.read(entry.Name())
		names = append(names, strings.Fields(string(text))...)
	}
	if c.cancel(ctx, names) != nil {
		return
	}
	for _, entry := range entries {
		t := ticketAt(c.folder.join(entry.Name()))
		if held, made := t.claimed(t.generation()); made && held.Shell && !t.outlives() {
			_ = t.remove() // it never began
		}
		c.cancelled(entry.Name())
	}
}

// outlives reports whether a later shell may look for the job.
func (t ticket) outlives() bool {
	var o order
	return t.readJSON("job", &o) != nil || o.Outlives
}

// isToCancel reports whether a job could not be cancelled yet.
func (t ticket) isToCancel() bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(string(t.folder)), laterName, t.name))
	return err == nil
}
