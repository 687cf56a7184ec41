package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func decimal(n int) string { return strconv.Itoa(n) }

// share is the time that something took, over all branches.
type share struct {
	Name  string
	Time  time.Duration
	Count int
}

// sumShares says where the time went: in commands, in waits, and in commands of
// attempts that failed, which were made in vain. Jobs are told apart, with what they waited for, if there were any.
func (s *Story) sumShares() []share {
	shares := []share{{Name: "commands"}, {Name: "failed commands"}, {Name: "waits"},
		{Name: "jobs"}, {Name: "failed jobs"}, {Name: "jobs in the queue"}, {Name: "jobs held by .limit."}}
	const own, jobs = 0, 3
	waited := false
	for bar := range s.allBars {
		at := own
		switch {
		case bar.kind == attemptBar:
			continue
		case bar.job && bar.held:
			at = jobs + 3
		case bar.job && bar.kind == waitBar:
			at = jobs + 2
		case bar.kind == waitBar:
			at = own + 2
		case bar.job:
			at = jobs
		}
		if bar.kind == commandBar && bar.failed {
			at++
		}
		shares[at].addBar(bar)
		waited = waited || bar.job
	}
	if !waited {
		return shares[:jobs]
	}
	return shares
}

func (s *share) addBar(bar *bar) {
	s.Time += bar.length()
	s.Count++
}

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

// longestBars returns the commands and waits that took longest.
func (s *Story) longestBars(most int) []*bar {
	var list []*bar
	for bar := range s.allBars {
		if bar.kind != attemptBar && (bar.length() > 0 || bar.open) {
			list = append(list, bar)
		}
	}
	slices.SortStableFunc(list, func(a, b *bar) int { return cmp.Compare(b.length(), a.length()) })
	return list[:min(most, len(list))]
}

// failing is something that failed, perhaps several times in the same way.
type failing struct {
	Place, Label, Why string
	Count             int
	First, Last       time.Time
	try               bool
}

// listFailures returns commands and tries that failed, by where and why, in the order in which
// each failed first. Attempts fail of the commands in them, and are left out.
func (s *Story) listFailures() []*failing {
	known := map[failing]*failing{}
	var list []*failing
	for bar := range s.allBars {
		if !bar.failed || bar.kind == attemptBar && bar.length() > 0 {
			continue
		}
		name := failing{Place: bar.place, Label: bar.label, Why: bar.why, try: bar.kind == attemptBar}
		one := known[name]
		if one == nil {
			fresh := name
			one = &fresh
			one.First = bar.end
			known[name], list = one, append(list, one)
		}
		one.Count++
		one.Last = bar.end
	}
	slices.SortStableFunc(list, func(a, b *failing) int { return a.First.Compare(b.First) })
	return list
}

// outcome says how the script ended.
func (s *Story) outcome() string {
	switch {
	case !s.ended && s.failed != nil:
		return "failed: " + shortText(strings.Join(s.failed.Command, " ")+": "+s.failed.Message, 200)
	case !s.ended && s.level < 30:
		return "the log does not say how it ended"
	case !s.ended:
		return "the log ends before the script did"
	case s.status == 0:
		return "succeeded"
	}
	return "ended with status " + decimal(s.status)
}

// readerNotes returns what a reader of the report must know about the log.
func (s *Story) readerNotes() []string {
	var notes []string
	if s.level < 30 {
		notes = append(notes, "Attempts, waits and branches are only in a log of level 30 (-l 30); this one has less.")
	}
	if s.skipped > 0 {
		notes = append(notes, "Lines of the log that are no events, and were passed over: "+decimal(s.skipped)+".")
	}
	if s.faults > 0 {
		notes = append(notes, "Faults injected on purpose (--inject): "+decimal(s.faults)+".")
	}
	return notes
}

// shortText is a text that fits into a column, in characters.
func shortText(text string, width int) string {
	runes := []rune(text)
	for i, r := range runes {
		if r < ' ' || r == 0x7f {
			runes[i] = ' '
		}
	}
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}
