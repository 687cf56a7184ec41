package locked

import (
	"context"
	"slices"
	"time"

	"ftsh/backoff"
)

// waiter is somebody of this process in a line.
type waiter struct {
	bell
	lead chan struct{} // closed when it is the first of its process: it sleeps for all
}

// bell is that of a ticket.
type bell struct {
	line   int
	ticket int64
}

// place is where in the file the ticket is locked.
func (b bell) place() int64 { return base(b.line) + b.ticket }

// base is where a line's tickets begin.
func base(line int) int64 {
	if line == retries {
		return retriesAt
	}
	return readyAt
}

// first gives the lowest ticket of a line that somebody living has; false if
// nobody waits. What is used up is passed over for good.
func (r *Resource) first(s *state, line int) (ticket int64, found bool) {
	c := &s.line[line]
	if c.head == c.next {
		return c.head, false // the usual case costs nothing
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ticket = c.next
	if own := r.queue[line]; len(own) > 0 {
		ticket, found = own[0].ticket, true // to ourselves our own locks are none
	}
	if at, others := lowest(r.file.fd, base(line)+c.head, base(line)+ticket); others {
		ticket, found = at-base(line), true
	}
	c.head = ticket
	return ticket, found
}

// rings are the bells to ring when somebody has left a line or an attempt: that
// of the first in line, and where the budget now allows another retry, that of
// the first who waits for it.
func (r *Resource) rings(s *state, now time.Duration, line int) (list []bell) {
	ticket, found := r.first(s, line)
	if found {
		list = append(list, bell{line, ticket})
	}
	if line == ready && !found {
		s.calm()
	}
	if line == ready && s.affords(now) {
		if ticket, found := r.first(s, retries); found {
			list = append(list, bell{retries, ticket})
		}
	}
	return list
}

// join gives a waiter the next ticket.
func (r *Resource) join(s *state, line int) (*waiter, error) {
	c := &s.line[line]
	w := &waiter{bell: bell{line, c.next}, lead: make(chan struct{})}
	if _, err := lock(r.file.fd, w.place()); err != nil {
		return nil, err
	}
	c.next++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue[line] = append(r.queue[line], w)
	if len(r.queue[line]) == 1 {
		close(w.lead)
	}
	return w, nil
}

// part gives the ticket up.
func (r *Resource) part(w *waiter) {
	unlock(r.file.fd, w.place())
	r.mu.Lock()
	defer r.mu.Unlock()
	n := slices.Index(r.queue[w.line], w)
	r.queue[w.line] = slices.Delete(r.queue[w.line], n, n+1)
	if n == 0 && len(r.queue[w.line]) > 0 {
		close(r.queue[w.line][0].lead)
	}
}

// gate tells whether who stands first may go through now, and takes note of it;
// else what it waits for.
type gate func(s *state, now time.Duration) (Wait, bool, error)

// stander is somebody who wants to go through a line.
type stander struct {
	line  int
	rules Rules
	gate  gate
	told  func(Wait) // called before each wait
	*waiter
}

// stand goes through a line, and waits in it if it has to.
func (r *Resource) stand(ctx context.Context, st *stander) error {
	if err := r.arrive(ctx, st); st.waiter == nil || err != nil {
		return err
	}
	rung := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		r.ring(st.bell)
		close(rung)
	})
	defer func() {
		if !stop() {
			<-rung
		}
	}()
	for {
		shown := r.file.bells.read(st.word())
		again, through, err := r.advance(ctx, st)
		if through {
			return nil
		}
		if err != nil {
			r.abandon(ctx, st.waiter)
			return err
		}
		r.sleep(ctx, st.waiter, shown, again)
	}
}

// arrive goes through at once, or joins the line.
func (r *Resource) arrive(ctx context.Context, st *stander) error {
	s, now, err := r.enter(ctx)
	if err != nil {
		return err
	}
	s.rules = st.rules
	wait, head := Wait{For: Turn, Until: backoff.Never}, s.line[st.line].head
	var list []bell
	switch _, others := r.first(s, st.line); {
	case !others:
		if st.line == ready {
			s.calm()
		}
		through := false
		if wait, through, err = st.gate(s, now); through {
			return r.leave(s, now, r.rings(s, now, st.line)...)
		}
	case head != s.line[st.line].head: // who was first has died, and the next may not know
		list = r.rings(s, now, st.line)
	}
	if err == nil {
		st.waiter, err = r.join(s, st.line)
	}
	if err != nil {
		r.quit()
		return err
	}
	wait.Before = int(st.ticket - s.line[st.line].head)
	st.told(wait)
	return r.leave(s, now, list...)
}

// How often a waiter looks by itself, in case whoever should have rung was killed:
// the first in line every second, as a slot may be free by the death of who had it; the
// tenth every twenty. In a line of 500 that makes ten looks a second. Who waits for a
// time that is known need not look for it earlier.
const (
	glance     = time.Second
	perPlace   = 2 * time.Second
	lastGlance = time.Minute
)

// toldAt is the place in line at which a waiter is rung besides, to learn that its turn is
// near: it looks every few seconds from then on. So it does no harm if whoever
// is first is killed at the very moment in which it was rung.
const toldAt = 2

// advance looks whether it is a waiter's turn, and lets it through if it can; else
// it says when to look again.
func (r *Resource) advance(ctx context.Context, st *stander) (again time.Duration, through bool, err error) {
	s, now, err := r.enter(ctx)
	if err != nil {
		return 0, false, err
	}
	s.rules = st.rules
	if first, _ := r.first(s, st.line); first != st.ticket {
		again = now + min(perPlace*time.Duration(st.ticket-first), lastGlance)
		return again, false, r.leave(s, now)
	}
	wait, through, err := st.gate(s, now)
	if err != nil {
		r.quit()
		return 0, false, err
	}
	if through {
		r.part(st.waiter)
		s.line[st.line].head = st.ticket + 1
		list := append(r.rings(s, now, st.line), bell{st.line, st.ticket + 1 + toldAt})
		return 0, true, r.leave(s, now, list...)
	}
	st.told(wait)
	if again = now + lastGlance; wait.Until == backoff.Never {
		again = now + glance
	}
	return min(again, wait.Until), false, r.leave(s, now)
}

// abandon takes somebody out of a line who goes no further, and wakes the next.
func (r *Resource) abandon(ctx context.Context, w *waiter) {
	r.part(w)
	if s, now := r.briefly(ctx); s != nil {
		_ = r.leave(s, now, append(r.rings(s, now, w.line), bell{w.line, w.ticket + 1 + toldAt})...)
		return
	}
	r.hint()
}

// hint rings for who could not get at the state in time: the lowest tickets of both lines,
// by a look at the state that others may be changing. It is no more than a hint: who
// is rung sees for itself.
func (r *Resource) hint() {
	s, whole := (&record{fd: r.file.fd}).read(r.folder.boot)
	if !whole {
		return
	}
	for _, line := range []int{ready, retries} {
		if ticket, found := r.first(s, line); found {
			r.ring(bell{line, ticket})
		}
	}
}

// sleep sleeps until a bell is rung, or until then. Only the first of this process
// does: the others wait to be it.
func (r *Resource) sleep(ctx context.Context, w *waiter, shown uint32, until time.Duration) {
	select {
	case <-w.lead:
	default:
		select {
		case <-w.lead:
		case <-ctx.Done():
		}
		return // and look at the bell afresh
	}
	if ctx.Err() != nil {
		return
	}
	timer := r.clock.AfterFunc(until, func() { r.ring(w.bell) })
	defer timer.Stop()
	if !r.file.bells.sleep(w.word(), shown) {
		_ = backoff.Sleep(ctx, r.clock, min(until, r.clock.Now()+glance))
	}
}
