package jobs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/journal"
	"ftsh/interp/world"
)

// pilots are jobs that run programs one after another, as the shell hands them over through their
// folders: the K-th for a pilot is named by its file next-K. Safe for concurrent use.
type pilots struct {
	cluster *Cluster
	most    int
	like    Job // what a pilot is submitted with
	crowd   Crowd
	free    chan *handover  // taken by a pilot that has nothing to do
	open    context.Context // until the pilots are needed no more
	close   context.CancelCauseFunc
	ended   sync.WaitGroup

	mu        sync.Mutex
	known     map[string]*pilot // by their tickets
	live      int
	waiting   int // programs that nobody has taken
	fruitless int // pilots in a row that ended without having run a program
}

// pilot is one of them.
type pilot struct {
	job    *Job
	ticket ticket
	handed int           // programs, also by an earlier shell
	former bool          // it was made by an earlier shell
	gone   chan struct{} // closed when it has ended, or is not waited for any more
	result Result        // after that
}

const (
	endName    = "end"  // tells a pilot that there will be no more programs
	stopName   = "stop" // tells that a job is to end: its pilot, which ends it, or a later shell, which waits for that
	nextPrefix = "next-"
	firstPoll  = 5 * time.Millisecond
)

// A nextProgram is the content of next-K.
type nextProgram struct {
	Folder     journal.Text `json:"folder"`
	Generation int          `json:"generation"`
}

// newPilots makes pilots, which are submitted when there are programs for them. like says how, and is no job itself.
// If an earlier shell was there already, which like says by Resumed, its pilots are used again.
func (c *Cluster) newPilots(n int, like *Job) *pilots {
	p := &pilots{cluster: c, most: n, like: *like, known: map[string]*pilot{}, free: make(chan *handover)}
	p.open, p.close = context.WithCancelCause(context.Background())
	p.like.Words, p.like.Pilot, p.like.Crowd = []string{"pilot"}, true, &p.crowd
	p.like.Asked.Output = func(context.Context, int, []byte) error { return nil }
	if p.like.Asked.Resumed = false; like.Asked.Resumed {
		p.adoptAll()
	}
	return p
}

// end ends the pilots: nothing is left in the queue, unless a later shell goes on with them.
func (p *pilots) end() {
	p.close(errClosed)
	p.ended.Wait()
}

// wait counts programs that begin to wait, or wait no more; it returns how many do.
func (p *pilots) wait(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting += n
	return p.waiting
}

// start submits the pilots that are missing: all at first, later as many as there are programs for.
func (p *pilots) start() {
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
func (p *pilots) launch(v *pilot) {
	if err := p.cluster.makeAhead(v.job); err != nil {
		v.result = shortOf("cannot make the folder of a pilot: ", err)
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

// tend gives a pilot programs as long as it lives and they are wanted, and ends it.
func (p *pilots) tend(v *pilot) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	needed, gone := context.WithCancelCause(p.open)
	go func() {
		defer gone(nil)
		p.employ(ctx, v)
	}()
	ran := 0
	if ofBegin.await(needed, p.cluster.Clock, v.isFree) == nil {
		ran = p.keepBusy(needed, v)
	}
	p.dismiss(v, cancel)
	if v.former {
		ran++ // it had a program of the earlier shell
	}
	p.over(v, ran)
}

// employ waits for the job of a pilot.
func (p *pilots) employ(ctx context.Context, v *pilot) {
	defer close(v.gone)
	if !v.former {
		defer p.crowd.Add(-1)
	}
	_ = rhythm{longestLook, longestLook, 1}.await(ctx, p.cluster.Clock, func() (done bool) {
		var err error
		v.result, err = p.cluster.Run(ctx, v.job)
		return !errors.Is(err, world.ErrElsewhere)
	})
	if v.result.Forget != nil && !p.leaves() {
		v.result.Forget()
	}
}

// leaves reports whether the pilots are to be left to a later shell.
func (p *pilots) leaves() bool { return p.like.Asked.Left != nil && p.like.Asked.Left() }

// isFree reports whether a pilot can be given a program: it has begun, and what an earlier shell gave it has ended. One
// that was told to end is given nothing.
func (v *pilot) isFree() bool {
	if !v.ticket.isUnderWay() {
		return false
	}
	if !v.former {
		return true
	}
	_, err := v.ticket.read(endName)
	return err != nil && !v.busy()
}

// after is closed some time from now.
func after(clock backoff.Clock, pause time.Duration) <-chan struct{} {
	rung := make(chan struct{})
	clock.AfterFunc(clock.Now()+pause, func() { close(rung) })
	return rung
}

// keepBusy hands programs to a pilot as long as both are there; it returns how many it has had.
func (p *pilots) keepBusy(needed context.Context, v *pilot) (ran int) {
	for {
		select {
		case <-needed.Done():
			return ran
		case f := <-p.free:
			p.wait(-1)
			if err := v.take(f); errors.Is(err, fs.ErrNotExist) { // its folder was removed: it has ended
				<-needed.Done()
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
	err := v.ticket.put(beside, asJSON(nextProgram{journal.Text(f.of.ticket.folder), f.of.current.generation}), false)
	if err == nil {
		err = os.Rename(v.ticket.join(beside), v.ticket.join(name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.taken <- pickup{}
	case err != nil:
		result := shortOf("cannot write to the folder of a pilot: ", err)
		f.taken <- pickup{refused: &result}
	default:
		v.handed++
		f.taken <- pickup{pilot: v}
	}
	return err
}

// adoptAll finds the pilots that an earlier shell has left there, by their folders, which name the script's journal and
// the place in it. Others are found by the claim of a program.
func (p *pilots) adoptAll() {
	entries, _ := os.ReadDir(string(p.cluster.folder)) // what cannot be seen now is found by the claims
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), p.like.Words[0]+"-") {
			continue
		}
		_, o, err := openTicket(p.cluster.folder.join(entry.Name()))
		if err == nil && o.Pilot && o.Journal == p.cluster.Journal && o.Site == p.like.Site {
			p.adopt(entry.Name())
		}
	}
}

// adopt takes a pilot for ours.
func (p *pilots) adopt(name string) *pilot {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.known[name]; v != nil {
		return v
	}
	job := p.like
	job.Crowd, job.Asked.Resumed = nil, true
	job.Asked.Folder, job.Asked.Within = p.cluster.folder.join(name), inode(string(p.cluster.folder))
	v := &pilot{job: &job, ticket: ticketAt(job.Asked.Folder), former: true, gone: make(chan struct{})}
	for v.ticket.has(nextPrefix + strconv.Itoa(v.handed+1)) {
		v.handed++
	}
	p.known[name] = v
	p.live++
	p.ended.Go(func() { p.tend(v) })
	return v
}

// busy reports whether the last program that a pilot was given is still to be run, or runs.
func (v *pilot) busy() bool {
	var last nextProgram
	if v.handed == 0 || v.ticket.readJSON(nextPrefix+strconv.Itoa(v.handed), &last) != nil {
		return false
	}
	program := ticketAt(string(last.Folder))
	held, made := program.claimed(last.Generation)
	if !made {
		_, err := os.Lstat(string(last.Folder))
		return !errors.Is(err, fs.ErrNotExist)
	}
	_, there, _ := program.ended(last.Generation)
	return held.Pilot == v.ticket.name && !there
}

// dismiss ends a pilot: one that runs is told so, and cancelled only if that does not do; one that waits in the queue
// never begins.
func (p *pilots) dismiss(v *pilot, cancel context.CancelCauseFunc) {
	if isClosed(v.gone) {
		return
	}
	if p.leaves() {
		cancel(errClosed)
		<-v.gone
		return
	}
	_ = v.ticket.write(endName, nil)
	if v.ticket.isUnderWay() {
		select {
		case <-v.gone:
			return
		case <-after(p.cluster.Clock, p.like.Asked.Patience()/2):
		}
	}
	cancel(errClosed)
	<-v.gone
}

// over replaces a pilot that has ended, if programs wait, but none that could not run: the next could not either. When
// the last of these has ended, the programs that wait fail.
func (p *pilots) over(v *pilot, ran int) {
	p.mu.Lock()
	p.live--
	p.fruitless++
	if ran > 0 {
		p.fruitless = 0
	}
	hopeless := v.result.Kind == batch.Mistake || v.result.Kind == shortage || p.fruitless > repeats
	again := p.waiting > 0 && !hopeless
	p.mu.Unlock()
	switch {
	case p.open.Err() != nil:
	case again:
		p.start()
	case hopeless:
		p.refuse(v.result)
	}
}

// refuse ends the programs that wait, if there is no pilot. One may be about to wait, or be cut off.
func (p *pilots) refuse(result Result) {
	result.Message = "no pilot can run it: " + result.Message
	if result.Kind == batch.Succeeded {
		result.Kind, result.Status = batch.Lost, 1
	}
	_ = rhythm{firstPoll, firstPoll, 1}.await(p.open, p.cluster.Clock, func() (done bool) {
		select {
		case f := <-p.free:
			p.wait(-1)
			f.taken <- pickup{refused: &result}
		default:
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.live > 0 || p.waiting == 0
	})
}

// errClosed is why the pilots end.
var errClosed = errors.New("the pilots are not needed any more")
