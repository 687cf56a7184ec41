package jobs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"ftsh/backoff"
)

// Pilots are jobs that run programs one after another, as the shell hands them over through their
// folders: the K-th for a pilot is named by its file next-K. Safe for concurrent use.
type Pilots struct {
	cluster *Cluster
	most    int
	like    Job // what a pilot is submitted with
	crowd   Crowd
	free    chan *handover // taken by a pilot that has nothing to do
	closing chan struct{}
	ended   sync.WaitGroup

	mu        sync.Mutex
	known     map[string]*pilot // by their tickets
	live      int
	waiting   int // programs that nobody has taken
	fruitless int // pilots in a row that ended without having run a program
}

// handover is of a program that is to be run by a pilot.
type handover struct {
	*running
	taken    chan pickup // has room for one
	finished chan struct{}
}

// A pickup tells what came of a handover: a pilot, or why there can be none; neither where the pilot has just ended.
type pickup struct {
	pilot   *pilot
	refused *Result
}

// pilot is one of them.
type pilot struct {
	job    *Job
	ticket ticket
	handed int           // programs, also by an earlier shell
	former bool          // it was made by an earlier shell
	gone   chan struct{} // closed when it has ended, or is not waited for any more
	result Result        // after that

	settling sync.Mutex
	settled  bool // it is known to have ended
}

const (
	endName    = "end"  // tells a pilot that there will be no more programs
	stopName   = "stop" // tells that a job is to end: its pilot, which ends it, or a later shell, which waits for that
	nextPrefix = "next-"
	firstPoll  = 5 * time.Millisecond
)

// A nextProgram is the content of next-K.
type nextProgram struct {
	Folder     text `json:"folder"`
	Generation int  `json:"generation"`
}

// Pilots makes pilots, which are submitted when there are programs for them. like says how, and is no job itself.
// If an earlier shell was there already, which like says by Resumed, its pilots are used again.
func (c *Cluster) Pilots(n int, like *Job) *Pilots {
	p := &Pilots{cluster: c, most: n, like: *like, known: map[string]*pilot{}, free: make(chan *handover), closing: make(chan struct{})}
	p.like.Words, p.like.Pilot, p.like.Crowd = []string{"pilot"}, true, &p.crowd
	p.like.Output = func(string, []byte) error { return nil }
	if p.like.Resumed = false; like.Resumed {
		p.adoptAll()
	}
	return p
}

// Make makes the folder of a program that outlives the shell.
func (p *Pilots) Make(j *Job) error {
	j.Journal = p.like.Journal
	return p.cluster.Make(j)
}

// Run has a pilot run a program; see [Cluster.Run].
func (p *Pilots) Run(ctx context.Context, j *Job) (Result, error) {
	j.pilots, j.Journal = p, p.like.Journal
	return p.cluster.Run(ctx, j)
}

// Close ends the pilots: nothing is left in the queue, unless a later shell goes on with them.
func (p *Pilots) Close() {
	close(p.closing)
	p.ended.Wait()
}

// handOver waits for a pilot that takes the program.
func (p *Pilots) handOver(ctx context.Context, r *running) (refused *Result, err error) {
	r.release()
	for {
		f := &handover{running: r, taken: make(chan pickup, 1), finished: make(chan struct{})}
		p.wait(1)
		p.start()
		if !p.offer(ctx, f) {
			p.wait(-1)
			return nil, context.Cause(ctx)
		}
		b := <-f.taken
		if b.refused != nil {
			return b.refused, nil
		}
		if b.pilot != nil {
			r.handover, r.pilot, r.submitted = f, b.pilot, r.clock().Now()
			return nil, context.Cause(ctx)
		}
	}
}

// offer waits until a pilot takes a program; false: ctx has ended, or a pilot has the program from an earlier shell.
func (p *Pilots) offer(ctx context.Context, f *handover) bool {
	for {
		select {
		case p.free <- f:
			return true
		case <-f.mayBeTaken():
			if f.findPilot() {
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
}

// wait counts programs that begin to wait, or wait no more; it returns how many do.
func (p *Pilots) wait(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting += n
	return p.waiting
}

// release tells the pilot's side that nothing is wanted of it any more.
func (r *running) release() {
	if r.handover != nil {
		close(r.handover.finished)
		r.handover = nil
	}
}

// start submits the pilots that are missing: all at first, later as many as there are programs for.
func (p *Pilots) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	missing := max(0, min(p.most-p.live, p.waiting))
	if p.live == 0 {
		missing = p.most
	}
	p.crowd.Add(missing)
	for range missing {
		p.live++
		job := p.like
		p.ended.Go(func() { p.launch(&pilot{job: &job, gone: make(chan struct{})}) })
	}
}

// launch makes the folder of a new pilot, and tends it.
func (p *Pilots) launch(v *pilot) {
	if err := p.cluster.Make(v.job); err != nil {
		v.result = Result{Kind: shortage, Status: 1, Message: "cannot make the folder of a pilot: " + unwrapped(err).Error()}
		close(v.gone)
		p.crowd.Add(-1)
		p.over(v, 0)
		return
	}
	v.ticket, _ = p.cluster.made(v.job)
	p.mu.Lock()
	p.known[v.ticket.name] = v
	p.mu.Unlock()
	p.tend(v)
}

// tend sees to a pilot as long as it lives.
func (p *Pilots) tend(v *pilot) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go p.employ(ctx, v)
	ran := 0
	if v.begins(p) && v.idles(p) {
		ran = p.keepBusy(v)
	}
	p.dismiss(v, cancel)
	if v.former {
		ran++ // it had a program of the earlier shell
	}
	p.over(v, ran)
}

// employ waits for the job of a pilot.
func (p *Pilots) employ(ctx context.Context, v *pilot) {
	defer close(v.gone)
	if !v.former {
		defer p.crowd.Add(-1)
	}
	for {
		var err error
		v.result, err = p.cluster.Run(ctx, v.job)
		if !errors.Is(err, ErrElsewhere) || backoff.Sleep(ctx, p.cluster.Clock, p.cluster.Clock.Now()+longestLook) != nil {
			break
		}
	}
	if v.result.Forget != nil && !p.leaves() {
		v.result.Forget()
	}
}

// leaves reports whether the pilots are to be left to a later shell.
func (p *Pilots) leaves() bool { return p.like.Left != nil && p.like.Left() }

// begins waits until the pilot runs; false: it has ended, or is not needed any more.
func (v *pilot) begins(p *Pilots) bool {
	for pause := firstLook; ; pause = min(pause*5/4, longestLook/4) {
		if held, made := v.ticket.claimed(v.ticket.generation()); made && !held.Shell {
			return true
		}
		select {
		case <-v.gone:
			return false
		case <-p.closing:
			return false
		case <-after(p.cluster.Clock, pause):
		}
	}
}

// after is closed some time from now.
func after(clock backoff.Clock, pause time.Duration) <-chan struct{} {
	rung := make(chan struct{})
	clock.AfterFunc(clock.Now()+pause, func() { close(rung) })
	return rung
}

// keepBusy hands programs to a pilot as long as both are there; it returns how many it has had.
func (p *Pilots) keepBusy(v *pilot) (ran int) {
	for {
		select {
		case <-v.gone:
			return ran
		case <-p.closing:
			return ran
		case f := <-p.free:
			p.wait(-1)
			if err := v.take(f); errors.Is(err, fs.ErrNotExist) { // its folder was removed: it has ended
				select {
				case <-v.gone:
				case <-p.closing:
				}
				return ran
			} else if err != nil {
				continue
			}
			ran++
			select {
			case <-f.finished:
			case <-v.gone:
				return ran
			}
		}
	}
}

// take hands a program to the pilot.
func (v *pilot) take(f *handover) error {
	name := nextPrefix + strconv.Itoa(v.handed+1)
	beside := name + "." + randomWord()
	err := v.ticket.put(beside, asJSON(nextProgram{text(f.ticket.folder), f.generation}), false)
	if err == nil {
		err = os.Rename(v.ticket.join(beside), v.ticket.join(name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.taken <- pickup{}
	case err != nil:
		f.taken <- pickup{refused: &Result{
			Kind: shortage, Status: 1, Message: "cannot write to the folder of a pilot: " + unwrapped(err).Error()}}
	default:
		v.handed++
		f.taken <- pickup{pilot: v}
	}
	return err
}
