package locked

import (
	"context"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
)

// waiter is somebody of this process in a line.
type waiter struct {
	shared.Ticket
	value uint32        // of its word, before it last looked: when the word has another, it looks again
	lead  chan struct{} // closed when it is the first of its process: it sleeps for all
}

// waiters are those of this process in both lines, by their tickets.
type waiters struct{ ready, retries []*waiter }

func (w *waiters) lineOf(retry bool) *[]*waiter {
	if retry {
		return &w.retries
	}
	return &w.ready
}

// ticketPlace returns the offset of the byte in the file by which a ticket is locked.
func ticketPlace(t shared.Ticket) int64 {
	if t.Retry {
		return retriesAt + t.Number
	}
	return readyAt + t.Number
}

// tickets are those of everybody living. The state must be locked.
type tickets struct{ *Resource }

// First gives the lowest of a line, from that one on and below end.
func (r tickets) First(from shared.Ticket, end int64) (number int64, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range *r.waiters.lineOf(from.Retry) { // to ourselves our own locks are none
		if w.Number >= from.Number && w.Number < end {
			end, found = w.Number, true
			break
		}
	}
	first := ticketPlace(from)
	if at, others := lowestLocked(r.file.fd, first, first+end-from.Number); others {
		return from.Number + at - first, true
	}
	return end, found
}

// visit is the way of somebody of this process to an attempt.
type visit struct {
	tickets
	want    shared.Visit
	waiter  *waiter // nil: it is in no line
	slot    int     // noSlot: it has none
	entered bool    // the attempt is under way
	formers formers // whose slots are taken, too
}

const noSlot = -1

// Join locks a ticket.
func (v *visit) Join(t shared.Ticket) error {
	if _, err := lockByte(v.file.fd, ticketPlace(t)); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waiter = &waiter{Ticket: t, value: v.file.words.readWord(wordOf(t)), lead: make(chan struct{})}
	line := v.waiters.lineOf(t.Retry)
	*line = append(*line, v.waiter)
	if len(*line) == 1 {
		close(v.waiter.lead)
	}
	return nil
}

// Part gives the ticket up.
func (v *visit) Part(t shared.Ticket) {
	unlockByte(v.file.fd, ticketPlace(t))
	v.mu.Lock()
	defer v.mu.Unlock()
	line := v.waiters.lineOf(t.Retry)
	n := slices.Index(*line, v.waiter)
	v.waiter = nil
	*line = slices.Delete(*line, n, n+1)
	if n == 0 && len(*line) > 0 {
		close((*line)[0].lead)
	}
}

// TakeSlot takes one of so many slots; 0: any number.
func (v *visit) TakeSlot(slots int) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for slot := range slots {
		if v.slots[slot] || v.formers.holdsLock(slotsAt+int64(slot), 1) {
			continue
		}
		got, err := lockByte(v.file.slots, slotsAt+int64(slot))
		if err != nil {
			return false, err
		}
		if got {
			v.slots[slot] = true
			v.slot = slot
			if v.keep != nil && v.release == nil {
				v.release = v.keep(v.file.slots)
			}
			break
		}
	}
	v.entered = slots == 0 || v.slot != noSlot
	if v.entered {
		v.passes++
	}
	return v.entered, nil
}

// freeSlot gives back what TakeSlot took, but for being counted: see [visit.attemptOver].
func (v *visit) freeSlot() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.slot != noSlot {
		delete(v.slots, v.slot)
		unlockByte(v.file.slots, slotsAt+int64(v.slot))
		v.slot = noSlot
	}
}

// attemptOver notes that the attempt is no longer under way.
func (v *visit) attemptOver() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.passes--
}

// standInLine waits until the attempt may begin.
func (v *visit) standInLine(ctx context.Context) error {
	again, err := v.lookForTurn(ctx)
	if v.waiter == nil || err != nil {
		return err
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		v.mu.Lock()
		w := v.waiter // perhaps of the other line by now
		v.mu.Unlock()
		if w != nil {
			v.wakeWaiter(w.Ticket)
		}
		close(woken)
	})
	defer func() {
		if !stop() {
			<-woken
		}
	}()
	for v.waiter != nil && err == nil {
		v.sleepOn(ctx, v.waiter, again)
		v.waiter.value = v.file.words.readWord(wordOf(v.waiter.Ticket))
		again, err = v.lookForTurn(ctx)
	}
	return err
}

// lookForTurn looks whether the attempt may begin; if not, there is a waiter, and it says when
// that is to look again.
func (v *visit) lookForTurn(ctx context.Context) (again time.Duration, err error) {
	s, now, err := v.enterState(ctx, v.lockPresent)
	if err != nil {
		return 0, err
	}
	if s.heir && v.want.Rules.Slots > 0 {
		v.formers, s.heir = v.findFormers()
		defer v.formers.closeAll()
	}
	wait, wake, err := s.Look(&v.want, now, v)
	if err != nil {
		v.unlockState()
		return 0, err
	}
	if wait != nil {
		again = wait.Again
	}
	return again, v.leaveState(s, now, wake...)
}

// abandonVisit ends a visit that makes no attempt, and wakes the next.
func (v *visit) abandonVisit(ctx context.Context) {
	v.freeSlot()
	if v.entered {
		defer v.attemptOver()
	}
	if !v.want.Begun() {
		return
	}
	if s, now := v.enterBriefly(ctx); s != nil {
		_ = v.leaveState(s, now, s.Quit(&v.want, now, v)...)
		return
	}
	if v.waiter != nil {
		v.Part(v.waiter.Ticket)
	}
	v.wakeFirst()
}

// wakeFirst wakes those who are first in both lines, for who could not get at the state in
// time, by a look at the state that others may be changing. It is no more than a hint:
// who is woken sees for itself.
func (r *Resource) wakeFirst() {
	s, whole := readState(r.file.fd, r.folder.boot)
	if !whole {
		return
	}
	for _, t := range s.Firsts(tickets{r}) {
		r.wakeWaiter(t)
	}
}

// sleepOn sleeps until a waiter's word is written to, or until then. Only the first of
// this process does: the others wait to be it.
func (r *Resource) sleepOn(ctx context.Context, w *waiter, until time.Duration) {
	select {
	case <-w.lead:
	default:
		select {
		case <-w.lead:
		case <-ctx.Done():
		}
		return // and look at the word afresh
	}
	if ctx.Err() != nil {
		return
	}
	timer := r.clock.AfterFunc(until, func() { r.wakeWaiter(w.Ticket) })
	defer timer.Stop()
	if !r.file.words.sleepOnWord(wordOf(w.Ticket), w.value) {
		_ = backoff.Sleep(ctx, r.clock, min(until, r.clock.Now()+time.Second))
	}
}
