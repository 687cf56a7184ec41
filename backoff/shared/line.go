package shared

import (
	"time"

	"ftsh/backoff"
)

// line is one of the two lines of a resource: tickets are numbered in the order in
// which they are given out.
type line struct {
	Next   int64         // the next ticket to be given out
	Head   int64         // all before it are used up
	Passed int64         // those before it that still wait were passed over
	First  int64         // the ticket whose turn it was last; or nobody
	Due    time.Duration // by when whoever has that looks again, or should
}

const nobody = -1

// Ticket is a place in a line.
type Ticket struct {
	Retry  bool // in the line of the retries before the budget; else in that before slots, breaker and floor
	Number int64
}

// tickets are those of whoever still waits.
type tickets interface {
	// First is the lowest ticket of a line from that one on and below end; false if
	// nobody has one of them.
	First(from Ticket, end int64) (number int64, found bool)
}

// holders knows what a state cannot: who of those who wait or have a slot is still
// there. Shells are killed without having a chance to say so.
type holders interface {
	tickets
	// Join gives somebody a ticket, and Part takes it back.
	Join(Ticket) error
	Part(Ticket)
	// TakeSlot takes one of so many slots, 0 for any number; it reports whether one was free.
	TakeSlot(slots int) (bool, error)
}

// How often a waiter looks by itself, in case whoever should have woken it was
// killed: the first in line every second, as a slot may be free by the death of
// who had it; the tenth every twenty. Where many were killed at once those who knew
// of their turn may be among them: so all of a short line look soon, of 40 within 24 seconds.
// A line of 500 has ten looks a second. Who waits for a time that is known need not look earlier.
const (
	firstLooks    = time.Second
	looksByPlace  = 2 * time.Second
	looksByTicket = 600 * time.Millisecond // of all since that of the first, also of those who went
	rarestLook    = time.Minute
)

// patience limits the time that a waiter whose turn it is may take to look before it is
// passed over: it was stopped, most likely.
const patience = 2 * time.Second

// wokenAhead limits who is woken besides the first in line: those at so many places behind it learn that
// their turn is near, and look every few seconds from then on. So it does no harm if
// whoever is first is killed at the very moment in which it was woken.
const wokenAhead = 2

func (a *Admission) lineFor(retry bool) *line {
	if retry {
		return &a.Retries
	}
	return &a.Ready
}

// Begin has the tickets of a line begin with that number, where their holders may still
// have those before it though nothing else is known any more.
func (a *Admission) Begin(retry bool, next int64) {
	*a.lineFor(retry) = line{Next: next, First: nobody}
}

// firstInLine gives the ticket of a line whose turn it is; false, and the next to be given
// out, if nobody waits but who was passed over. What is used up is left behind for good.
func (a *Admission) firstInLine(retry bool, h tickets) (number int64, found bool) {
	l := a.lineFor(retry)
	if l.Head == l.Next {
		return l.Next, false // the usual case costs nothing
	}
	if number, found = h.First(Ticket{retry, l.Head}, l.Next); !found {
		number = l.Next
	}
	l.Head = number
	if l.Passed > number {
		if number, found = h.First(Ticket{retry, l.Passed}, l.Next); !found {
			number = l.Next
		}
	}
	return number, found
}

// callFirst has the first in line look, and gives its ticket; false if nobody waits.
func (a *Admission) callFirst(retry bool, now time.Duration, h tickets) (t Ticket, found bool) {
	number, found := a.firstInLine(retry, h)
	if l := a.lineFor(retry); found {
		if l.First != number {
			l.First, l.Due = number, now
		}
		l.Due = min(l.Due, now)
	}
	return Ticket{retry, number}, found
}

// nextToWake lists whom to wake when somebody has left a line or an attempt: the first in
// that line, and where the budget now allows another retry, the first who waits for it.
func (a *Admission) nextToWake(retry bool, now time.Duration, h tickets) (list []Ticket) {
	t, found := a.callFirst(retry, now, h)
	if found {
		list = append(list, t)
	}
	if retry {
		return list
	}
	if !found {
		a.Breaker.Ramp = 0 // nobody stands before the breaker any more
	}
	if !a.Rules.Budgeted || a.Budget.affordsRetry(now, &a.Rules) {
		if t, found := a.callFirst(true, now, h); found {
			list = append(list, t)
		}
	}
	return list
}

// near lists those who wait right behind the first in line, below end: as many as are woken besides it.
func near(first Ticket, end int64, h tickets) (list []Ticket) {
	after := first.Number
	for range wokenAhead {
		number, found := h.First(Ticket{first.Retry, after + 1}, end)
		if !found {
			break
		}
		list = append(list, Ticket{first.Retry, number})
		after = number
	}
	return list
}

// placeOf counts the places from the first in line to a ticket: of who is near, exactly; else as if all who had a
// ticket between were still there.
func placeOf(t Ticket, first int64, h tickets) int64 {
	if between := len(near(Ticket{t.Retry, first}, t.Number, h)); between < wokenAhead {
		return int64(between) + 1
	}
	return t.Number - first
}

// whoseTurn gives the ticket whose turn it is, and reports whether it is that of a visit:
// it has the ticket, or nobody waits. If not, wake lists who may not know of its turn
// yet. A first that should have looked and has not is passed over.
func (a *Admission) whoseTurn(v *Visit, retry bool, now time.Duration, h tickets) (first int64, own bool,
	wake []Ticket) {
	l := a.lineFor(retry)
	waits := v.waitsIn(retry)
	first, others := a.firstInLine(retry, h)
	if waits && v.ticket.Number < first { // it was passed over, and moves again
		l.Passed, first = v.ticket.Number, v.ticket.Number
	}
	if !others || waits && v.ticket.Number == first {
		return first, true, nil
	}
	if l.First == first && now > l.Due+patience {
		l.Passed = first + 1
		if first, others = a.firstInLine(retry, h); !others || waits && v.ticket.Number == first {
			return first, true, nil
		}
	}
	if l.First != first {
		t, _ := a.callFirst(retry, now, h) // who was first has gone, and the next may not know
		wake = append(wake, t)
	}
	return first, false, wake
}

// stayWaiting notes that a visit goes on waiting, and says when it looks again.
func (l *line) stayWaiting(v *Visit, first int64, own bool, now, until time.Duration, h tickets) time.Duration {
	if own {
		l.First, l.Due = v.ticket.Number, now+rarestLook
		if until == backoff.Never {
			l.Due = now + firstLooks
		}
		l.Due = min(l.Due, until)
		return l.Due
	}
	place := placeOf(v.ticket, first, h)
	if place == 1 {
		return now + firstLooks // and passes the first over, if that does not move
	}
	return now + min(looksByPlace*time.Duration(place), looksByTicket*time.Duration(l.Next-first), rarestLook)
}
