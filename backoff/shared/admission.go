package shared

import (
	"time"

	"ftsh/backoff"
)

// Admission decides who may make an attempt by way of a resource: it holds all that
// its users know together. The zero Admission is that of a resource nobody has used.
//
// Its fields are there to be stored. Whoever keeps one calls its methods one at a
// time, and then wakes those whose tickets they return.
type Admission struct {
	Rules   Rules // of who used it last
	Budget  budget
	Breaker breaker
	Floor   time.Duration // no attempt before that (retryafter)
	Retries line          // of those who wait for the budget
	Ready   line          // after that: of those who wait for a slot, the breaker, the floor
}

// A Visit leads somebody to one attempt. The exported fields say what it wants.
type Visit struct {
	Rules    Rules
	Retry    bool          // it is not the first attempt of its try
	Deadline time.Duration // where the floor is later, there is no point in waiting
	Told     func(Wait)    // called when a wait begins and when its cause changes; may be nil

	ticket  Ticket
	waits   bool // it has the ticket
	counted bool // by the budget
	told    bool
	last    Cause // that was told
}

func (v *Visit) waitsIn(retry bool) bool { return v.waits && v.ticket.Retry == retry }

// Begun reports whether [Admission.Quit] has something to end.
func (v *Visit) Begun() bool { return v.waits || v.counted }

// tellWait announces a wait, unless one for the same cause was announced last.
func (v *Visit) tellWait(w *Wait) {
	if v.Told != nil && (!v.told || w.For != v.last) {
		v.Told(*w)
	}
	v.told, v.last = true, w.For
}

// Look lets a visit begin its attempt, or says what it waits for: then it is to look
// again when it is woken, and at the time said at the latest. After an error, or if it
// gives up, [Admission.Quit] has to be called; after the attempt [Admission.Leave].
func (a *Admission) Look(v *Visit, now time.Duration, h holders) (wait *Wait, wake []Ticket, err error) {
	a.Rules = v.Rules
	if v.Retry && v.Rules.Budgeted && !v.counted {
		if wait, wake, err = a.standInLine(v, true, now, h); wait != nil || err != nil {
			return wait, wake, err
		}
	}
	wait, more, err := a.standInLine(v, false, now, h)
	return wait, append(wake, more...), err
}

// standInLine has a visit go through a line, or wait in it.
func (a *Admission) standInLine(v *Visit, retry bool, now time.Duration, h holders) (*Wait, []Ticket, error) {
	first, own, wake := a.whoseTurn(v, retry, now, h)
	wait := &Wait{For: ForTurn, Until: backoff.Never}
	if own {
		if !retry && !v.waits {
			a.Breaker.Ramp = 0 // nobody stands before the breaker
		}
		var err error
		if wait, err = a.passGate(v, retry, now, h); err != nil {
			return nil, wake, err
		}
		if wait == nil {
			return nil, append(wake, a.leaveLine(v, retry, now, h)...), nil
		}
	}
	l := a.lineFor(retry)
	if !v.waits {
		v.ticket = Ticket{retry, l.Next}
		if err := h.Join(v.ticket); err != nil {
			return nil, wake, err
		}
		v.waits = true
		l.Next++
	}
	wait.Before = int(v.ticket.Number - l.Head)
	wait.Again = l.stayWaiting(v, first, own, now, wait.Until, h)
	v.tellWait(wait)
	return wait, wake, nil
}

// passGate lets the visit whose turn it is through, or says what it waits for.
func (a *Admission) passGate(v *Visit, retry bool, now time.Duration, h holders) (*Wait, error) {
	switch {
	case retry && !a.Budget.affordsRetry(now, &a.Rules):
		return &Wait{For: ForBudget, Until: a.Budget.nextChange(now, &a.Rules)}, nil
	case retry:
		a.countAttempt(v, now, 1)
		return nil, nil
	case now < a.Floor && a.Floor >= v.Deadline:
		return nil, ErrTooLate
	case now < a.Floor:
		return &Wait{For: forFloor, Until: a.Floor}, nil
	case !a.Breaker.admitsAttempt(now, &a.Rules):
		return &Wait{For: ForBreaker, Until: a.Breaker.Next}, nil
	}
	if got, err := h.TakeSlot(int(v.Rules.Slots)); !got {
		return &Wait{For: ForSlot, Until: backoff.Never}, err
	}
	a.Breaker.noteBegin(now, &a.Rules)
	if !v.counted {
		a.countAttempt(v, now, 1)
	}
	return nil, nil
}

// countAttempt has the budget count the attempt of a visit, or with -1 forget it.
func (a *Admission) countAttempt(v *Visit, now time.Duration, n int32) {
	a.Budget.countAttempts(now, &a.Rules, v.Retry, n)
	v.counted = n > 0
}

// leaveLine takes a visit out of its line, and lists whom to wake.
func (a *Admission) leaveLine(v *Visit, retry bool, now time.Duration, h holders) []Ticket {
	if !v.waits {
		return a.nextToWake(retry, now, h)
	}
	v.waits = false
	h.Part(v.ticket)
	wake := a.nextToWake(retry, now, h)
	if len(wake) > 0 && wake[0].Retry == retry {
		wake = append(wake, near(wake[0], a.lineFor(retry).Next, h)...)
	}
	return wake
}

// Quit ends a visit that makes no attempt, and lists whom to wake.
func (a *Admission) Quit(v *Visit, now time.Duration, h holders) []Ticket {
	a.Rules = v.Rules
	if v.counted {
		a.countAttempt(v, now, -1)
	}
	return a.leaveLine(v, v.ticket.Retry, now, h)
}

// Leave ends an attempt, whose slot the caller has freed, and lists whom to wake. No
// attempt of anybody starts before floor then; 0: none.
func (a *Admission) Leave(v *Visit, how Ending, floor, now time.Duration, h tickets) (Change, []Ticket) {
	a.Rules = v.Rules
	change := Change{}
	switch how {
	case Succeeded, Failed:
		change = a.Breaker.noteEnd(now, &a.Rules, how == Succeeded)
	case Deferred:
		a.countAttempt(v, now, -1)
	}
	a.Floor = max(a.Floor, floor)
	change.Floor = a.Floor
	return change, a.nextToWake(false, now, h)
}

// Forget is the state after somebody has reset it: with nothing counted, and the lines
// as they are. It lists whom to wake.
func (a *Admission) Forget(now time.Duration, h tickets) []Ticket {
	*a = Admission{Rules: a.Rules, Retries: a.Retries, Ready: a.Ready}
	return a.nextToWake(false, now, h)
}

// Attempts returns how many the budget counts now, how many retries among them, and how
// many more retries it allows; +Inf: any number.
func (a *Admission) Attempts(now time.Duration) (all, retries, left float64) {
	window := a.Rules.budgetWindow()
	return a.Budget.Attempts.Sum(now, window), a.Budget.Retries.Sum(now, window), a.Budget.retriesLeft(now, &a.Rules)
}

// The remaining methods are for whoever keeps no lines: clients that are turned away
// come again when it pleases them.

// Count has the budget count an attempt.
func (a *Admission) Count(now time.Duration, retry bool) {
	a.Budget.countAttempts(now, &a.Rules, retry, 1)
}

// Affords reports whether the budget allows a retry.
func (a *Admission) Affords(now time.Duration) bool {
	return !a.Rules.Budgeted || a.Budget.affordsRetry(now, &a.Rules)
}

// Admits reports whether the breaker lets an attempt through, which then is under way.
// Nobody is known to wait, so the ramp ends when nobody uses what it lets through.
func (a *Admission) Admits(now time.Duration) bool {
	if a.Breaker.Ramp > max(a.Rules.Failures, 2*perSuccess) {
		a.Breaker.Ramp = 0
	}
	ok := a.Breaker.admitsAttempt(now, &a.Rules)
	if ok {
		a.Breaker.noteBegin(now, &a.Rules)
	}
	return ok
}

// End tells the breaker how such an attempt ended.
func (a *Admission) End(now time.Duration, ok bool) Change {
	return a.Breaker.noteEnd(now, &a.Rules, ok)
}
