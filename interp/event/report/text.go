package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ftsh/interp/brief"
)

// The sizes of the text.
const (
	mostLanes   = 40
	mostLongest = 10
	mostFailed  = 20
	nameWidth   = 18
)

// Text is the report for a terminal of that width, in characters.
func (s *Story) Text(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", shortText(s.pageTitle(), 60), s.headline())
	for _, note := range s.readerNotes() {
		b.WriteString(note + "\n")
	}
	s.textGroups(&b)
	s.textFailures(&b)
	s.textBranches(&b)
	if len(s.Lanes) == 0 {
		return b.String()
	}
	s.textLongest(&b)
	s.textRepeated(&b)
	s.textShares(&b)
	s.textUses(&b)
	s.textLanes(&b, max(width-nameWidth-3, 20))
	return b.String()
}

// headline says how the script ended, how long it took, and when that was.
func (s *Story) headline() string {
	if !s.Ended && s.Level < 30 {
		return fmt.Sprintf("%s, at %s", s.Outcome(), s.End.Format("2006-01-02 15:04:05")) // when it began is not known
	}
	return fmt.Sprintf("%s, %s from %s", s.Outcome(), brief.Time(s.End.Sub(s.Start)),
		s.Start.Format("2006-01-02 15:04:05"))
}

func (s *Story) pageTitle() string {
	if s.Script == "" {
		return "a script"
	}
	return s.Script
}

// textShares says where the time went.
func (s *Story) textShares(b *strings.Builder) {
	b.WriteString("\nWhere the time went, over all branches\n")
	width := 16
	for _, share := range s.Shares() {
		width = max(width, len(share.Name))
	}
	for _, share := range s.Shares() {
		fmt.Fprintf(b, "  %-*s %10s  in %d\n", width, share.Name, brief.Time(share.Time), share.Count)
	}
}

// textLanes draws a line for each lane.
func (s *Story) textLanes(b *strings.Builder, width int) {
	b.WriteString("\nTime line: █ command, ░ attempt, · wait, × failed\n")
	lanes := s.shownLanes(mostLanes)
	for _, lane := range lanes {
		name := shortText(lane.indentOf()+lane.Name, nameWidth)
		padding := strings.Repeat(" ", nameWidth-utf8.RuneCountInString(name))
		fmt.Fprintf(b, "  %s%s %s\n", name, padding, s.drawLane(lane, width))
	}
	if more := len(s.Lanes) - len(lanes); more > 0 {
		fmt.Fprintf(b, "  … and %d more, in which nothing failed or took longer\n", more)
	}
}

// indentOf is as many blanks as the lane lies within others.
func (l *Lane) indentOf() string {
	indent := ""
	for at := l.Within; at != nil && len(indent) < 6; at = at.Within {
		indent += "  "
	}
	return indent
}

// drawLane is a lane as characters: what matters more covers what matters less.
func (s *Story) drawLane(lane *Lane, width int) string {
	cells := []rune(strings.Repeat(" ", width))
	for _, pass := range []struct {
		kind Kind
		mark rune
	}{{Attempt, '░'}, {Wait, '·'}, {Command, '█'}} {
		for _, bar := range lane.Bars {
			if bar.Kind == pass.kind && (bar.Kind != Attempt || bar.Length() > 0) {
				from, to := s.columnOf(bar.Start, width), s.columnOf(bar.End, width)
				for at := from; at <= to; at++ {
					cells[at] = pass.mark
				}
			}
		}
	}
	for _, bar := range lane.Bars {
		if bar.Failed && bar.Kind == Command {
			cells[s.columnOf(bar.End, width)] = '×'
		}
	}
	return strings.TrimRight(string(cells), " ")
}

// columnOf is the column of a moment.
func (s *Story) columnOf(at time.Time, width int) int {
	whole := s.End.Sub(s.Start)
	if whole <= 0 {
		return 0
	}
	return max(0, min(width-1, int(float64(at.Sub(s.Start))/float64(whole)*float64(width))))
}

// textGroups says which items failed, and why.
func (s *Story) textGroups(b *strings.Builder) {
	groups, all := s.Groups()
	if len(groups) == 0 {
		return
	}
	b.WriteString("\nWhich items failed, and why\n")
	for i := range groups {
		if i == mostFailed {
			fmt.Fprintf(b, "  … and %d more reasons\n", len(groups)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n      %s\n", shortText(groups[i].describeGroup(all), 120),
			shortText(groups[i].listNames(), 120))
	}
}

// textRepeated says what was tried most often.
func (s *Story) textRepeated(b *strings.Builder) {
	list := s.MostRepeated(mostLongest)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nThe most repeated\n")
	for _, one := range list {
		fmt.Fprintf(b, "  %3d attempts  %s %s\n", one.Attempts, one.Place, shortText(one.Lane, 60))
	}
}

func (s *Story) textLongest(b *strings.Builder) {
	b.WriteString("\nThe longest\n")
	for _, bar := range s.Longest(mostLongest) {
		fmt.Fprintf(b, "  %10s  %s %s\n", bar.shownLength(), bar.Place, shortText(bar.Told(), 100))
	}
}

func (s *Story) textFailures(b *strings.Builder) {
	failures := s.Failures()
	if len(failures) == 0 {
		return
	}
	b.WriteString("\nWhat failed, and why\n")
	for i, one := range failures {
		if i == mostFailed {
			fmt.Fprintf(b, "  … and %d more\n", len(failures)-i)
			break
		}
		fmt.Fprintf(b, "  %s  %s %s: %s%s\n",
			one.First.Format("15:04:05"), one.Place, shortText(one.Label, 60), shortText(one.Why, 120), one.timesFailed())
	}
}

// timesFailed says how often something failed, if that was more than once.
func (f *Failing) timesFailed() string {
	if f.Count == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times, last at %s)", f.Count, f.Last.Format("15:04:05"))
}
