package progress

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"ftsh/interp/event"
)

// state holds what is under way.
type state struct {
	tries    map[uint64]*try    // that wait, by the id of their execution
	failed   map[uint64]string  // the command that failed last in an execution
	foralls  map[uint64]*forall // by the id of their execution
	branches map[uint64]*branch // of these, by their numbers
	jobs     map[string]job     // that have not ended, by ticket

	jobsBegan            time.Time // when there was a job, after none
	jobsDone, jobsFailed int       // since then

	continued bool // an earlier run has begun the script
}

func newState(continued bool) state {
	return state{
		tries: map[uint64]*try{}, failed: map[uint64]string{}, foralls: map[uint64]*forall{},
		branches: map[uint64]*branch{}, jobs: map[string]job{}, continued: continued,
	}
}

// try is a try that waits for its next attempt.
type try struct {
	wait  event.Event // what it was that told so last, and when
	told  time.Time
	began time.Time
	item  string // of the branch that it stands in, as host=a; "": it stands in none
}

// forall is a forall that is under way.
type forall struct {
	start                 event.Event
	began                 time.Time
	running, done, failed int
}

// branch is one of a forall, with the last job that it had.
type branch struct {
	forall *forall
	item   string
	job    job
}

// job is one of a batch system; without a state there is none.
type job struct{ state, message string }

// The states of branches that are none of their jobs.
const (
	held   = "held by .limit."  // it may have no job before another has ended
	goesOn = "failed, going on" // its job has failed, and the branch has not ended
)

// mostFailures bounds what is remembered: failures outside of tries stay.
const mostFailures = 1000

// noteEvent takes an event in, and reports whether it has changed anything.
func (s *state) noteEvent(e event.Event, now time.Time) (changed bool) {
	switch e.Kind {
	case event.CommandFailed:
		if len(e.Command) > 0 && e.Parent != 0 && len(s.failed) < mostFailures {
			s.failed[e.Parent] = e.Command[0]
		}
		return false
	case event.TryWait, event.VerifyWait, event.ResourceWait:
		s.noteWait(e, now)
	case event.TryAttempt, event.Verify, event.VerifyEnd, event.TryEnd, event.TryFailed:
		if e.Kind == event.TryEnd || e.Kind == event.TryFailed {
			delete(s.failed, e.ID)
		}
		_, changed = s.tries[e.ID]
		delete(s.tries, e.ID)
		return changed
	case event.JobState, event.JobWait:
		s.noteJob(e, now)
	case event.ForallStart:
		s.foralls[e.ID] = &forall{start: e, began: now}
	default:
		return s.noteBranch(e)
	}
	return true
}

func (s *state) isEmpty() bool { return len(s.tries)+len(s.foralls)+len(s.jobs) == 0 }

// noteWait notes that a try waits. One that waits for a resource has waited since it began to, whatever it waits for
// by now.
func (s *state) noteWait(e event.Event, now time.Time) {
	if command := s.failed[e.ID]; command != "" && !strings.HasPrefix(e.Message, command) {
		e.Message = command + ": " + e.Message
	}
	t := &try{wait: e, told: now, began: now}
	t.wait.Command = nil
	if before := s.tries[e.ID]; before != nil && before.wait.Kind == e.Kind && e.Kind == event.ResourceWait {
		t.began = before.began
	}
	if b := s.branches[e.Branch]; b != nil {
		t.item = displaywidth.TruncateString(b.forall.start.Name+"="+b.item, longItem, "…")
	}
	s.tries[e.ID] = t
}

// noteJob notes where a job is, or that a branch waits until it may have one. What has ended is counted anew when no
// job is left, unless what came of earlier ones is still shown.
func (s *state) noteJob(e event.Event, now time.Time) {
	last := job{e.Value, event.VisibleLine(e.Message)}
	switch {
	case e.Kind == event.JobWait:
		last = job{state: held}
	case len(s.jobs) == 0 && len(s.branchesWith((*branch).hadJob)) == 0:
		s.jobsBegan, s.jobsDone, s.jobsFailed = now, 0, 0
	}
	delete(s.jobs, e.Name)
	switch e.Value {
	case "left":
		return
	case "done":
		s.jobsDone++
	case "failed":
		s.jobsFailed++
		last.state = goesOn
	case "waiting to submit", "queued", "running":
		s.jobs[e.Name] = last
	}
	if b := s.branches[e.Branch]; b != nil {
		b.job = last
	}
}

// noteBranch takes in what happens to the branches of a forall, and its end. What a branch with a job came to is of
// interest as long as its forall goes on.
func (s *state) noteBranch(e event.Event) bool {
	f := s.foralls[e.ID]
	if f == nil {
		return false
	}
	came := ""
	switch e.Kind {
	case event.ForallBranch:
		f.running++
		s.branches[e.Branch] = &branch{forall: f, item: event.VisibleLine(e.Value)}
		return true
	case event.BranchEnd:
		f.running, f.done, came = f.running-1, f.done+1, "done"
	case event.BranchFailed:
		f.running, f.failed, came = f.running-1, f.failed+1, "failed"
	default:
		delete(s.foralls, e.ID)
		maps.DeleteFunc(s.branches, func(_ uint64, b *branch) bool { return b.forall == f })
		return true
	}
	if b := s.branches[e.Branch]; b != nil && b.hadJob() {
		b.job = job{state: came}
	} else {
		delete(s.branches, e.Branch)
	}
	return true
}

// hadJob reports whether a branch has a job, or had one.
func (b *branch) hadJob() bool { return b.job.state != "" && b.job.state != held }

// waitingTries lists the tries that have waited for a while, the next one to go on first.
func (s *state) waitingTries(now time.Time) []*try {
	list := slices.SortedFunc(maps.Values(s.tries), func(a, b *try) int {
		return cmp.Or(a.next().Compare(b.next()), cmp.Compare(a.wait.Pos.Line, b.wait.Pos.Line))
	})
	return slices.DeleteFunc(list, func(t *try) bool { return now.Sub(t.began) < patience })
}

// next is when a try goes on; zero: nobody knows.
func (t *try) next() time.Time {
	if t.wait.Wait == 0 {
		return time.Time{}
	}
	return t.told.Add(t.wait.Wait)
}

// branching lists the foralls that have gone on for a while, the outermost first.
func (s *state) branching(now time.Time) []*forall {
	byID := func(a, b *forall) int { return cmp.Compare(a.start.ID, b.start.ID) }
	list := slices.SortedFunc(maps.Values(s.foralls), byID)
	return slices.DeleteFunc(list, func(f *forall) bool { return now.Sub(f.began) < patience || f.start.Count <= 1 })
}
