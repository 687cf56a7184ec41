package output

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// A lane is a place where the output of branches leads. One portion after another writes there.
type lane struct {
	g       *grouped
	streams []int // of a branch: 1, 2 or both
	to      int
	stuck   bool          // its reader takes nothing any more
	last    chan struct{} // closed when the portion that was added last is handed on

	mu      sync.Mutex
	changed sync.Cond // of the portions: something came, or was handed on, and there may be room again
	inRAM   int       // bytes that all portions hold in memory
}

// newLane makes the lane of a stream of the branches, which leads to that descriptor.
func newLane(g *grouped, to, stream int) *lane {
	l := &lane{g: g, streams: []int{stream}, to: to, last: make(chan struct{})}
	l.changed.L = &l.mu
	close(l.last)
	return l
}

// A portion is the output of one branch to one lane. That of the first branch that has not ended is handed on as it
// comes, the others once it is their turn.
type portion struct {
	lane  *lane
	drain *Drain

	// What follows is guarded by the lane's lock.
	waits   backlog
	first   bool // it is its turn
	ended   bool // nothing more is to come
	goesOn  bool // its branch does, in a later run
	dropped bool // what comes is not handed on
}

func newPortion(l *lane) *portion {
	return &portion{lane: l, waits: backlog{dir: l.g.Temporary, inRAM: &l.inRAM}}
}

// take holds what the branch wrote. Where there is no room it waits, and the branch with it, until there is, or it is
// its turn.
func (p *portion) take(text []byte) {
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	for !p.dropped && !p.waits.add(text, p.first) {
		p.lane.changed.Wait()
	}
	p.lane.changed.Broadcast()
}

// finish tells that nothing more is to come in this run.
func (p *portion) finish(goesOn bool) {
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	p.ended, p.goesOn = true, goesOn
	p.lane.changed.Broadcast()
}

// handOn hands on what comes, once those before are handed on, until the portion has ended.
func (p *portion) handOn(before <-chan struct{}, fail func(error)) {
	<-before
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	defer p.lane.changed.Broadcast()
	defer p.waits.drop()
	p.first = true
	if p.dropped = p.ended && !p.goesOn && p.lane.g.later.Load(); p.dropped {
		return
	}
	for p.lane.changed.Broadcast(); p.waits.size() > 0 || !p.ended; p.lane.changed.Broadcast() {
		if p.waits.size() == 0 {
			p.lane.changed.Wait()
			continue
		}
		text, err := p.waits.next()
		p.lane.mu.Unlock()
		if err == nil {
			err = p.lane.write(text)
		}
		p.lane.mu.Lock()
		p.waits.remove(len(text))
		if err != nil {
			p.dropped = true
			p.waits.drop()
			p.lane.mu.Unlock()
			fail(err)
			p.lane.mu.Lock()
		}
	}
}

// write writes to where the lane leads. Nobody but the lane waits for a slow reader.
func (l *lane) write(text []byte) error {
	const pipePart = 4096 // a pipe that is ready takes as much without waiting
	for len(text) > 0 {
		n, err, part := 0, ErrCut, text[:min(len(text), pipePart)]
		if l.stuck = l.stuck || !l.ready(); !l.stuck {
			n, err = files.RetryEINTR(func() (int, error) { return unix.Write(l.to, part) })
		}
		if err != nil && err != unix.EAGAIN { // that: somebody has made it non-blocking
			name := [...]string{1: "standard output", 2: "standard error"}[l.streams[0]]
			return fmt.Errorf("cannot write what the branch wrote to %s: %w", name, err)
		}
		text = text[max(n, 0):]
	}
	return nil
}

// ready waits until the lane can be written to. After the forall was cut off this shares the time that its
// commands have for their end, and a reader who takes nothing is waited for only a moment; false: it takes nothing.
func (l *lane) ready() bool {
	const stuckAfter, askedEvery = time.Second, 20 * time.Millisecond
	g := l.g
	if g.Context.Err() == nil && files.Ready(g.Context, l.to, unix.POLLOUT) == nil {
		return true
	}
	poll := []unix.PollFd{{Fd: int32(l.to), Events: unix.POLLOUT}}
	for waited := time.Duration(0); ; waited += askedEvery {
		n, err := unix.Poll(poll, int(askedEvery.Milliseconds()))
		if n > 0 || err != nil && err != unix.EINTR {
			return true // an error is told by writing itself
		}
		select {
		case <-g.Kill:
			return false
		default:
		}
		if waited >= stuckAfter || g.Patience() <= 0 {
			return false
		}
	}
}
