package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// builder makes a Story of records.
type builder struct {
	story  *Story
	events int
	first  int // the shell that the log begins with
	lanes  map[key]*lane
	within map[key]*lane // that an execution stands in
	open   map[key]*bar  // the command, or the present phase of a try, by its execution
}

// key names an execution or a branch among several shells in one log.
type key struct {
	shell  int
	number uint64
}

// job holds what a log says of the job that a command is.
type job struct {
	alone   bool      // its bar is its own, as that of a pipeline, and ends with it
	held    time.Time // when .limit. began to hold it; zero: it does not
	free    time.Time // when that was over; zero: it never was held
	running time.Time // when it was first seen to run; zero: it was not
	end     *record   // says how long its programs took; nil: nothing does
}

func newBuilder() *builder {
	return &builder{story: &Story{script: "a script"}, lanes: map[key]*lane{}, within: map[key]*lane{},
		open: map[key]*bar{}}
}

// takeRecord adds one record to the story.
func (b *builder) takeRecord(r *record) {
	s := b.story
	if b.events == 1 {
		s.start, b.first = r.Time, r.Shell
	}
	s.end, s.level = r.Time, max(s.level, r.Level)
	lane := b.laneOf(r)
	if strings.HasSuffix(r.Event, ".start") && r.ID != 0 {
		b.within[key{r.Shell, r.ID}] = lane
	}
	switch r.Event {
	case "shell.start":
		lane.name = strings.Join(r.Command, " ")
		if r.Shell == b.first {
			s.script = cmp.Or(lane.name, s.script)
		}
	case "shell.end":
		if r.Shell == b.first {
			s.status, s.ended = r.Status, true
		}
	case "script.failed", "script.branch":
		b.takeSummary(r)
	case "forall.start":
		s.items += r.Count
	case "forall.branch":
		lane.name, lane.isBranch, lane.outcome = r.Name+"="+r.Value, true, "the log does not have its end"
		s.branches = append(s.branches, lane)
	case "forany.item":
		if r.Branch != 0 && lane.name == "" {
			lane.name = r.Name + "=" + r.Value
		}
	case "branch.end":
		lane.took, lane.outcome, lane.seen = asDuration(r.Elapsed), "succeeded", true
	case "branch.failed":
		lane.took, lane.outcome, lane.seen, lane.failed = asDuration(r.Elapsed), r.whyFailed(), true, true
		if at := len(lane.bars) - 1; at >= 0 && lane.bars[at].failed && r.lastWords() != "" {
			lane.bars[at].why += ", " + r.lastWords() // so that causes differ where the status is the same
		}
	case "fault.injected":
		s.faults++
	case "job.state", "job.wait":
		b.takeJob(r)
	case "command.start":
		b.beginBar(r, commandBar, strings.Join(r.Command, " "))
	case "command.end", "command.failed":
		b.endCommand(r)
	case "try.attempt", "try.wait", "try.end", "try.failed", "verify", "verify.wait", "verify.end", "catch", "finally",
		"resource.wait":
		b.turnPhase(r)
	}
}

// takeSummary notes why the script, or a branch of it, has failed. A log of a higher level has told of the command.
func (b *builder) takeSummary(r *record) {
	if r.Event == "script.failed" && r.Shell == b.first {
		b.story.failed = r
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

// laneOf is the lane of a record. A new one lies within that of the execution which
// it is part of: the loop of a branch, the pipeline of a stage.
func (b *builder) laneOf(r *record) *lane {
	k := key{r.Shell, r.Branch}
	if found := b.lanes[k]; found != nil {
		return found
	}
	made := &lane{}
	if r.Branch != 0 {
		outer := r.Parent
		if r.Event == "forall.branch" || r.Event == "forany.item" {
			outer = r.ID
		}
		made.within = cmp.Or(b.within[key{r.Shell, outer}], b.lanes[key{r.Shell, 0}])
	}
	b.lanes[k], b.story.lanes = made, append(b.story.lanes, made)
	return made
}

// beginBar begins a bar for an execution, and ends the one before.
func (b *builder) beginBar(r *record, kind kind, label string) *bar {
	lane := b.laneOf(r)
	bar := &bar{lane: lane, kind: kind, label: label, place: r.scriptLine(), start: r.Time, end: r.Time, open: true}
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
		bar.fail(r)
	}
	bar.divideJob()
}

// turnPhase ends the present phase of a try and begins the next. A try that failed is a bar without a length: what is
// said of failures is made of bars.
func (b *builder) turnPhase(r *record) {
	if bar := b.endBar(r); bar != nil && bar.kind == attemptBar && r.Failure != "" {
		bar.fail(r)
	}
	switch r.Event {
	case "try.attempt":
		b.laneOf(r).attempts++
		b.beginBar(r, attemptBar, "attempt "+strconv.Itoa(r.Attempt)).attempt = r.Attempt
	case "try.wait", "verify.wait":
		b.beginBar(r, waitBar, "wait after attempt "+strconv.Itoa(r.Attempt))
	case "resource.wait":
		b.beginBar(r, waitBar, "wait for the "+r.Value+" of "+r.Name)
	case "catch", "finally", "verify":
		b.beginBar(r, attemptBar, r.Event)
	case "try.failed":
		bar := b.beginBar(r, attemptBar, "try")
		if r.Reason != "" {
			bar.label = "try (" + r.Reason + ")"
		}
		bar.fail(r)
		b.endBar(r)
	}
}

// takeJob adds what a record says of a job. Where the log has no command for it, as for a pipeline, it gets a bar of
// its own.
func (b *builder) takeJob(r *record) {
	bar := b.open[key{r.Shell, r.ID}]
	alone := bar == nil
	if alone {
		bar = b.beginBar(r, commandBar, "job "+r.Name)
	}
	if bar.job == nil {
		bar.job = &job{alone: alone}
	}
	j := bar.job
	if r.Event == "job.wait" {
		j.held = r.Time
		return
	}
	if !j.held.IsZero() && j.free.IsZero() {
		j.free = r.Time
	}
	switch r.Value {
	case "running":
		if j.running.IsZero() {
			j.running = r.Time
		}
	case "done", "failed", "left":
		if r.Elapsed > 0 || len(r.Asked) > 0 {
			j.end, b.story.uses = r, append(b.story.uses, r)
		}
		if j.alone {
			bar.failed, bar.why = r.Value == "failed", r.Message
			b.endBar(r)
			bar.divideJob()
		}
	}
}

// divideJob makes waits of the time for which a job was held and stood in the queue; its command is the rest.
func (b *bar) divideJob() {
	j := b.job
	if j == nil {
		return
	}
	submitted, began := b.start, b.end // if it never ran, all was the queue
	if !j.held.IsZero() {
		submitted = cmp.Or(j.free, b.end)
	}
	switch {
	case j.end != nil:
		began = b.end.Add(-asDuration(j.end.Elapsed))
	case !j.running.IsZero():
		began = j.running
	}
	if began.Before(submitted) {
		began = submitted
	}
	b.addWait(b.start, submitted, true, "held by .limit.: ")
	b.addWait(submitted, began, false, "in the queue: ")
	b.start = began
}

// addWait adds a wait before the bar of a job, if it took time.
func (b *bar) addWait(from, to time.Time, held bool, what string) {
	if to.After(from) {
		wait := *b
		wait.kind, wait.label, wait.start, wait.end, wait.held = waitBar, what+wait.label, from, to, held
		wait.failed, wait.open = false, false
		b.lane.bars = slices.Insert(b.lane.bars, slices.Index(b.lane.bars, b), &wait)
	}
}
