package output

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// lane is a place where the output of branches leads, and a goroutine that hands it on: of the first branch that has
// not ended as it comes, of the others once it is their turn.
type lane struct {
	g       *grouped
	streams []int // of a branch: 1, 2 or both
	to      int
	regular bool          // it leads to a regular file, which is always ready
	stuck   bool          // its reader takes nothing any more; the goroutine's own
	done    chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	changed *sync.Cond // of what follows
	queue   []*portion // what is not handed on, the one whose turn it is first
	last    bool       // no more will be added
	inRAM   int        // bytes of all portions that are held in memory
	spill   spillFile  // the others
}

// newLane makes the lane of a stream of the branches, which leads to that descriptor, and starts its goroutine.
func newLane(g *grouped, to, stream int) *lane {
	l := &lane{g: g, streams: []int{stream}, to: to, done: make(chan struct{})}
	l.spill = spillFile{dir: g.Temporary, fd: closed}
	l.changed = sync.NewCond(&l.mu)
	var info unix.Stat_t
	l.regular = unix.Fstat(l.to, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG
	go l.handOn()
	return l
}

// handOn hands on one portion after another.
func (l *lane) handOn() {
	defer close(l.done)
	for {
		p, part, ended := l.next()
		switch {
		case p == nil:
			l.spill.close()
			return
		case ended:
			l.pop(p)
			continue
		}
		text, err := l.spill.textOf(part)
		if err == nil {
			err = l.write(text)
		}
		l.release(p)
		if err != nil {
			l.drop(p)
			p.branch.fail(err)
		}
	}
}

// next waits for the next part of the portion whose turn it is, or for its end; nil: there are no more.
func (l *lane) next() (p *portion, part part, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		switch {
		case len(l.queue) == 0 && l.last:
			return nil, part, true
		case len(l.queue) == 0:
		case len(l.queue[0].parts) > 0:
			p = l.queue[0]
			p.current = p.takePart()
			return p, p.current, false
		case l.queue[0].ended:
			return l.queue[0], part, true
		}
		l.changed.Wait()
	}
}

// pop goes on to the next portion.
func (l *lane) pop(p *portion) {
	l.mu.Lock()
	l.queue = l.queue[1:]
	dropped := p.dropped
	l.mu.Unlock()
	l.changed.Broadcast()
	if !dropped && p.branch.left.Add(-1) == 0 {
		p.branch.whole()
	}
}

// release gives the room of the part back that was handed on.
func (l *lane) release(p *portion) {
	l.mu.Lock()
	l.forget(p.current)
	p.current = part{}
	l.mu.Unlock()
	l.changed.Broadcast()
}

func (l *lane) forget(part part) {
	if l.inRAM -= len(part.text); part.text == nil {
		l.spill.release(part)
	}
}

// drop forgets what a portion still has, and all that comes.
func (l *lane) drop(p *portion) {
	l.mu.Lock()
	p.dropped = true
	for len(p.parts) > 0 {
		l.forget(p.takePart())
	}
	l.mu.Unlock()
	l.changed.Broadcast()
}

// finish returns when everything is handed on; nothing may be added any more.
func (l *lane) finish() {
	l.mu.Lock()
	l.last = true
	l.mu.Unlock()
	l.changed.Broadcast()
	<-l.done
}

// add has a portion handed on after those before.
func (l *lane) add(p *portion) {
	l.mu.Lock()
	for _, part := range p.parts {
		l.inRAM += len(part.text)
	}
	l.queue = append(l.queue, p)
	l.mu.Unlock()
	l.changed.Broadcast()
}

// hasOpen reports whether a branch is under way.
func (l *lane) hasOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.queue {
		if !p.ended {
			return true
		}
	}
	return false
}

// write writes to where the lane leads. Nobody but the lane waits for a slow reader.
func (l *lane) write(text []byte) error {
	const pipePart = 4096 // a pipe that is ready takes as much without waiting
	for len(text) > 0 {
		part := text
		if !l.regular {
			part = text[:min(len(text), pipePart)]
		}
		if l.stuck = l.stuck || !l.ready(); l.stuck {
			return fmt.Errorf("cannot write what the branch wrote to %s: %w", streamName(l.streams[0]), ErrCut)
		}
		n, err := files.RetryEINTR(func() (int, error) { return unix.Write(l.to, part) })
		if err == unix.EAGAIN { // somebody has made it non-blocking
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot write what the branch wrote to %s: %w", streamName(l.streams[0]), err)
		}
		text = text[n:]
	}
	return nil
}

func streamName(fd int) string { return [...]string{1: "standard output", 2: "standard error"}[fd] }

// For how long a reader may take nothing once the forall was cut off, and how often it is asked.
const (
	stuckAfter = time.Second
	askedEvery = 20 * time.Millisecond
)

// ready waits until the lane can be written to. After the forall was cut off this shares the time that its
// commands have for their end, and a reader who takes nothing is waited for only a moment; false: it takes nothing.
func (l *lane) ready() bool {
	g := l.g
	if l.regular || g.Context.Err() == nil && files.Ready(g.Context, l.to, unix.POLLOUT) == nil {
		return true
	}
	poll := []unix.PollFd{{Fd: int32(l.to), Events: unix.POLLOUT}}
	for waited := time.Duration(0); ; waited += askedEvery {
		n, err := unix.Poll(poll, int(askedEvery.Milliseconds()))
		switch {
		case n > 0, err != nil && err != unix.EINTR:
			return true // an error is told by writing itself
		case waited >= stuckAfter, g.Patience() <= 0, g.isKilled():
			return false
		}
	}
}

// isKilled reports whether all waiting is to end at once.
func (g *grouped) isKilled() bool {
	select {
	case <-g.Kill:
		return true
	default:
		return false
	}
}
