package shared

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestBudgetShare asks for a retry again and again beside first attempts: however they
// come, no retry makes them more than the share of all attempts, or than what is
// allowed in a minute.
func TestBudgetShare(t *testing.T) {
	for _, percent := range []float64{0, 10, 50, 100} {
		dice := rand.New(rand.NewPCG(1, uint64(percent)))
		a := Admission{Rules: Rules{Budgeted: true, Percent: percent, PerMinute: 5}}
		now := time.Duration(0)
		for range 20_000 {
			now += time.Duration(dice.IntN(2000)) * time.Millisecond
			retry := dice.IntN(3) > 0
			_, _, left := a.Attempts(now)
			if retry && a.Affords(now) != (left >= 1) {
				t.Fatalf("%v %%: %v left, and it says %v", percent, left, a.Affords(now))
			}
			if retry && !a.Affords(now) {
				continue
			}
			a.Count(now, retry)
			attempts, retries, _ := a.Attempts(now)
			if lately := a.Budget.LastMinute.Sum(now, time.Minute); retry && retries > percent/100*attempts && lately > 5 ||
				attempts < retries {
				t.Fatalf("%v %%: %v retries of %v attempts, %v of them lately", percent, retries, attempts, lately)
			}
		}
	}
}

func TestBudgetLeft(t *testing.T) {
	for _, test := range []struct{ percent, perMinute, attempts, retries, lately, want float64 }{
		{10, 10, 0, 0, 0, 10}, {10, 10, 10, 10, 10, 0}, {10, 10, 100, 5, 5, 5}, {10, 10, 1000, 10, 10, 100},
		{10, 10, 1000, 100, 10, 0},
		{10, 10, 1000, 100, 3, 7}, {0, 10, 500, 3, 3, 7}, {100, 10, 5, 5, 5, math.Inf(1)},
		{10, 0, 0, 0, 0, 60}, {10, -1, 0, 0, 0, 0}, {10, -1, 100, 1, 1, 10},
	} {
		a := Admission{Rules: Rules{Budgeted: true, Percent: test.percent, PerMinute: test.perMinute}}
		a.Budget.Attempts.Counts[0], a.Budget.Retries.Counts[0] = int32(test.attempts), int32(test.retries)
		a.Budget.LastMinute.Counts[0] = int32(test.lately)
		if _, _, got := a.Attempts(0); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestBudgetForgets has retries grow old: after a minute, and a slice of it, another is
// allowed. A waiting retry looks again at the moments at which that can happen.
func TestBudgetForgets(t *testing.T) {
	a := Admission{Rules: Rules{Budgeted: true, PerMinute: 1}}
	a.Count(500*time.Millisecond, true)
	now := time.Second
	for ; !a.Affords(now); now = a.Budget.nextChange(now, &a.Rules) {
		if all, retries, _ := a.Attempts(now); all != 1 || retries != 1 {
			t.Fatalf("at %v: %v, %v", now, all, retries)
		}
	}
	if now < time.Minute || now > 64*time.Second {
		t.Errorf("forgotten at %v", now)
	}
}

// TestBreaker goes through the life of a breaker.
func TestBreaker(t *testing.T) {
	a := Admission{Rules: Rules{Failures: 3, Within: 10 * time.Second, Probe: 5 * time.Second}}
	const s = time.Second
	for _, step := range []struct {
		at     time.Duration
		failed bool // an attempt ends so; else it is asked
		ok     bool
		open   bool
	}{
		{0, true, false, false}, {1 * s, true, false, false}, {11 * s, true, false, false}, // the first is too old
		{11 * s, false, true, false}, {12 * s, true, false, false}, {13 * s, true, false, true}, // three in ten seconds
		// one probe
		{13 * s, false, false, true}, {17 * s, false, false, true}, {18 * s, false, true, true}, {18 * s, false, false, true},
		{20 * s, true, false, true}, {23 * s, false, true, true},
	} {
		if step.failed {
			a.End(step.at, false)
		} else if ok := a.Admits(step.at); ok != step.ok {
			t.Errorf("at %v: %v", step.at, ok)
		}
		if a.Breaker.Open != step.open {
			t.Errorf("at %v: open %v", step.at, a.Breaker.Open)
		}
	}
	if change := a.End(24*s, true); !change.Closed || len(a.Breaker.Recent) != 0 {
		t.Errorf("after a success: %v, %+v", change, a.Breaker)
	}
	for n, want := range []bool{true, true, false} { // then one per interval, or two for each success
		if ok := a.Admits(24 * s); ok != want {
			t.Errorf("attempt %d after it has closed: %v", n, ok)
		}
	}
	for range 3 {
		a.End(25*s, true)
	}
	for n := range 20 {
		if ok := a.Admits(26 * s); !ok {
			t.Errorf("attempt %d after the ramp: %v", n, ok)
		}
	}
}

// room is a resource in memory, for visits that all are alive.
type room struct {
	Admission
	*testing.T
	now   time.Duration
	taken int
	list  []Ticket
}

func (r *room) First(from Ticket, end int64) (number int64, found bool) {
	for _, t := range r.list {
		if t.Retry == from.Retry && t.Number >= from.Number && t.Number < end {
			end, found = t.Number, true
		}
	}
	return end, found
}

func (r *room) Join(t Ticket) error { r.list = append(r.list, t); return nil }

func (r *room) Part(parted Ticket) {
	for i, t := range r.list {
		if t == parted {
			r.list = append(r.list[:i:i], r.list[i+1:]...)
		}
	}
}

func (r *room) TakeSlot(slots int) (bool, error) {
	if slots > 0 && r.taken == slots {
		return false, nil
	}
	r.taken++
	return true, nil
}

// look has a visit look after that time, and holds what it is told.
func (r *room) look(v *Visit, after time.Duration, through bool, woken ...int64) *Wait {
	r.Helper()
	r.now += after
	wait, wake, err := r.Look(v, r.now, r)
	if err != nil || (wait == nil) != through {
		r.Errorf("at %v, ticket %v: %+v, %v; wanted through %v", r.now, v.ticket, wait, err, through)
	}
	r.holds(wake, woken)
	return wait
}

// leave ends the attempt of a visit.
func (r *room) leave(v *Visit, how Ending, woken ...int64) {
	r.Helper()
	r.taken--
	_, wake := r.Leave(v, how, 0, r.now, r)
	r.holds(wake, woken)
}

// holds compares those who are woken, but for those behind the first in line.
func (r *room) holds(wake []Ticket, want []int64) {
	r.Helper()
	for i, number := range want {
		if i >= len(wake) || wake[i].Number != number {
			r.Errorf("at %v, woken: %v, wanted %v", r.now, wake, want)
			return
		}
	}
}

// TestStoppedIsPassedOver stops the first in line: the second waits two seconds for it
// to move when its turn has come, and then goes first. When it moves again, it has its
// place back.
func TestStoppedIsPassedOver(t *testing.T) {
	r := &room{T: t}
	holder, stopped, second, third := Visit{Rules: Rules{Slots: 1}}, Visit{Rules: Rules{Slots: 1}}, Visit{
		Rules: Rules{Slots: 1}}, Visit{Rules: Rules{Slots: 1}}
	r.look(&holder, 0, true)
	r.look(&stopped, 0, false)
	r.look(&second, 0, false)
	r.leave(&holder, Succeeded, 0)
	wait := r.look(&second, time.Second, false) // the first has its time
	if wait.For != ForTurn || wait.Again > r.now+time.Second {
		t.Errorf("the second: %+v", wait)
	}
	r.look(&second, 1100*time.Millisecond, true)
	r.look(&third, 0, false)
	r.look(&stopped, time.Minute, false) // goes on, and finds the slot taken
	r.leave(&second, Succeeded, 0)
	r.look(&stopped, 0, true, 2)
	r.leave(&stopped, Succeeded, 2)
	r.look(&third, 0, true)
}

// TestStoppedHoldsUpNobody has somebody come while the only one who waits is stopped.
func TestStoppedHoldsUpNobody(t *testing.T) {
	r := &room{T: t}
	rules := Rules{Slots: 1}
	holder, stopped, newcomer, next := Visit{Rules: rules}, Visit{Rules: rules}, Visit{Rules: rules}, Visit{Rules: rules}
	r.look(&holder, 0, true)
	r.look(&stopped, 0, false)
	r.leave(&holder, Succeeded, 0)
	r.look(&newcomer, time.Minute, true)
	r.leave(&newcomer, Succeeded)
	r.look(&next, 0, true)
	r.leave(&next, Succeeded)
	r.look(&stopped, 0, true)
}

// TestRamp closes a breaker before a crowd: two go, and two more for each success.
func TestRamp(t *testing.T) {
	r := &room{T: t}
	rules := Rules{Failures: 1, Within: time.Hour, Probe: time.Minute}
	var visits [12]Visit
	for i := range visits {
		visits[i].Rules = rules
	}
	r.look(&visits[0], 0, true)
	r.look(&visits[1], 0, true)
	r.leave(&visits[1], Failed)
	for i := 2; i < len(visits); i++ {
		r.look(&visits[i], 0, false)
	}
	r.leave(&visits[0], Succeeded, 0)
	r.look(&visits[2], 0, true, 1)
	r.look(&visits[3], 0, true, 2)
	r.look(&visits[4], 0, false)
	r.leave(&visits[2], Undecided, 2)
	r.look(&visits[4], 0, false)
	r.leave(&visits[3], Succeeded, 2)
	r.look(&visits[4], 0, true, 3)
	r.look(&visits[5], 0, true, 4)
	r.look(&visits[6], 0, false)
	r.look(&visits[6], time.Minute, true, 5) // no success comes: one per interval
	r.look(&visits[7], 0, false)
	for i := 7; i < len(visits); i++ {
		r.Quit(&visits[i], r.now, r)
	}
	for range 20 { // nobody waits any more
		r.look(&Visit{Rules: rules}, 0, true)
	}
}

// TestQuitForgets has a retry that the budget has let through give up while it waits
// for a slot: it is not counted, and the next retry goes.
func TestQuitForgets(t *testing.T) {
	r := &room{T: t}
	rules := Rules{Slots: 1, Budgeted: true, PerMinute: 1}
	holder, retry, other := Visit{Rules: rules}, Visit{Rules: rules, Retry: true}, Visit{Rules: rules, Retry: true}
	r.look(&holder, 0, true)
	r.look(&retry, 0, false)
	if wait := r.look(&other, 0, false); wait.For != ForBudget {
		t.Errorf("%+v", wait)
	}
	wake := r.Quit(&retry, 0, r)
	if len(wake) == 0 || wake[0] != other.ticket {
		t.Errorf("woken: %v, wanted %v", wake, other.ticket)
	}
	if all, retries, _ := r.Attempts(0); all != 1 || retries != 0 {
		t.Errorf("%v, %v", all, retries)
	}
	if wait := r.look(&other, 0, false); wait.For != ForSlot {
		t.Errorf("%+v", wait)
	}
}
