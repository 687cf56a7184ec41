package locked

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/process/clock"
)

func TestBudget(t *testing.T) {
	dir := stateDir(t)
	r := shell(t, dir, "api")
	q := shared.Visit{Rules: shared.Rules{Budgeted: true, Percent: 10, PerMinute: 10}}
	retry := q
	retry.Retry = true
	for range 10 {
		enter(t, r, retry).Leave(shared.Failed, 0)
	}
	if w := refused(t, r, retry); w.For != shared.ForBudget || w.Until == backoff.Never {
		t.Errorf("over the budget: %+v", w)
	}
	for range 99 { // of 110 attempts, 11 may be retries
		enter(t, r, q).Leave(shared.Succeeded, 0)
	}
	enter(t, r, retry).Leave(shared.Failed, 0)
	if w := refused(t, r, retry); w.For != shared.ForBudget {
		t.Errorf("over the budget again: %+v", w)
	}
	deferred := enter(t, r, q)
	deferred.Leave(shared.Deferred, 0)
	if s := look(t, dir, "api"); s.Attempts != 110 || s.Retries != 11 || s.Left != 0 {
		t.Errorf("%+v", s)
	}
}

// TestBudgetHoldsUpNobody has a retry wait for the budget while first attempts go on,
// and has the one that makes room for it wake it.
func TestBudgetHoldsUpNobody(t *testing.T) {
	dir := stateDir(t)
	r, other := shell(t, dir, "api"), shell(t, dir, "api")
	q := shared.Visit{Rules: shared.Rules{Budgeted: true, Percent: 50, PerMinute: 10, Slots: 2}, Deadline: backoff.Never}
	retry := q
	retry.Retry = true
	for range 10 {
		enter(t, r, retry).Leave(shared.Failed, 0)
	}
	standing, through := make(chan struct{}), make(chan struct{})
	retry.Told = once(standing)
	go func() {
		p, err := other.Enter(t.Context(), retry)
		if err != nil {
			t.Error(err)
			return
		}
		p.Leave(shared.Succeeded, 0)
		close(through)
	}()
	<-standing
	for n := 0; ; n++ { // it needs eleven
		enter(t, r, q).Leave(shared.Succeeded, 0)
		if n < 10 {
			continue
		}
		<-through
		break
	}
}

func TestBreaker(t *testing.T) {
	dir := stateDir(t)
	r := shell(t, dir, "db")
	q := shared.Visit{Rules: shared.Rules{Failures: 3, Within: time.Hour, Probe: 50 * time.Millisecond}}
	for n := range 3 {
		p := enter(t, r, q)
		enter(t, r, q).Leave(shared.Undecided, 0) // says nothing
		if change := p.Leave(shared.Failed, 0); change.Opened != (n == 2) {
			t.Errorf("failure %d: %v", n, change)
		}
	}
	if w := refused(t, r, q); w.For != shared.ForBreaker {
		t.Errorf("open: %+v", w)
	}
	probe := enter(t, r, q) // waits for its time
	if w := refused(t, r, q); w.For != shared.ForBreaker {
		t.Errorf("beside the probe: %+v", w)
	}
	if change := probe.Leave(shared.Failed, 0); change != (shared.Change{}) {
		t.Errorf("a probe failed: %v", change)
	}
	if s := look(t, dir, "db"); s.Open == 0 || s.Probe > 50*time.Millisecond {
		t.Errorf("%+v", s)
	}
	if change := enter(t, r, q).Leave(shared.Succeeded, 0); !change.Closed {
		t.Errorf("a probe succeeded: %v", change)
	}
	enter(t, r, q).Leave(shared.Succeeded, 0)
}

// TestBreakerRamps has a crowd wait for a breaker: the first success lets two go, and
// each success after it two more, but not all at once.
func TestBreakerRamps(t *testing.T) {
	const crowd = 20
	dir := stateDir(t)
	r := shell(t, dir, "db")
	q := shared.Visit{Rules: shared.Rules{Failures: 1, Within: time.Hour, Probe: time.Hour}, Deadline: backoff.Never}
	probe := enter(t, r, q)
	enter(t, r, q).Leave(shared.Failed, 0)
	passes := make(chan *Pass, crowd)
	for range crowd {
		standing := make(chan struct{})
		q.Told = once(standing)
		waiter := shell(t, dir, "db")
		go func(q shared.Visit) {
			p, err := waiter.Enter(t.Context(), q)
			if err != nil {
				t.Error(err)
				return
			}
			passes <- p
		}(q)
		<-standing
	}
	if change := probe.Leave(shared.Succeeded, 0); !change.Closed {
		t.Fatalf("it is %v", change)
	}
	first, second := <-passes, <-passes
	if s := look(t, dir, "db"); s.Waiting != crowd-2 {
		t.Errorf("%d wait, with two under way", s.Waiting)
	}
	first.Leave(shared.Succeeded, 0)
	second.Leave(shared.Undecided, 0)
	third, fourth := <-passes, <-passes // for the first; the second has not succeeded
	if s := look(t, dir, "db"); s.Waiting != crowd-4 {
		t.Errorf("%d wait, with one success", s.Waiting)
	}
	third.Leave(shared.Succeeded, 0)
	fourth.Leave(shared.Succeeded, 0)
	for range crowd - 4 {
		(<-passes).Leave(shared.Succeeded, 0)
	}
	enter(t, r, shared.Visit{Rules: q.Rules}).Leave(shared.Succeeded, 0)
}

func TestFloor(t *testing.T) {
	dir := stateDir(t)
	a, b := shell(t, dir, "api"), shell(t, dir, "api")
	now := a.clock.Now()
	floor := now + 100*time.Millisecond
	if holds := enter(t, a, shared.Visit{}).Leave(shared.Failed, floor).Floor; holds != floor {
		t.Errorf("it holds until %v", holds-now)
	}
	if _, err := b.Enter(t.Context(), shared.Visit{Deadline: floor}); !errors.Is(err, shared.ErrTooLate) {
		t.Errorf("too late: %v", err)
	}
	if w := refused(t, b, shared.Visit{}); w.For.String() != "retryafter" || w.Until != floor {
		t.Errorf("%+v", w)
	}
	enter(t, b, shared.Visit{}).Leave(shared.Succeeded, 0)
	if early := floor - b.clock.Now(); early > 0 {
		t.Errorf("%v too early", early)
	}
}

// TestWaitsEnd cancels waits of every kind, and sees that they end with the cause.
func TestWaitsEnd(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	r := shell(t, dir, "x")
	q := shared.Visit{Rules: shared.Rules{Slots: 1}, Deadline: backoff.Never}
	holder := enter(t, r, q)
	why := errors.New("why")
	ctx, cancel := backoff.WithDeadline(t.Context(), r.clock, r.clock.Now()+20*time.Millisecond, why)
	defer cancel()
	if _, err := shell(t, dir, "x").Enter(ctx, q); err != why {
		t.Errorf("in line: %v", err)
	}
	stopped := shell(t, dir, "x") // somebody was stopped while it had the state
	if locked, err := stopped.lockState(false); !locked {
		t.Fatal(err)
	}
	ctx, cancel = backoff.WithDeadline(t.Context(), r.clock, r.clock.Now()+20*time.Millisecond, why)
	defer cancel()
	if _, err := r.Enter(ctx, q); err != why {
		t.Errorf("before the state: %v", err)
	}
	holder.Leave(shared.Succeeded, 0) // does not wait for ever, and the slot is free
	unlockByte(stopped.file.fd, mutexAt)
	enter(t, r, q).Leave(shared.Succeeded, 0)
}

func TestReset(t *testing.T) {
	dir := stateDir(t)
	r, other := shell(t, dir, "db"), shell(t, dir, "db")
	q := shared.Visit{Rules: shared.Rules{Slots: 2, Failures: 1, Within: time.Hour, Probe: time.Hour},
		Deadline: backoff.Never}
	holder := enter(t, r, q)
	enter(t, r, q).Leave(shared.Failed, r.clock.Now()+time.Hour)
	standing, through := make(chan struct{}), make(chan struct{})
	q.Told = once(standing)
	go func() {
		if p, err := other.Enter(t.Context(), q); err != nil {
			t.Error(err)
		} else {
			p.Leave(shared.Succeeded, 0)
		}
		close(through)
	}()
	<-standing
	if s := look(t, dir, "db"); s.Floor == 0 || s.Open == 0 || s.Taken != 1 || s.Waiting != 1 {
		t.Errorf("before: %+v", s)
	}
	clock := clock.New()
	folder, err := Existing(dir, clock)
	if err == nil {
		err = folder.Reset(t.Context(), "db")
	}
	if err != nil {
		t.Fatal(err)
	}
	<-through
	if s := look(t, dir, "db"); s.Floor != 0 || s.Open != 0 || s.Taken != 1 || s.Rules.Slots != 2 {
		t.Errorf("after: %+v", s)
	}
	holder.Leave(shared.Succeeded, 0)
	if names, err := folder.Names(); len(names) != 1 || names[0] != "db" {
		t.Error(names, err)
	}
}

// TestRemoved removes the file of a resource that is in use: nobody else gets in before who is inside has left,
// whether they had the file open or come now, and all take the new one then.
func TestRemoved(t *testing.T) {
	dir := stateDir(t)
	r, idle := shell(t, dir, "x"), shell(t, dir, "x")
	q := shared.Visit{Rules: shared.Rules{Slots: 1}}
	holder := enter(t, r, q)
	for range 2 {
		if err := os.Remove(dir + "/x.resource"); err != nil {
			t.Fatal(err)
		}
		for who, resource := range map[string]*Resource{"had it open": idle, "comes now": shell(t, dir, "x"),
			"is inside": r} {
			if w := refused(t, resource, q); w.For.String() != "slot" {
				t.Errorf("who %s is let in: %+v", who, w)
			}
		}
		if s := look(t, dir, "x"); s.Taken != 1 {
			t.Errorf("%d slots taken, wanted 1", s.Taken)
		}
	}
	holder.Leave(shared.Succeeded, 0)
	other := enter(t, idle, q)
	if w := refused(t, r, q); w.For.String() != "slot" {
		t.Errorf("the first goes on with a file that nobody else has: %+v", w)
	}
	other.Leave(shared.Succeeded, 0)
	enter(t, r, q).Leave(shared.Succeeded, 0)
}

// TestFolderRemoved removes the whole folder.
func TestFolderRemoved(t *testing.T) {
	dir := stateDir(t)
	r := shell(t, dir, "x")
	q := shared.Visit{Rules: shared.Rules{Slots: 1}}
	holder := enter(t, r, q)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if w := refused(t, shell(t, dir, "x"), q); w.For.String() != "slot" {
		t.Errorf("let in: %+v", w)
	}
	holder.Leave(shared.Succeeded, 0)
	enter(t, r, q).Leave(shared.Succeeded, 0)
	if look(t, dir, "x").Attempts == 0 {
		t.Error("the new file counts nothing")
	}
}

// TestDefaultPath chooses among the folders that are there and this user's alone.
func TestDefaultPath(t *testing.T) {
	for _, tt := range []struct {
		uid                 int
		runtime, ours, want string
	}{
		{1000, "/run/user/1000", "/run/user/1000", "/run/user/1000/ftsh"},
		{1000, "", "/run/user/1000", "/run/user/1000/ftsh"},            // cron
		{1000, "/own", "/own /run/user/1000", "/own/ftsh"},             // as somebody has said
		{1000, "/run/user/0", "/run/user/1000", "/run/user/1000/ftsh"}, // left by su
		{1000, "/gone", "", "/tmp/ftsh-1000"},
		{1000, "", "", "/tmp/ftsh-1000"},
		{0, "", "/run", "/run/ftsh"},
		{0, "/run/user/0", "/run /run/user/0", "/run/ftsh"}, // a login of root and its cron
		{0, "/run/user/1000", "/run", "/run/ftsh"},          // left by sudo
		{0, "", "", "/tmp/ftsh-0"},
	} {
		ours := func(path string) bool { return slices.Contains(strings.Fields(tt.ours), path) }
		if got := choosePath(tt.uid, tt.runtime, ours); got != tt.want {
			t.Errorf("user %d, XDG_RUNTIME_DIR=%s, %s ours: %s, wanted %s", tt.uid, tt.runtime, tt.ours, got, tt.want)
		}
	}
	if Path("/said", "/own") != "/said" {
		t.Error("FTSH_STATE_DIR is not obeyed")
	}
}

// look gives the state of a resource.
func look(t *testing.T, dir, name string) Status {
	t.Helper()
	clock := clock.New()
	defer clock.Close()
	folder, err := Existing(dir, clock)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := folder.Look(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
