package output

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// lane is a place where the output of branches leads, and a goroutine that hands it on: of the first branch that has
// not ended as it comes, of the others once it is their turn.
type lane struct {
	g       *Grouped
	streams []int // of a branch: 1, 2 or both
	to      int
	regular bool // it leads to a regular file, which is always ready
	lost    int  // bytes that nobody took in time; read once the goroutine has ended

	mu    sync.Mutex
	queue []*portion // what is not handed on, the one whose turn it is first
	last  bool       // no more will be added
	spool spoolFile  // what branches that have ended wrote

	wake   chan struct{} // has a message when something has changed
	done   chan struct{} // closed when the goroutine has ended
	buffer []byte
}

// newLane makes the lane of a stream of the branches, which leads to that descriptor, and starts its goroutine.
func newLane(g *Grouped, to, stream int) *lane {
	l := &lane{g: g, streams: []int{stream}, to: to, wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.spool.fd = closed
	if g.Store.Streams != nil {
		close(l.done)
		return l
	}
	var info unix.Stat_t
	l.regular = unix.Fstat(l.to, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFREG
	go l.handOn()
	return l
}

// handOn hands on one portion after another.
func (l *lane) handOn() {
	defer close(l.done)
	for p := l.next(); p != nil; p = l.next() {
		p.handOn()
		l.mu.Lock()
		l.queue = l.queue[1:]
		l.mu.Unlock()
		stir(l.g.freed)
	}
	if l.spool.fd != closed {
		_ = unix.Close(l.spool.fd)
	}
}

// finish returns when everything is handed on; nothing may be added any more.
func (l *lane) finish() {
	l.mu.Lock()
	l.last = true
	l.mu.Unlock()
	stir(l.wake)
	<-l.done
}

// stir has who waits for messages look again.
func stir(messages chan<- struct{}) {
	select {
	case messages <- struct{}{}:
	default:
	}
}

// next waits for the portion whose turn it is; nil: there are no more.
func (l *lane) next() *portion {
	for {
		l.mu.Lock()
		queue, last := l.queue, l.last
		l.mu.Unlock()
		switch {
		case len(queue) > 0:
			return queue[0]
		case last:
			return nil
		}
		<-l.wake
	}
}

// add has a portion handed on after those before.
func (l *lane) add(p *portion) {
	l.mu.Lock()
	l.queue = append(l.queue, p)
	l.mu.Unlock()
	stir(l.wake)
}

// flush hands on what has ended, in a simulation.
func (l *lane) flush() {
	streams := l.g.Store.Streams
	for len(l.queue) > 0 && l.queue[0].ended {
		fd := l.queue[0].fd
		streams.Write(l.to, streams.Read(fd))
		streams.Close(fd)
		l.queue = l.queue[1:]
	}
}

// The steps in which output is looked at and handed on.
const (
	groupedInterval = 20 * time.Millisecond // while there is something new
	groupedAtMost   = 80 * time.Millisecond
	groupedBuffer   = 64 << 10
	pipePart        = 4096 // a pipe that is ready takes as much without waiting
)

// copyRange hands on a part of a file, and returns how far it has come.
func (l *lane) copyRange(fd int, from, to int64) (int64, error) {
	if l.buffer == nil {
		l.buffer = make([]byte, groupedBuffer)
	}
	for from < to {
		part := l.buffer[:min(int64(len(l.buffer)), to-from)]
		n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(fd, part, from) })
		if n <= 0 {
			return from, err // a program has truncated its file
		}
		from += int64(n)
		if err := l.write(part[:n]); err != nil {
			return from, err
		}
	}
	return from, nil
}

// errStuck tells that a reader takes nothing any more, and that there is no time to wait.
var errStuck = errors.New("the reader takes nothing")

// write writes to where the lane leads. Nobody but the lane waits for a slow reader.
func (l *lane) write(text []byte) error {
	for len(text) > 0 {
		part := text
		if !l.regular {
			part = text[:min(len(text), pipePart)]
		}
		if l.lost > 0 || l.ready() != nil {
			l.lost += len(text)
			return nil
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

// stuckAfter is for how long a reader may take nothing once the forall was cut off.
const stuckAfter = time.Second

// ready waits until the lane can be written to. After the forall was cut off this shares the time that its
// commands have for their end, and a reader who takes nothing is waited for only a moment.
func (l *lane) ready() error {
	g := l.g
	if g.Context.Err() == nil {
		if l.regular || files.Ready(g.Context, l.to, unix.POLLOUT) == nil {
			return nil
		}
	}
	if g.Patience() <= 0 || g.isKilled() {
		return errStuck
	}
	poll := []unix.PollFd{{Fd: int32(l.to), Events: unix.POLLOUT}}
	for waited := time.Duration(0); !l.regular; waited += groupedInterval {
		n, err := unix.Poll(poll, int(groupedInterval.Milliseconds()))
		switch {
		case n > 0, err != nil && err != unix.EINTR:
			return nil // an error is told by writing itself
		case waited >= stuckAfter, g.isKilled():
			return errStuck
		}
	}
	return nil
}

// await waits until something has changed, or it is time to look again.
func (l *lane) await(pause time.Duration) {
	clock := l.g.Clock
	timer := clock.AfterFunc(clock.Now()+pause, func() { stir(l.wake) })
	defer timer.Stop()
	<-l.wake
}

// isKilled reports whether all waiting is to end at once.
func (g *Grouped) isKilled() bool {
	select {
	case <-g.Kill:
		return true
	default:
		return false
	}
}
