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

// ticketPlace returns the offset of the byte in the file by which a ticket is locked.
func ticketPlace(t shared.Ticket) int64 {
	if t.Retry {
		return retriesAt + t.Number
	}
	return readyAt + t.Number
}

// tickets are those of everybody living. The state must be locked. They are looked for with the description of the
// slots, to which our own locks are like those of others; and slots with that of the tickets.
type tickets struct{ *Resource }

// First gives the lowest of a line, from that one on and below end.
func (r tickets) First(from shared.Ticket, end int64) (number int64, found bool) {
	first := ticketPlace(from)
	at, found := lowestLocked(r.file.slots, first, first+end-from.Number)
	if !found {
		return end, false
	}
	return from.Number + at - first, true
}

// visit is the way of somebody of this process to an attempt.
type visit struct {
	tickets
	want    shared.Visit
	waiter  *waiter // nil: it is in no line
	slot    int64   // where it is locked; 0: it has none
	removed int     // slots that are taken in files that were removed
}

// Join locks a ticket.
func (v *visit) Join(t shared.Ticket) error {
	if _, err := lockByte(v.file.fd, ticketPlace(t)); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waiter = &waiter{Ticket: t, value: v.file.words.readWord(wordOf(t)), lead: make(chan struct{})}
	v.waiters[t.Retry] = append(v.waiters[t.Retry], v.waiter)
	if len(v.waiters[t.Retry]) == 1 {
		close(v.waiter.lead)
	}
	return nil
}

// Part gives the ticket up.
func (v *visit) Part(t shared.Ticket) {
	unlockByte(v.file.fd, ticketPlace(t))
	v.mu.Lock()
	defer v.mu.Unlock()
	n := slices.Index(v.waiters[t.Retry], v.waiter)
	line := slices.Delete(v.waiters[t.Retry], n, n+1)
	v.waiter, v.waiters[t.Retry] = nil, line
	if n == 0 && len(line) > 0 {
		close(line[0].lead)
	}
}

// TakeSlot takes one of so many slots; 0: any number.
func (v *visit) TakeSlot(slots int) (bool, error) {
	for slot := int64(slotsAt); slot < slotsAt+int64(slots-v.removed); slot++ {
		if _, taken := lockedByte(v.file.fd, slot, slot+1); taken {
			continue
		}
		if got, err := lockByte(v.file.slots, slot); !got {
			return false, err
		}
		v.slot = slot
		if v.keep != nil && v.release == nil {
			v.release = v.keep(v.file.slots)
		}
		return true, nil
	}
	return slots == 0, nil
}

// freeSlot gives back what TakeSlot took.
func (v *visit) freeSlot() {
	if v.slot != 0 {
		unlockByte(v.file.slots, v.slot)
		v.slot = 0
	}
}

// standInLine waits until the attempt may begin.
func (v *visit) standInLine(ctx context.Context) error {
	again, err := v.lookForTurn(ctx)
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
	s, now, err := v.enterState(ctx, true)
	if err != nil {
		return 0, err
	}
	if s.heir && v.want.Rules.Slots > 0 {
		v.removed, s.heir = v.takenInRemoved()
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
	if !v.want.Begun() {
		return
	}
	if s, now := v.enterBriefly(ctx); s != nil {
		_ = v.leaveState(s, now, s.Quit(&v.want, now, v)...)
		return
	}
	if v.waiter != nil { // the next finds out by itself
		v.Part(v.waiter.Ticket)
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
	look := func() { r.wakeWaiter(w.Ticket) }
	defer context.AfterFunc(ctx, look)()
	timer := r.clock.AfterFunc(until, look)
	defer timer.Stop()
	if !r.file.words.sleepOnWord(wordOf(w.Ticket), w.value) {
		_ = backoff.Sleep(ctx, r.clock, min(until, r.clock.Now()+time.Second))
	}
}
