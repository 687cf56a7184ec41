package progress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"ftsh/ast"
	"ftsh/interp/event"
)

var began = time.Date(2026, 11, 21, 1, 30, 0, 0, time.UTC)

func pos(line int32) ast.Pos { return ast.Pos{Line: line} }

// shown returns the lines that are shown after those events, some time after they came.
func shown(width int, later time.Duration, events ...event.Event) []string {
	s := newState(false)
	for _, e := range events {
		s.noteEvent(e, began)
	}
	return s.shownLines(began.Add(later), width)
}

func jobIs(ticket, state, message string) event.Event {
	return event.Event{Kind: event.JobState, Name: ticket, Value: state, Message: message}
}

var manyJobs = []event.Event{
	jobIs("a", "queued", "job 1, Resources"), jobIs("b", "queued", "job 2, Resources"),
	jobIs("c", "queued", "job 3, Priority"),
	jobIs("d", "running", "job 4"), jobIs("e", "running", "job 5"), jobIs("f", "running", "job 6"),
	jobIs("e", "done", "job 5, n1"), jobIs("f", "failed", "job 6, n1"), jobIs("g", "queued", "job 7"),
	jobIs("g", "left", "job 7"),
}

// samples are the branches of a forall with a job each.
func samples(count int, state func(n int) (state, message string)) []event.Event {
	list := []event.Event{{Kind: event.ForallStart, ID: 1, Pos: pos(4), Name: "s", Count: count}}
	for n := 1; n <= count; n++ {
		list = append(list, event.Event{Kind: event.ForallBranch, ID: 1, Branch: uint64(n), Name: "s",
			Value: fmt.Sprint("s", n)})
	}
	for _, final := range []bool{false, true} { // all are queued at first
		for n := 1; n <= count; n++ {
			e := jobIs(fmt.Sprint("t", n), "queued", "")
			if final {
				e.Value, e.Message = state(n)
			}
			e.Branch = uint64(n)
			list = append(list, e)
		}
	}
	return list
}

// sampled is one of each state for six samples.
func sampled(n int) (state, message string) {
	switch {
	case n == 1:
		return "done", "job 1, n1"
	case n <= 3:
		return "running", fmt.Sprintf("job %d, n1", n)
	case n <= 5:
		return "queued", fmt.Sprintf("job %d, Resources", n)
	}
	return "queued", fmt.Sprintf("job %d, Priority", n)
}

// crowded is the same for many.
func crowded(n int) (state, message string) {
	if n <= 20 {
		return "running", fmt.Sprintf("job %d, n%d", n, n%2)
	}
	return "queued", fmt.Sprintf("job %d, Resources", n)
}

// TestJobsOfBranches: jobs are shown by the branches that they are of.
func TestJobsOfBranches(t *testing.T) {
	wait := event.Event{Kind: event.TryWait, ID: 3, Pos: pos(12), Attempt: 3, Wait: time.Hour, Message: "no"}
	ended := event.Event{Kind: event.ForallEnd, ID: 1}
	of := func(branch uint64, e event.Event) event.Event {
		e.Branch = branch
		return e
	}
	left := func(int) (string, string) { return "left", "" }
	again := append(samples(3, left)[:4], // their branches
		of(1, jobIs("t1", "queued", "job 1")), of(2, jobIs("t2", "queued", "job 2")),
		of(1, jobIs("t1", "failed", "job 1")), of(2, jobIs("t2", "failed", "job 2")),
		of(1, event.Event{Kind: event.BranchFailed, ID: 1}), of(3, jobIs("t3", "queued", "job 3, ReqNodeNotAvail")))
	held := event.Event{Kind: event.JobWait, Message: ".limit. 2"}
	limited := append(samples(4, left)[:5],
		of(1, jobIs("t1", "running", "job 1, n1")), of(2, jobIs("t2", "queued", "job 2, Resources")), of(3, held),
		of(4, held))
	for name, test := range map[string]struct {
		width  int
		events []event.Event
		want   []string
	}{
		"they fit": {100, samples(6, sampled), []string{
			"jobs: s4 s5 queued (Resources), s6 queued (Priority), s2 s3 running (n1), s1 done"}},
		"they do not": {60, samples(6, sampled), []string{
			"jobs: 3 queued (2 Resources, 1 Priority), 2 running, 1 don…",
			"running: s2 s3 (n1)", "queued: s4 s5 (Resources), s6 (Priority)"}},
		"narrow": {40, samples(6, sampled), []string{
			"jobs 1+2/6, 2 Resources, 1 Priority", "running: s2 s3 (n1)", "queued: s4 (Resources) (and 2 more)"}},
		"many": {80, samples(500, crowded), []string{
			"jobs: 480 queued (480 Resources), 20 running, 0 done, 0 failed",
			"running: s1 s3 s5 s7 s9 s11 s13 s15 s17 s19 (n1), s2 s4 (n0) (and 8 more)",
			"queued: s21 s22 s23 s24 s25 s26 s27 s28 s29 s30 (Resources) (and 470 more)"}},
		"a try waits, too": {60, append(samples(6, sampled), wait), []string{
			"jobs: 3 queued (2 Resources, 1 Priority), 2 running, 1 don…",
			"running: s2 s3 (n1)", "try, line 12: attempt 3 failed, next in 59 min 59 s: no"}},
		"all had ended for a moment": {60, again, []string{
			"jobs: 1 queued (1 ReqNodeNotAvail), 0 done, 2 failed", "queued: s3 (ReqNodeNotAvail)", "failed: s1"}},
		"one will try again": {100, again, []string{"jobs: s3 queued (ReqNodeNotAvail), s2 failed, going on, s1 failed"}},
		"one ends well": {100, append(again[:len(again):len(again)], of(2, event.Event{Kind: event.BranchEnd, ID: 1})),
			[]string{
				"jobs: s3 queued (ReqNodeNotAvail), s2 done, s1 failed"}},
		"held": {100, limited, []string{"jobs: s3 s4 held by .limit., s2 queued (Resources), s1 running (n1)"}},
		"the forall is over": {80, append(samples(6, sampled), ended, jobIs("x", "queued", "job 9")), []string{
			"jobs: 4 queued (2 Resources, 1 Priority), 2 running, 1 done, 0 failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(test.width, time.Second, test.events...)
			if len(got) > 0 && strings.HasPrefix(got[0], "forall") {
				got = got[1:]
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestBranchesWithoutJobs: what has ended without a job is not kept.
func TestBranchesWithoutJobs(t *testing.T) {
	s := newState(false)
	s.noteEvent(event.Event{Kind: event.ForallStart, ID: 1, Count: 2}, began)
	s.noteEvent(event.Event{Kind: event.ForallBranch, ID: 1, Branch: 5, Value: "a"}, began)
	s.noteEvent(event.Event{Kind: event.BranchEnd, ID: 1, Branch: 5}, began)
	if len(s.branches) > 0 {
		t.Errorf("kept %v", s.branches)
	}
}

var (
	forallStart = event.Event{Kind: event.ForallStart, ID: 1, Pos: pos(4), Name: "host", Count: 40}
	branchStart = event.Event{Kind: event.ForallBranch, ID: 1}
)

// linesCase has what is shown of events, so long after them, on a terminal of that width.
type linesCase struct {
	width  int
	later  time.Duration
	events []event.Event
	want   []string
}

func checkLines(t *testing.T, cases map[string]linesCase) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got := shown(test.width, test.later, test.events...)
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestLines has one try under way.
func TestLines(t *testing.T) {
	waiting := event.Event{
		Kind: event.TryWait, ID: 3, Pos: pos(12), Attempt: 3, Limit: 5, Wait: 12 * time.Second,
		Remaining: 65 * time.Minute, Message: "ended with status 22", Failure: "exit", Status: 22,
	}
	failed := event.Event{Kind: event.CommandFailed, ID: 4, Parent: 3, Command: []string{"curl", "-f", "x"}}
	endless := waiting
	endless.ID, endless.Limit, endless.Remaining, endless.Wait, endless.Message = 7, 0, 0, 3*24*time.Hour, "a\nb\x1b[2J世界"
	unknown := waiting
	unknown.Kind, unknown.Limit = event.VerifyWait, 0
	slot := event.Event{
		Kind: event.ResourceWait, ID: 3, Pos: pos(12), Attempt: 1, Name: "schedd", Value: "slot", Count: 7,
		Remaining: 65 * time.Minute,
	}
	turn, breaker := slot, slot
	turn.Count = 0
	breaker.Value, breaker.Count, breaker.Wait = "breaker", 0, 30*time.Second
	ofBranch := branchStart
	ofBranch.Branch, ofBranch.Value = 9, "a long name of a host\x1b"
	inBranch := waiting
	inBranch.Branch = 9
	checkLines(t, map[string]linesCase{
		"a wait": {100, time.Second, []event.Event{failed, waiting},
			[]string{"try, line 12: attempt 3 of 5 failed, next in 11 s, 1 h 4 min left: curl: ended with status 22"}},
		"a slot": {100, time.Second, []event.Event{slot, turn},
			[]string{"try, line 12: waiting for a slot of schedd, 1 h 4 min left"}},
		"a slot, far behind": {100, time.Second, []event.Event{slot},
			[]string{"try, line 12: waiting for a slot of schedd, 7 before it, 1 h 4 min left"}},
		"a slot, in fewer words": {59, time.Second, []event.Event{slot},
			[]string{"try:12 waiting for a slot of schedd, 7 before it, 1 h 4 m…"}},
		"a breaker": {100, time.Second, []event.Event{breaker},
			[]string{"try, line 12: waiting for the breaker of schedd, at most 29 s, 1 h 4 min left"}},
		"a slot at last": {100, time.Second, []event.Event{slot, {Kind: event.TryAttempt, ID: 3}}, nil},
		"an unknown outcome": {120, time.Second, []event.Event{unknown},
			[]string{"try, line 12: what attempt 3 did is unknown, looking again in 11 s, 1 h 4 min left: ended with " +
				"status 22"}},
		"an unknown outcome, looking": {100, time.Second, []event.Event{unknown, {Kind: event.Verify, ID: 3}}, nil},
		"in fewer words": {59, time.Second, []event.Event{failed, waiting},
			[]string{"try:12 3/5, next 11 s, left 1 h 4 min: curl: ended with s…"}},
		"in a branch": {120, time.Second, []event.Event{forallStart, ofBranch, inBranch}, []string{
			"forall host, line 4: ▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 done, 0 failed, 1 running of 40",
			"try, line 12, host=a long name of a h…: attempt 3 of 5 failed, next in 11 s, 1 h 4 min left: ended with " +
				"status 22"}},
		"without limits": {100, time.Second, []event.Event{endless},
			[]string{"try, line 12: attempt 3 failed, next in 2 days: a\\nb\\x1b[2J世界"}},
		"not yet":  {100, 200 * time.Millisecond, []event.Event{waiting, forallStart}, nil},
		"no more":  {100, time.Second, []event.Event{waiting, {Kind: event.TryAttempt, ID: 3}}, nil},
		"it ended": {100, time.Second, []event.Event{waiting, {Kind: event.TryFailed, ID: 3}}, nil},
	})
}

// TestLoopLines has branches and jobs under way.
func TestLoopLines(t *testing.T) {
	held := event.Event{Kind: event.JobWait, Branch: 1, Message: ".limit. 2"}
	alsoHeld := held
	alsoHeld.Branch = 2
	limited := append(samples(4, sampled)[:5], held, alsoHeld)
	checkLines(t, map[string]linesCase{
		"a forall": {80, time.Second, []event.Event{forallStart, branchStart, branchStart, branchStart,
			{Kind: event.BranchEnd, ID: 1},
			{Kind: event.BranchFailed, ID: 1}},
			[]string{"forall host, line 4: █░░░░░░░░░░░░░░░░░░░░░░░ 1 done, 1 failed, 1 running of 40"}},
		"a forall of whose branches some are held": {90, time.Second, limited, []string{
			"forall s, line 4: ▒▒▒▒▒▒▒▒▒░░░░░░░░░░ 0 done, 0 failed, 2 running, 2 held by .limit. of 4"}},
		"a narrow forall": {40, time.Second,
			[]event.Event{forallStart, branchStart, branchStart, {Kind: event.BranchFailed, ID: 1}},
			[]string{"forall:4 ░░░░░░░░░░░░░ 0+1/40, 1 failed"}},
		"a job": {80, time.Second, []event.Event{jobIs("a", "queued", "job 118, Resources")},
			[]string{"job 118: queued, Resources"}},
		"a job that runs": {80, time.Second,
			[]event.Event{jobIs("a", "queued", "job 118"), jobIs("a", "running", "job 118, n1")},
			[]string{"job 118: running on n1"}},
		"a job that cannot be submitted": {80, time.Second,
			[]event.Event{jobIs("a", "waiting to submit", "Unable to contact slurm controller")},
			[]string{"job: waiting to submit: Unable to contact slurm controller"}},
		"a job that has ended": {80, time.Second,
			[]event.Event{jobIs("a", "queued", "job 118"), jobIs("a", "done", "job 118, n1")}, nil},
		"jobs": {80, time.Second, manyJobs,
			[]string{"jobs: 3 queued (2 Resources, 1 Priority), 1 running, 1 done, 1 failed"}},
		"jobs in fewer words":     {50, time.Second, manyJobs, []string{"jobs 1+1/6, 2 Resources, 1 Priority"}},
		"a forall of one is none": {80, time.Second, []event.Event{{Kind: event.ForallStart, ID: 1, Count: 1}}, nil},
	})
}

// TestManyLines has more under way than is shown.
func TestManyLines(t *testing.T) {
	var events []event.Event
	for id := uint64(1); id <= 3; id++ {
		events = append(events, event.Event{Kind: event.ForallStart, ID: id, Name: fmt.Sprint("x", id), Count: 9})
	}
	for id := uint64(10); id < 20; id++ {
		events = append(events, event.Event{Kind: event.TryWait, ID: id, Pos: pos(int32(id)), Attempt: 1,
			Wait: time.Duration(40-id) * time.Second, Message: "世界 " + strings.Repeat("long ", 40)})
	}
	for width := 20; width < 200; width++ {
		lines := shown(width, time.Second, events...)
		if len(lines) != mostLines {
			t.Fatalf("%d lines", len(lines))
		}
		for _, line := range lines {
			if displaywidth.String(line) >= width {
				t.Errorf("%d cells on %d columns: %s", displaywidth.String(line), width, line)
			}
		}
		if !strings.HasSuffix(lines[3], "(and 8 more)") {
			t.Error(lines[3])
		}
	}
	if lines := shown(100, time.Second, events...); !strings.HasPrefix(lines[2],
		"try, line 19: attempt 1 failed, next in 20 s") {
		t.Error(lines[2], "is not the one that goes on first")
	}
}

func TestCountdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", time.Millisecond: "1 s", 59 * time.Second: "59 s",
		59001 * time.Millisecond: "1 min 0 s",
		3599 * time.Second:       "59 min 59 s", time.Hour: "1 h 0 min", 47 * time.Hour: "47 h 0 min",
		50 * time.Hour: "2 days",
	} {
		if got := countdown(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// BenchmarkObserve has a view hear of an event it does not want,
// and of one it does.
func BenchmarkObserve(b *testing.B) {
	v := New(Config{Terminal: -1})
	defer v.Close()
	for name, e := range map[string]event.Event{
		"while": {Kind: event.WhileTurn, Count: 1}, "command": {Kind: event.CommandFailed, Command: []string{"x"}, Parent: 1},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.Observe(e)
			}
		})
	}
}

func TestContinued(t *testing.T) {
	s := newState(true)
	s.noteEvent(event.Event{Kind: event.TryWait, ID: 3, Pos: pos(12), Attempt: 3, Wait: 12 * time.Second,
		Message: "why"}, began)
	s.noteEvent(event.Event{Kind: event.ForallStart, ID: 1, Pos: pos(4), Name: "host", Count: 40}, began)
	lines := s.shownLines(began.Add(time.Second), 90)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "continued: forall host, line 4: ") ||
		!strings.HasSuffix(lines[0], "of 40") ||
		!strings.HasPrefix(lines[1], "try, line 12: ") {
		t.Errorf("got %q", lines)
	}
}
