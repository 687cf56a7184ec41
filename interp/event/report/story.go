package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ftsh/interp/brief"
)

// Story holds the lanes and the failures that a log tells of.
type Story struct {
	Script  string // with its arguments
	Start   time.Time
	End     time.Time
	Status  int  // of the first shell
	Ended   bool // the log has its end
	Lanes   []*Lane
	Level   int // the highest of an event in it
	Skipped int // lines that were none
	Faults  int // that were injected

	uses     []use // of jobs
	items    items
	branches branches
	failed   *record // what the line script.failed says; nil: there is none
}

// Lane holds bars that came one after another.
type Lane struct {
	Name string
	Bars []*Bar
	// Within is the lane that it branched off; nil: it is a shell's own.
	Within *Lane
}

// Kind tells commands, attempts and waits apart.
type Kind int

// The kinds of bars.
const (
	Command Kind = iota
	Attempt
	Wait
)

// Bar is something that took time.
type Bar struct {
	Kind       Kind
	Label      string
	Place      string // script:line
	Start, End time.Time
	Failed     bool
	Why        string
	open       bool
	Job        bool // it is a job of a batch system, or what that waited for
	held       bool // a wait for .limit.
	attempt    int  // its number; 0: it is none
}

// Told describes the bar, and says that the log does not tell how long it took, if its end is not there.
func (b *Bar) Told() string {
	if b.open {
		return "(end not seen; the log stops after " + brief.Time(b.Length()) + ") " + b.Label
	}
	return b.Label
}

// shownLength is its length for people: a question mark where nobody saw its end.
func (b *Bar) shownLength() string {
	if b.open {
		return "?"
	}
	return brief.Time(b.Length())
}

// Length returns how long it took; without an end in the log, up to the last sign of life.
func (b *Bar) Length() time.Duration { return b.End.Sub(b.Start) }

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
	lanes  map[key]*Lane
	open   map[key]*Bar // the command, or the present phase of a try, by its execution
	within map[key]*Lane
	jobs   map[key]*jobTimes // likewise
}

func newBuilder() *builder {
	return &builder{story: &Story{items: items{ended: map[key]ending{}}}, lanes: map[key]*Lane{}, open: map[key]*Bar{},
		within: map[key]*Lane{}, jobs: map[key]*jobTimes{}}
}

// takeRecord adds what one record tells.
func (b *builder) takeRecord(r *record) {
	s := b.story
	if b.events == 1 {
		s.Start, b.first = r.Time, r.Shell
	}
	s.End = r.Time
	s.Level = max(s.Level, r.Level)
	if strings.HasSuffix(r.Event, ".start") && r.ID != 0 {
		b.within[key{r.Shell, r.ID}] = b.laneOf(r)
	}
	s.items.takeRecord(r)
	s.branches.takeRecord(r)
	switch name := r.Event; {
	case name == "script.failed" && r.Shell == b.first:
		failed := *r
		s.failed = &failed
	case name == "shell.start" || name == "shell.end":
		b.noteShell(r)
	case name == "forall.branch" || name == "forany.item":
		b.nameBranch(r)
	case name == "fault.injected":
		s.Faults++
	case name == "job.state" || name == "job.wait":
		b.takeJob(r)
	case name == "command.start":
		b.beginBar(r, Command, strings.Join(r.Command, " "))
	case name == "command.end" || name == "command.failed":
		b.endCommand(r)
	case strings.HasPrefix(name, "try.") || strings.HasPrefix(name, "verify") ||
		name == "catch" || name == "finally" || name == "resource.wait":
		b.turnPhase(r)
	}
}

// noteShell notes the beginning and the end of the shell that the log is about.
func (b *builder) noteShell(r *record) {
	switch {
	case r.Event == "shell.start":
		b.laneOf(r).Name = strings.Join(r.Command, " ")
		if r.Shell == b.first {
			b.story.Script = strings.Join(r.Command, " ")
		}
	case r.Shell == b.first:
		b.story.Status, b.story.Ended = r.Status, true
	}
}

// nameBranch names a lane by what its branch was given.
func (b *builder) nameBranch(r *record) {
	if r.Branch == 0 {
		return
	}
	if lane := b.laneOf(r); r.Event == "forall.branch" || lane.Name == "" {
		lane.Name = r.Name + "=" + r.Value
	}
}

// laneOf is the lane of a record. A new one lies within that of the execution which
// it is part of: the loop of a branch, the pipeline of a stage.
func (b *builder) laneOf(r *record) *Lane {
	k := key{r.Shell, r.Branch}
	lane := b.lanes[k]
	if lane == nil {
		lane = &Lane{}
		if r.Branch != 0 {
			outer := r.Parent
			if r.Event == "forall.branch" || r.Event == "forany.item" {
				outer = r.ID
			}
			lane.Within = cmp.Or(b.within[key{r.Shell, outer}], b.lanes[key{r.Shell, 0}])
		}
		b.lanes[k] = lane
		b.story.Lanes = append(b.story.Lanes, lane)
	}
	return lane
}

// beginBar begins a bar for an execution, and ends the one before.
func (b *builder) beginBar(r *record, kind Kind, label string) *Bar {
	lane := b.laneOf(r)
	bar := &Bar{Kind: kind, Label: label, Place: r.scriptLine(), Start: r.Time, End: r.Time, open: true}
	lane.Bars = append(lane.Bars, bar)
	b.open[key{r.Shell, r.ID}] = bar
	return bar
}

// endBar ends the bar of an execution, if there is one.
func (b *builder) endBar(r *record) *Bar {
	k := key{r.Shell, r.ID}
	bar := b.open[k]
	if bar == nil || r.ID == 0 {
		return nil
	}
	delete(b.open, k)
	bar.End, bar.open = r.Time, false
	return bar
}

// endCommand ends a command. Where the log has no start, its length gives it.
func (b *builder) endCommand(r *record) {
	bar := b.endBar(r)
	if bar == nil {
		bar = b.beginBar(r, Command, strings.Join(r.Command, " "))
		bar.Start = r.Time.Add(-asDuration(r.Elapsed))
		b.endBar(r)
		bar.open = false
	}
	if r.Event == "command.failed" {
		bar.Failed, bar.Why = true, cmp.Or(r.Message, r.Failure)
	}
	b.divideJob(key{r.Shell, r.ID})
}

// turnPhase ends the present phase of a try and begins the next.
func (b *builder) turnPhase(r *record) {
	if r.Event == "try.start" {
		return
	}
	if bar := b.endBar(r); bar != nil && bar.Kind == Attempt && r.Failure != "" {
		bar.Failed, bar.Why = true, cmp.Or(r.Message, r.Failure)
	}
	switch r.Event {
	case "try.attempt":
		b.beginBar(r, Attempt, "attempt "+decimal(r.Attempt)).attempt = r.Attempt
	case "try.wait", "verify.wait":
		b.beginBar(r, Wait, "wait after attempt "+decimal(r.Attempt))
	case "resource.wait":
		b.beginBar(r, Wait, "wait for the "+r.Value+" of "+r.Name)
	case "catch", "finally", "verify":
		b.beginBar(r, Attempt, r.Event)
	case "try.failed":
		b.noteFailedTry(r)
	}
}

// noteFailedTry notes a try that failed as a bar without a length on its lane: what is
// said of failures is made of bars.
func (b *builder) noteFailedTry(r *record) {
	bar := b.beginBar(r, Attempt, "try")
	bar.Start = r.Time.Add(-asDuration(r.Elapsed))
	bar.Failed, bar.Why = true, cmp.Or(r.Message, r.Failure)
	if r.Reason != "" {
		bar.Label = "try (" + r.Reason + ")"
	}
	b.endBar(r)
	bar.Start = bar.End
}

// finishStory ends what the log leaves open, and puts the lanes in order.
func (b *builder) finishStory() *Story {
	s := b.story
	for _, bar := range b.open {
		bar.End = s.End
	}
	for k := range b.jobs {
		b.divideJob(k)
	}
	for _, lane := range s.Lanes {
		for _, bar := range lane.Bars {
			if bar.Start.Before(s.Start) {
				s.Start = bar.Start
			}
		}
		if lane.Name == "" && len(lane.Bars) > 0 {
			lane.Name = lane.firstLabel()
		}
	}
	s.Lanes = slices.DeleteFunc(s.Lanes, func(l *Lane) bool { return len(l.Bars) == 0 })
	slices.SortStableFunc(s.Lanes, func(a, b *Lane) int { return a.Bars[0].Start.Compare(b.Bars[0].Start) })
	s.nestLanes()
	return s
}

// nestLanes puts lanes behind the one that they lie within.
func (s *Story) nestLanes() {
	present, inner := map[*Lane]bool{}, map[*Lane][]*Lane{}
	for _, lane := range s.Lanes {
		present[lane] = true
	}
	for _, lane := range s.Lanes {
		for lane.Within != nil && !present[lane.Within] { // nothing took time there
			lane.Within = lane.Within.Within
		}
		inner[lane.Within] = append(inner[lane.Within], lane)
	}
	var ordered []*Lane
	var visit func(*Lane)
	visit = func(outer *Lane) {
		for _, lane := range inner[outer] {
			ordered = append(ordered, lane)
			visit(lane)
		}
	}
	visit(nil)
	s.Lanes = ordered
}
