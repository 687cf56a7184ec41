package progress

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/interp/event"
)

// state holds the tries, branches and jobs under way. Its zero value has none.
type state struct {
	tries   map[uint64]*try // that wait, by the id of their execution
	foralls map[uint64]*forall
	failed  map[uint64]string // the command that failed last in an execution
	jobs    jobs

	branches map[uint64]*branch // of foralls that are under way, by their numbers

	continued bool // an earlier run has begun the script
}

// try is a try that waits for its next attempt.
type try struct {
	item    string // of the branch that it stands in, as host=a; "": it stands in none
	pos     ast.Pos
	attempt int    // that failed
	limit   int    // 0: any number
	unknown bool   // what it did is being found out
	need    string // what it waits for before the attempt; "": the attempt failed
	why     string
	began   time.Time
	next    time.Time
	end     time.Time // zero: no time limit
}

// forall is a forall that is under way.
type forall struct {
	id                    uint64
	pos                   ast.Pos
	name                  string
	began                 time.Time
	total                 int
	running, done, failed int
}

// noteEvent takes an event in, and reports whether it has changed anything.
func (s *state) noteEvent(e event.Event, now time.Time) bool {
	switch e.Kind {
	case event.CommandFailed:
		s.noteFailure(e)
		return false
	case event.TryWait:
		s.noteWait(e, now)
		return true
	case event.VerifyWait, event.ResourceWait:
		s.noteWait(e, now)
		return true
	case event.TryAttempt, event.Verify, event.VerifyEnd:
		return s.endWait(e.ID)
	case event.TryEnd, event.TryFailed:
		delete(s.failed, e.ID)
		return s.endWait(e.ID)
	}
	switch e.Kind {
	case event.JobState:
		s.jobs.noteJob(e, now, len(s.jobs.live) == 0 && s.showsJobs())
		s.noteJob(e)
		return true
	case event.JobWait:
		s.noteHeld(e)
		return true
	}
	return s.noteBranch(e, now)
}

// noteFailure remembers what failed last in a try.
func (s *state) noteFailure(e event.Event) {
	if len(e.Command) == 0 || e.Parent == 0 {
		return
	}
	if s.failed == nil {
		s.failed = make(map[uint64]string)
	}
	if len(s.failed) < mostFailures {
		s.failed[e.Parent] = e.Command[0]
	}
}

// mostFailures bounds what is remembered: failures outside of tries stay.
const mostFailures = 1000

// noteWait notes that a try waits.
func (s *state) noteWait(e event.Event, now time.Time) {
	t := &try{pos: e.Pos, item: s.itemOf(e.Branch), attempt: e.Attempt, limit: e.Limit, why: e.Message,
		began: now, next: now.Add(e.Wait), unknown: e.Kind == event.VerifyWait}
	if e.Remaining > 0 {
		t.end = now.Add(e.Remaining)
	}
	if e.Kind == event.ResourceWait {
		s.waitFor(t, e)
		return
	}
	if command := s.failed[e.ID]; command != "" && !strings.HasPrefix(t.why, command) {
		t.why = command + ": " + t.why
	}
	s.setTry(e.ID, t)
}

// itemOf names what a branch was given: host=a.
func (s *state) itemOf(number uint64) string {
	b := s.branches[number]
	if b == nil || s.foralls[b.forall] == nil {
		return ""
	}
	return s.foralls[b.forall].name + "=" + b.item
}

func (s *state) setTry(id uint64, t *try) {
	if s.tries == nil {
		s.tries = make(map[uint64]*try)
	}
	s.tries[id] = t
}

// waitFor notes that a try waits for a resource. If what it waits for changes, it
// has waited before all the same.
func (s *state) waitFor(t *try, e event.Event) {
	t.need = e.WaitingFor()
	if e.Count > 0 {
		t.need += ", " + strconv.Itoa(e.Count) + " before it"
	}
	if e.Wait == 0 {
		t.next = time.Time{}
	}
	if before := s.tries[e.ID]; before != nil && before.need != "" {
		t.began = before.began
	}
	s.setTry(e.ID, t)
}

// endWait notes that a try waits no more.
func (s *state) endWait(id uint64) bool {
	_, waited := s.tries[id]
	delete(s.tries, id)
	return waited
}

// noteBranch takes in what happens to foralls and their branches.
func (s *state) noteBranch(e event.Event, now time.Time) bool {
	f := s.foralls[e.ID]
	switch {
	case e.Kind == event.ForallStart:
		if s.foralls == nil {
			s.foralls = make(map[uint64]*forall)
		}
		s.foralls[e.ID] = &forall{id: e.ID, pos: e.Pos, name: e.Name, began: now, total: e.Count}
	case f == nil:
		return false
	case e.Kind == event.ForallBranch:
		f.running++
		s.branchOf(e)
	case e.Kind == event.BranchEnd:
		f.running, f.done = f.running-1, f.done+1
		s.leaveBranch(e)
	case e.Kind == event.BranchFailed:
		f.running, f.failed = f.running-1, f.failed+1
		s.leaveBranch(e)
	case e.Kind == event.ForallEnd || e.Kind == event.ForallFailed:
		delete(s.foralls, e.ID)
		s.forgetForall(e.ID)
	}
	return true
}

// waitingTries lists the tries that have waited for a while, the next one to go on first.
func (s *state) waitingTries(now time.Time) []*try {
	var list []*try
	for _, t := range s.tries {
		if now.Sub(t.began) >= patience {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *try) int {
		return cmp.Or(a.next.Compare(b.next), cmp.Compare(a.pos.Line, b.pos.Line))
	})
	return list
}

// branching lists the foralls that have gone on for a while, the outermost first.
func (s *state) branching(now time.Time) []*forall {
	var list []*forall
	for _, f := range s.foralls {
		if now.Sub(f.began) >= patience && f.total > 1 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *forall) int { return cmp.Compare(a.id, b.id) })
	return list
}
