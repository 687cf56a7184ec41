package locked

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/backoff/shared"
)

// Resource is one resource as this process uses it. Safe for concurrent use.
type Resource struct {
	name   string
	folder *Folder
	clock  backoff.Clock
	keep   func(fd int) (release func())

	inside  chan struct{} // full while somebody of this process has the state
	file    file
	release func() // gives up what keep was asked for

	mu      sync.Mutex         // guards what follows; nobody waits while holding it
	waiters map[bool][]*waiter // of this process, in the line of retries or the other, by their tickets
	next    *Resource          // for who comes now, since the file was removed

	waking sync.RWMutex // held to wake, and while the file is closed
	closed bool
}

// file is the two open descriptions of a resource's file.
type file struct {
	fd    int // of the state and the tickets: this process's alone
	slots int // of the slots: the guardian has it, too
	words words
}

// Resource opens a resource, and makes its file if it is not there. keep has
// somebody who outlives this process hold a descriptor, too, until release is
// called: what is locked through it stays so until both are gone. It is called when a slot is first
// taken; nil: this process holds its slots alone.
func (f *Folder) Resource(name string, keep func(fd int) (release func())) (*Resource, error) {
	if !validName(name) {
		return nil, fmt.Errorf("%q is no name of a resource", name)
	}
	r := f.resource(name)
	r.keep = keep
	return r, r.openFile(unix.O_CREAT)
}

func (f *Folder) resource(name string) *Resource {
	return &Resource{
		name: name, folder: f, clock: f.clock, inside: make(chan struct{}, 1), waiters: map[bool][]*waiter{}}
}

// Path returns the name of its file.
func (r *Resource) Path() string { return r.folder.path + "/" + r.name + suffix }

// openFile opens the file twice, and makes it big enough. It refuses what is no regular file.
func (r *Resource) openFile(create int) (err error) {
	opened := file{slots: -1}
	if opened.fd, err = r.folder.openName(r.name+suffix, create); err == nil {
		if opened.slots, err = r.folder.openName(r.name+suffix, 0); err == nil {
			err = opened.prepareState()
		}
	}
	if err != nil {
		opened.closeFile()
		return fmt.Errorf("resource %s: %s: %w", r.name, r.Path(), err)
	}
	r.file = opened
	return nil
}

// prepareState makes a new file as long as it has to be. Room for the state is taken
// now, so that a disk that fills up later does no harm.
func (f *file) prepareState() error {
	var info unix.Stat_t
	err := unix.Fstat(f.fd, &info)
	if err == nil && info.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("it is no regular file; remove it")
	}
	if err == nil && info.Size < recordSize {
		_, err = unix.Pwrite(f.fd, make([]byte, recordSize-info.Size), info.Size)
	}
	if err == nil && info.Size < wordsAt+wordsSize {
		err = unix.Ftruncate(f.fd, wordsAt+wordsSize)
	}
	if err == nil {
		f.words, err = mapWords(f.fd)
	}
	return err
}

func (f *file) closeFile() {
	f.words.unmapWords()
	_ = unix.Close(f.fd)
	_ = unix.Close(f.slots)
}

// Close closes it. No attempt may be under way or waiting.
func (r *Resource) Close() {
	r.inside <- struct{}{}
	defer func() { <-r.inside }()
	r.waking.Lock()
	defer r.waking.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	if r.release != nil {
		r.release()
	}
	r.file.closeFile()
	if r.next != nil {
		r.next.Close()
	}
}

// nextLook returns how long to wait where the state is found locked, after waiting so
// long already. It is locked for microseconds, so that in a crowd the next look nearly always
// succeeds; but a shell may have been stopped in the middle of them. (Doubling the
// waits is wrong here: the first in line, slept for a second, kept 400 waiting.)
func nextLook(waited, now time.Duration) time.Duration {
	const shortest, longest = 50 * time.Microsecond, time.Second
	wait := min(max(waited/8, shortest), longest)
	return wait/2 + now%wait // not all at the same time
}

// enterState waits until the state is locked, reads it, and gives it with the time. It is an error
// if ctx is cancelled first (its cause), if locks do not work here, or errRemoved.
func (r *Resource) enterState(ctx context.Context, named bool) (*state, time.Duration, error) {
	for since := r.clock.Now(); ctx.Err() == nil; {
		select {
		case r.inside <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		if locked, err := r.lockState(named); locked {
			s, now := r.readState()
			return s, now, nil
		} else if <-r.inside; err != nil {
			return nil, 0, err
		}
		now := r.clock.Now()
		_ = backoff.Sleep(ctx, r.clock, now+nextLook(now-since, now))
	}
	return nil, 0, context.Cause(ctx)
}

// Who leaves gets so long for that: enough for the state, which is locked for
// microseconds, also on a machine that has far too much to do; and if a limit has just
// passed, short enough for that.
const (
	timeToLeave      = 5 * time.Second
	timeAfterTheStop = 100 * time.Millisecond
)

// enterBriefly is [Resource.enterState] for who leaves; nil if the time was not enough: that is
// longer while ctx is not cancelled. Where the file was removed meanwhile, others may still wait for it there.
func (r *Resource) enterBriefly(ctx context.Context) (s *state, now time.Duration) {
	for _, within := range []time.Duration{timeToLeave, timeAfterTheStop} {
		brief, done := backoff.WithDeadline(ctx, r.clock, r.clock.Now()+within, errStopped)
		s, now, _ = r.enterState(brief, false)
		done()
		if s != nil || ctx.Err() == nil {
			break
		}
		ctx = context.WithoutCancel(ctx)
	}
	return s, now
}

var errStopped = errors.New("somebody has its state and does not give it back; was a shell stopped?")

// lockState locks the state for this process, if nobody has it; named: only in the file that all others use, too.
func (r *Resource) lockState(named bool) (bool, error) {
	locked, err := lockByte(r.file.fd, mutexAt)
	switch {
	case err != nil:
		return false, fmt.Errorf("resource %s: %s does not lock files: %w", r.name, r.folder.path, err)
	case locked && named && !isNamed(r.file.fd, r.Path()):
		unlockByte(r.file.fd, mutexAt)
		return false, errRemoved
	}
	return locked, nil
}

// errRemoved tells that the file was removed: see successor.
var errRemoved = errors.New("its file was removed")

// readState reads the state, which is locked.
func (r *Resource) readState() (*state, time.Duration) {
	now := r.clock.Now()
	s, whole := readState(r.file.fd, r.folder.boot)
	if !whole || s.written > now+time.Minute { // the time of a container that has its own
		s = r.newState()
	}
	return s, now
}

// successor opens the file that has the name now, for who comes; who is inside stays with the old one, and
// others see that there (see former.go).
func (r *Resource) successor() (*Resource, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != nil {
		return r.next, nil
	}
	next, err := r.folder.Resource(r.name, r.keep)
	if err == nil {
		r.next = next
	}
	return next, err
}

// newState is the state to begin with where there is none, or none that can be
// read. Tickets that are locked stay valid.
func (r *Resource) newState() *state {
	s := &state{heir: true}
	for _, retry := range []bool{false, true} {
		next, from := int64(0), ticketPlace(shared.Ticket{Retry: retry})
		if at, found := highestLocked(r.file.slots, from, from+1<<59); found {
			next = at - from + 1
		}
		s.Begin(retry, next)
	}
	return s
}

// leaveState writes the state and lets others at it, and then wakes those who have these
// tickets.
func (r *Resource) leaveState(s *state, now time.Duration, wake ...shared.Ticket) error {
	s.written = now
	err := writeState(r.file.fd, s, r.folder.boot)
	unlockByte(r.file.fd, mutexAt)
	<-r.inside
	for _, t := range wake {
		r.wakeWaiter(t)
	}
	if err != nil {
		return fmt.Errorf("resource %s: cannot write %s: %w", r.name, r.Path(), err)
	}
	return nil
}

// unlockState lets others at the state without having changed it.
func (r *Resource) unlockState() {
	unlockByte(r.file.fd, mutexAt)
	<-r.inside
}

// wakeWaiter wakes a waiter, whichever process it is in.
func (r *Resource) wakeWaiter(t shared.Ticket) {
	r.waking.RLock()
	defer r.waking.RUnlock()
	if !r.closed {
		r.file.words.wakeSleepers(wordOf(t))
	}
}
