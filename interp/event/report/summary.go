package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func decimal(n int) string { return strconv.Itoa(n) }

// Share is the time that something took, over all branches.
type Share struct {
	Name  string
	Time  time.Duration
	Count int
}

// Shares says where the time went: in commands, in waits, and in commands of
// attempts that failed, which were made in vain. Jobs are told apart, with what they waited for, if there were any.
func (s *Story) Shares() []Share {
	shares := []Share{{Name: "commands"}, {Name: "failed commands"}, {Name: "waits"},
		{Name: "jobs"}, {Name: "failed jobs"}, {Name: "jobs in the queue"}, {Name: "jobs held by .limit."}}
	const own, jobs = 0, 3
	waited := false
	for bar := range s.allBars {
		at := own
		switch {
		case bar.Kind == Attempt:
			continue
		case bar.Job && bar.held:
			at = jobs + 3
		case bar.Job && bar.Kind == Wait:
			at = jobs + 2
		case bar.Kind == Wait:
			at = own + 2
		case bar.Job:
			at = jobs
		}
		if bar.Kind == Command && bar.Failed {
			at++
		}
		shares[at].addBar(bar)
		waited = waited || bar.Job
	}
	if !waited {
		return shares[:jobs]
	}
	return shares
}

func (s *Share) addBar(bar *Bar) {
	s.Time += bar.Length()
	s.Count++
}

// allBars goes over the bars of all lanes.
func (s *Story) allBars(yield func(*Bar) bool) {
	for _, lane := range s.Lanes {
		for _, bar := range lane.Bars {
			if !yield(bar) {
				return
			}
		}
	}
}

// Longest are the commands and waits that took longest.
func (s *Story) Longest(most int) []*Bar {
	var list []*Bar
	for bar := range s.allBars {
		if bar.Kind != Attempt && (bar.Length() > 0 || bar.open) {
			list = append(list, bar)
		}
	}
	slices.SortStableFunc(list, func(a, b *Bar) int { return cmp.Compare(b.Length(), a.Length()) })
	return list[:min(most, len(list))]
}

// Failing is something that failed, perhaps several times in the same way.
type Failing struct {
	Place, Label, Why string
	Count             int
	First, Last       time.Time
	try               bool
}

// Failures are commands and tries that failed, by where and why, in the order in which
// each failed first. Attempts fail of the commands in them, and are left out.
func (s *Story) Failures() []*Failing {
	known := map[Failing]*Failing{}
	var list []*Failing
	for bar := range s.allBars {
		if !bar.Failed || bar.Kind == Attempt && bar.Length() > 0 {
			continue
		}
		name := Failing{Place: bar.Place, Label: bar.Label, Why: bar.Why, try: bar.Kind == Attempt}
		one := known[name]
		if one == nil {
			fresh := name
			one = &fresh
			one.First = bar.End
			known[name], list = one, append(list, one)
		}
		one.Count++
		one.Last = bar.End
	}
	slices.SortStableFunc(list, func(a, b *Failing) int { return a.First.Compare(b.First) })
	return list
}

// Outcome says how the script ended.
func (s *Story) Outcome() string {
	switch {
	case !s.Ended && s.failed != nil:
		return "failed: " + shortText(strings.Join(s.failed.Command, " ")+": "+s.failed.Message, 200)
	case !s.Ended && s.Level < 30:
		return "the log does not say how it ended"
	case !s.Ended:
		return "the log ends before the script did"
	case s.Status == 0:
		return "succeeded"
	}
	return "ended with status " + decimal(s.Status)
}

// readerNotes returns what a reader of the report must know about the log.
func (s *Story) readerNotes() []string {
	var notes []string
	if s.Level < 30 {
		notes = append(notes, "Attempts, waits and branches are only in a log of level 30 (-l 30); this one has less.")
	}
	if s.Skipped > 0 {
		notes = append(notes, "Lines of the log that are no events, and were passed over: "+decimal(s.Skipped)+".")
	}
	if s.Faults > 0 {
		notes = append(notes, "Faults injected on purpose (--inject): "+decimal(s.Faults)+".")
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
