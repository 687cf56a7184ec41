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

	inside chan struct{} // full while somebody of this process has the state
	file   file          // another only while nobody is under way

	mu      sync.Mutex // guards what follows; nobody waits while holding it
	waiters waiters
	slots   map[int]bool // that this process has
	passes  int          // attempts under way in this process
	release func()       // gives up what keep was asked for
	next    *Resource    // for who comes now, since the file was removed while somebody of this process was inside

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
	r := &Resource{
		name: name, folder: f, clock: f.clock, keep: keep, inside: make(chan struct{}, 1), slots: map[int]bool{},
	}
	return r, r.openFile(unix.O_CREAT)
}

// Path returns the name of its file.
func (r *Resource) Path() string { return r.folder.path + "/" + r.name + suffix }

// openFile opens the file twice and sees that it is one, and big enough.
func (r *Resource) openFile(create int) (err error) {
	if create != 0 {
		if err := r.folder.followName(); err != nil {
			return fmt.Errorf("resource %s: %w", r.name, err)
		}
	}
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

func (f *Folder) openName(name string, create int) (int, error) {
	for {
		fd, err := unix.Openat(f.fd, name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|create, 0o600)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// prepareState makes a new file as long as it has to be. Room for the state is taken
// now, so that a disk that fills up later does no harm.
func (f *file) prepareState() error {
	var info unix.Stat_t
	if err := unix.Fstat(f.fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFREG {
		return fmt.Errorf("it is no regular file; remove it")
	}
	if info.Size < recordSize {
		if _, err := unix.Pwrite(f.fd, make([]byte, recordSize-info.Size), info.Size); err != nil {
			return err
		}
	}
	if info.Size < wordsAt+wordsSize {
		if err := unix.Ftruncate(f.fd, wordsAt+wordsSize); err != nil {
			return err
		}
	}
	var err error
	f.words, err = mapWords(f.fd)
	return err
}

func (f *file) closeFile() {
	f.words.unmapWords()
	for _, fd := range []*int{&f.fd, &f.slots} {
		if *fd >= 0 {
			_ = unix.Close(*fd)
		}
		*fd = -1 // it may be closed again, when the number is another's
	}
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
	r.letGo()
	if r.next != nil {
		r.next.Close()
	}
}

// letGo lets go of the file.
func (r *Resource) letGo() {
	if r.release != nil {
		r.release()
		r.release = nil
	}
	r.file.closeFile()
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

// enterState waits until lock has locked the state, reads it, and gives it with the time. It is an error
// if ctx is cancelled first (its cause), if locks do not work here, or errRemoved.
func (r *Resource) enterState(ctx context.Context, lock func() (bool, error)) (*state, time.Duration, error) {
	for since := r.clock.Now(); ctx.Err() == nil; {
		select {
		case r.inside <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		if locked, err := lock(); locked {
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
func (r *Resource) enterBriefly(ctx context.Context) (*state, time.Duration) {
	select {
	case r.inside <- struct{}{}:
		if locked, _ := r.lockState(); locked { // nearly always, and no timer is needed
			return r.readState()
		}
		<-r.inside
	default:
	}
	within := func(ctx context.Context, d time.Duration) (*state, time.Duration) {
		ctx, done := backoff.WithDeadline(ctx, r.clock, r.clock.Now()+d, errStopped)
		defer done()
		s, now, _ := r.enterState(ctx, r.lockState)
		return s, now
	}
	s, now := within(ctx, timeToLeave)
	if s == nil && ctx.Err() != nil {
		s, now = within(context.Background(), timeAfterTheStop)
	}
	return s, now
}

var errStopped = errors.New("somebody has its state and does not give it back; was a shell stopped?")

// lockState locks the state for this process, if nobody has it.
func (r *Resource) lockState() (bool, error) {
	locked, err := lockByte(r.file.fd, mutexAt)
	if err != nil {
		return false, fmt.Errorf("resource %s: %s does not lock files: %w", r.name, r.folder.path, err)
	}
	return locked, nil
}

// lockPresent is lock for the file that all others use, too.
func (r *Resource) lockPresent() (bool, error) {
	locked, err := r.lockState()
	switch {
	case !locked || r.isSameFile():
		return locked, err
	case r.isIdle():
		return false, r.reopenFile() // and try that
	}
	unlockByte(r.file.fd, mutexAt)
	return false, errRemoved
}

// errRemoved tells that the file was removed while somebody of this process was inside, or in line.
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

// isSameFile reports whether the file is still the one of that name, which all others use.
func (r *Resource) isSameFile() bool {
	var ours, named unix.Stat_t
	if err := unix.Fstat(r.file.fd, &ours); err != nil {
		return true // it is not to be told, and the next call will say why
	}
	err := unix.Lstat(r.Path(), &named)
	return err == nil && named.Dev == ours.Dev && named.Ino == ours.Ino
}

// isIdle reports whether nothing of this process depends on the file.
func (r *Resource) isIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passes == 0 && len(r.waiters.ready)+len(r.waiters.retries) == 0
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

// reopenFile goes over to the file that has the name now.
func (r *Resource) reopenFile() error {
	r.waking.Lock()
	defer r.waking.Unlock()
	r.letGo()
	return r.openFile(unix.O_CREAT)
}

// newState is the state to begin with where there is none, or none that can be
// read. Tickets that are locked stay valid.
func (r *Resource) newState() *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &state{heir: true}
	for _, retry := range []bool{false, true} {
		next, from := int64(0), ticketPlace(shared.Ticket{Retry: retry})
		if at, found := highestLocked(r.file.fd, from, from+1<<59); found {
			next = at - from + 1
		}
		for _, w := range *r.waiters.lineOf(retry) {
			next = max(next, w.Number+1)
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
