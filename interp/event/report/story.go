package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/interp/brief"
)

// Story holds the lanes and the failures that a log tells of. [Read] makes it; it does not change.
type Story struct {
	script  string // with its arguments
	start   time.Time
	end     time.Time
	status  int  // of the first shell
	ended   bool // the log has its end
	lanes   []*lane
	level   int // the highest of an event in it
	skipped int // lines that were none
	faults  int // that were injected

	uses     []use // of jobs
	items    int   // that loops were to have, as far as the log says it
	branches []*branch
	failed   *record // what the line script.failed says; nil: there is none
}

// lane holds bars that came one after another.
type lane struct {
	name     string
	bars     []*bar
	isBranch bool // of a forall, named by its item
	// within is the lane that it branched off; nil: it is a shell's own.
	within *lane
}

// kind tells commands, attempts and waits apart.
type kind int

// The kinds of bars.
const (
	commandBar kind = iota
	attemptBar
	waitBar
)

// bar is something that took time.
type bar struct {
	kind       kind
	label      string
	place      string // script:line
	start, end time.Time
	failed     bool
	why        string
	open       bool
	job        bool   // it is a job of a batch system, or what that waited for
	held       bool   // a wait for .limit.
	attempt    int    // its number; 0: it is none
	item       string // of a loop, where a line of level 5 names it
}

// told describes the bar, and says that the log does not tell how long it took, if its end is not there.
func (b *bar) told() string {
	if b.open {
		return "(end not seen; the log stops after " + brief.Time(b.length()) + ") " + b.label
	}
	return b.label
}

// shownLength is its length for people: a question mark where nobody saw its end.
func (b *bar) shownLength() string {
	if b.open {
		return "?"
	}
	return brief.Time(b.length())
}

// length returns how long it took; without an end in the log, up to the last sign of life.
func (b *bar) length() time.Duration { return b.end.Sub(b.start) }

// key names an execution or a branch among several shells in one log.
type key struct {
	shell  int
	number uint64
}

// builder makes a Story of records.
type builder struct {
	story  *Story
	events int
	first  int // the shell that the log begins with
	lanes  map[key]*lane
	open   map[key]*bar // the command, or the present phase of a try, by its execution
	within map[key]*lane
	jobs   map[key]*jobTimes // likewise
	known  map[key]*branch   // of the story's branches
}

// branch holds what became of a branch of a forall.
type branch struct {
	item     string // as variable=item
	attempts int    // of the tries in it
	took     time.Duration
	outcome  string // such as: succeeded; exit 7, connection refused
	failed   bool
	seen     bool // its end is in the log
}

func newBuilder() *builder {
	return &builder{story: &Story{}, lanes: map[key]*lane{}, open: map[key]*bar{}, within: map[key]*lane{},
		jobs: map[key]*jobTimes{}, known: map[key]*branch{}}
}

// takeRecord adds what one record tells.
func (b *builder) takeRecord(r *record) {
	s := b.story
	if b.events == 1 {
		s.start, b.first = r.Time, r.Shell
	}
	s.end = r.Time
	s.level = max(s.level, r.Level)
	if strings.HasSuffix(r.Event, ".start") && r.ID != 0 {
		b.within[key{r.Shell, r.ID}] = b.laneOf(r)
	}
	b.takeBranch(r)
	switch name := r.Event; {
	case name == "script.failed" || name == "script.branch":
		b.takeSummary(r)
	case name == "shell.start" || name == "shell.end":
		b.noteShell(r)
	case name == "forall.branch" || name == "forany.item":
		b.nameBranch(r)
	case name == "fault.injected":
		s.faults++
	case name == "job.state" || name == "job.wait":
		b.takeJob(r)
	case name == "command.start":
		b.beginBar(r, commandBar, strings.Join(r.Command, " "))
	case name == "command.end" || name == "command.failed":
		b.endCommand(r)
	case strings.HasPrefix(name, "try.") || strings.HasPrefix(name, "verify") ||
		name == "catch" || name == "finally" || name == "resource.wait":
		b.turnPhase(r)
	}
}

// takeBranch notes what a record tells of the branches of loops.
func (b *builder) takeBranch(r *record) {
	k := key{r.Shell, r.Branch}
	one := b.known[k]
	switch {
	case r.Event == "forall.start":
		b.story.items += r.Count
	case r.Event == "forall.branch":
		one = &branch{item: r.Name + "=" + r.Value, outcome: "the log does not have its end"}
		b.known[k], b.story.branches = one, append(b.story.branches, one)
	case one == nil:
	case r.Event == "try.attempt":
		one.attempts++
	case r.Event == "branch.end":
		one.took, one.outcome, one.seen = asDuration(r.Elapsed), "succeeded", true
	case r.Event == "branch.failed":
		one.took, one.outcome, one.seen, one.failed = asDuration(r.Elapsed), r.whyFailed(), true, true
		if bars := b.laneOf(r).bars; len(bars) > 0 && bars[len(bars)-1].failed && r.lastWords() != "" {
			bars[len(bars)-1].why += ", " + r.lastWords() // so that causes differ where the status is the same
		}
	}
}

// takeSummary notes why the script, or a branch of it, has failed. A log of a higher level has told of the command.
func (b *builder) takeSummary(r *record) {
	if failed := *r; r.Event == "script.failed" && r.Shell == b.first {
		b.story.failed = &failed
	}
	if b.story.level >= 10 {
		return
	}
	bar := b.beginBar(r, commandBar, strings.Join(r.Command, " "))
	b.endBar(r)
	bar.open, bar.failed, bar.why = false, true, r.whyFailed()
	if r.Name != "" {
		bar.item = r.Name + "=" + r.Value
	}
}

// noteShell notes the beginning and the end of the shell that the log is about.
func (b *builder) noteShell(r *record) {
	switch {
	case r.Event == "shell.start":
		b.laneOf(r).name = strings.Join(r.Command, " ")
		if r.Shell == b.first {
			b.story.script = strings.Join(r.Command, " ")
		}
	case r.Shell == b.first:
		b.story.status, b.story.ended = r.Status, true
	}
}

// nameBranch names a lane by what its branch was given.
func (b *builder) nameBranch(r *record) {
	if r.Branch == 0 {
		return
	}
	if lane := b.laneOf(r); r.Event == "forall.branch" || lane.name == "" {
		lane.name, lane.isBranch = r.Name+"="+r.Value, r.Event == "forall.branch"
	}
}

// laneOf is the lane of a record. A new one lies within that of the execution which
// it is part of: the loop of a branch, the pipeline of a stage.
func (b *builder) laneOf(r *record) *lane {
	k := key{r.Shell, r.Branch}
	found := b.lanes[k]
	if found == nil {
		found = &lane{}
		if r.Branch != 0 {
			outer := r.Parent
			if r.Event == "forall.branch" || r.Event == "forany.item" {
				outer = r.ID
			}
			found.within = cmp.Or(b.within[key{r.Shell, outer}], b.lanes[key{r.Shell, 0}])
		}
		b.lanes[k] = found
		b.story.lanes = append(b.story.lanes, found)
	}
	return found
}

// beginBar begins a bar for an execution, and ends the one before.
func (b *builder) beginBar(r *record, kind kind, label string) *bar {
	lane := b.laneOf(r)
	bar := &bar{kind: kind, label: label, place: r.scriptLine(), start: r.Time, end: r.Time, open: true}
	lane.bars = append(lane.bars, bar)
	b.open[key{r.Shell, r.ID}] = bar
	return bar
}

// endBar ends the bar of an execution, if there is one.
func (b *builder) endBar(r *record) *bar {
	k := key{r.Shell, r.ID}
	bar := b.open[k]
	if bar == nil || r.ID == 0 {
		return nil
	}
	delete(b.open, k)
	bar.end, bar.open = r.Time, false
	return bar
}

// endCommand ends a command. Where the log has no start, its length gives it.
func (b *builder) endCommand(r *record) {
	bar := b.endBar(r)
	if bar == nil {
		bar = b.beginBar(r, commandBar, strings.Join(r.Command, " "))
		bar.start = r.Time.Add(-asDuration(r.Elapsed))
		b.endBar(r)
		bar.open = false
	}
	if r.Event == "command.failed" {
		bar.failed, bar.why = true, cmp.Or(r.Message, r.Failure)
	}
	b.divideJob(key{r.Shell, r.ID})
}

// turnPhase ends the present phase of a try and begins the next.
func (b *builder) turnPhase(r *record) {
	if r.Event == "try.start" {
		return
	}
	if bar := b.endBar(r); bar != nil && bar.kind == attemptBar && r.Failure != "" {
		bar.failed, bar.why = true, cmp.Or(r.Message, r.Failure)
	}
	switch r.Event {
	case "try.attempt":
		b.beginBar(r, attemptBar, "attempt "+strconv.Itoa(r.Attempt)).attempt = r.Attempt
	case "try.wait", "verify.wait":
		b.beginBar(r, waitBar, "wait after attempt "+strconv.Itoa(r.Attempt))
	case "resource.wait":
		b.beginBar(r, waitBar, "wait for the "+r.Value+" of "+r.Name)
	case "catch", "finally", "verify":
		b.beginBar(r, attemptBar, r.Event)
	case "try.failed":
		b.noteFailedTry(r)
	}
}

// noteFailedTry notes a try that failed as a bar without a length on its lane: what is
// said of failures is made of bars.
func (b *builder) noteFailedTry(r *record) {
	bar := b.beginBar(r, attemptBar, "try")
	bar.start = r.Time.Add(-asDuration(r.Elapsed))
	bar.failed, bar.why = true, cmp.Or(r.Message, r.Failure)
	if r.Reason != "" {
		bar.label = "try (" + r.Reason + ")"
	}
	b.endBar(r)
	bar.start = bar.end
}

// finishStory ends what the log leaves open, and puts the lanes in order.
func (b *builder) finishStory() *Story {
	s := b.story
	for _, bar := range b.open {
		bar.end = s.end
	}
	for k := range b.jobs {
		b.divideJob(k)
	}
	for _, lane := range s.lanes {
		for _, bar := range lane.bars {
			if bar.start.Before(s.start) {
				s.start = bar.start
			}
		}
		if lane.name == "" && len(lane.bars) > 0 {
			isTold := func(b *bar) bool { return !b.job || b.kind != waitBar }
			lane.name = lane.bars[max(0, slices.IndexFunc(lane.bars, isTold))].label
		}
	}
	s.lanes = slices.DeleteFunc(s.lanes, func(l *lane) bool { return len(l.bars) == 0 })
	slices.SortStableFunc(s.lanes, func(a, b *lane) int { return a.bars[0].start.Compare(b.bars[0].start) })
	s.nestLanes()
	return s
}

// nestLanes puts lanes behind the one that they lie within.
func (s *Story) nestLanes() {
	present, inner := map[*lane]bool{}, map[*lane][]*lane{}
	for _, lane := range s.lanes {
		present[lane] = true
	}
	for _, lane := range s.lanes {
		for lane.within != nil && !present[lane.within] { // nothing took time there
			lane.within = lane.within.within
		}
		inner[lane.within] = append(inner[lane.within], lane)
	}
	var ordered []*lane
	var visit func(*lane)
	visit = func(outer *lane) {
		for _, lane := range inner[outer] {
			ordered = append(ordered, lane)
			visit(lane)
		}
	}
	visit(nil)
	s.lanes = ordered
}
