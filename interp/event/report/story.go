package report

import (
	"cmp"
	"slices"
	"time"

	"ftsh/interp/brief"
)

// Story holds the lanes and failures of a log. [Read] makes it; it does not change afterwards.
type Story struct {
	script  string // with its arguments, if the log has them
	start   time.Time
	end     time.Time
	status  int  // of the first shell
	ended   bool // the log has its end
	lanes   []*lane
	level   int // the highest of an event in it
	skipped int // lines that were none
	faults  int // that were injected

	uses     []*record // ends of jobs that tell what they used
	items    int       // that loops were to have, as far as the log says it
	branches []*lane   // of foralls, in the order in which they began
	failed   *record   // what the line script.failed says; nil: there is none
}

// lane holds bars that came one after another.
type lane struct {
	name   string
	bars   []*bar
	within *lane // that it branched off; nil: it is a shell's own

	isBranch bool // of a forall, named by its item as variable=item
	attempts int  // of the tries in it
	took     time.Duration
	outcome  string // such as: succeeded; exit 7, connection refused
	failed   bool
	seen     bool // its end is in the log
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
	lane       *lane
	kind       kind
	label      string
	place      string // script:line
	start, end time.Time
	failed     bool
	why        string
	open       bool   // its end is not in the log
	job        *job   // of a batch system, which it is, or waited for; nil: none
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

// fail notes why it failed.
func (b *bar) fail(r *record) { b.failed, b.why = true, cmp.Or(r.Message, r.Failure) }

// allBars goes over the bars of all lanes.
func (s *Story) allBars(yield func(*bar) bool) {
	for _, lane := range s.lanes {
		for _, bar := range lane.bars {
			if !yield(bar) {
				return
			}
		}
	}
}

// finishStory ends what the log leaves open, and puts the lanes in order.
func (b *builder) finishStory() *Story {
	s := b.story
	for _, bar := range b.open {
		bar.end = s.end
		bar.divideJob()
	}
	inner := map[*lane][]*lane{}
	s.lanes = slices.DeleteFunc(s.lanes, func(l *lane) bool { return len(l.bars) == 0 })
	slices.SortStableFunc(s.lanes, func(a, b *lane) int { return a.bars[0].start.Compare(b.bars[0].start) })
	for _, lane := range s.lanes {
		for _, bar := range lane.bars {
			if bar.start.Before(s.start) {
				s.start = bar.start
			}
		}
		if lane.name == "" {
			isTold := func(b *bar) bool { return b.job == nil || b.kind != waitBar }
			lane.name = lane.bars[max(0, slices.IndexFunc(lane.bars, isTold))].label
		}
		for lane.within != nil && len(lane.within.bars) == 0 { // nothing took time there
			lane.within = lane.within.within
		}
		inner[lane.within] = append(inner[lane.within], lane)
	}
	s.lanes = nested(inner, nil)
	return s
}

// nested returns the lanes within one, each followed by those within it.
func nested(inner map[*lane][]*lane, outer *lane) (list []*lane) {
	for _, lane := range inner[outer] {
		list = append(append(list, lane), nested(inner, lane)...)
	}
	return list
}
