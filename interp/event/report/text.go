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
	if len(s.lanes) == 0 {
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
	if !s.ended && s.level < 30 {
		return fmt.Sprintf("%s, at %s", s.outcome(), s.end.Format("2006-01-02 15:04:05")) // when it began is not known
	}
	return fmt.Sprintf("%s, %s from %s", s.outcome(), brief.Time(s.end.Sub(s.start)),
		s.start.Format("2006-01-02 15:04:05"))
}

func (s *Story) pageTitle() string {
	if s.script == "" {
		return "a script"
	}
	return s.script
}

// textShares says where the time went.
func (s *Story) textShares(b *strings.Builder) {
	b.WriteString("\nWhere the time went, over all branches\n")
	width := 16
	for _, share := range s.sumShares() {
		width = max(width, len(share.Name))
	}
	for _, share := range s.sumShares() {
		fmt.Fprintf(b, "  %-*s %10s  in %d\n", width, share.Name, brief.Time(share.Time), share.Count)
	}
}

// textLanes draws a line for each lane.
func (s *Story) textLanes(b *strings.Builder, width int) {
	b.WriteString("\nTime line: █ command, ░ attempt, · wait, × failed\n")
	lanes := s.shownLanes(mostLanes)
	for _, lane := range lanes {
		name := shortText(lane.indentOf()+lane.name, nameWidth)
		padding := strings.Repeat(" ", nameWidth-utf8.RuneCountInString(name))
		fmt.Fprintf(b, "  %s%s %s\n", name, padding, s.drawLane(lane, width))
	}
	if more := len(s.lanes) - len(lanes); more > 0 {
		fmt.Fprintf(b, "  … and %d more, in which nothing failed or took longer\n", more)
	}
}

// indentOf is as many blanks as the lane lies within others.
func (l *lane) indentOf() string {
	indent := ""
	for at := l.within; at != nil && len(indent) < 6; at = at.within {
		indent += "  "
	}
	return indent
}

// drawLane is a lane as characters: what matters more covers what matters less.
func (s *Story) drawLane(lane *lane, width int) string {
	cells := []rune(strings.Repeat(" ", width))
	for _, pass := range []struct {
		kind kind
		mark rune
	}{{attemptBar, '░'}, {waitBar, '·'}, {commandBar, '█'}} {
		for _, bar := range lane.bars {
			if bar.kind == pass.kind && (bar.kind != attemptBar || bar.length() > 0) {
				from, to := s.columnOf(bar.start, width), s.columnOf(bar.end, width)
				for at := from; at <= to; at++ {
					cells[at] = pass.mark
				}
			}
		}
	}
	for _, bar := range lane.bars {
		if bar.failed && bar.kind == commandBar {
			cells[s.columnOf(bar.end, width)] = '×'
		}
	}
	return strings.TrimRight(string(cells), " ")
}

// columnOf is the column of a moment.
func (s *Story) columnOf(at time.Time, width int) int {
	whole := s.end.Sub(s.start)
	if whole <= 0 {
		return 0
	}
	return max(0, min(width-1, int(float64(at.Sub(s.start))/float64(whole)*float64(width))))
}

// textGroups says which items failed, and why.
func (s *Story) textGroups(b *strings.Builder) {
	groups, all := s.groupFailures()
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
	list := s.mostRepeated(mostLongest)
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
	for _, bar := range s.longestBars(mostLongest) {
		fmt.Fprintf(b, "  %10s  %s %s\n", bar.shownLength(), bar.place, shortText(bar.told(), 100))
	}
}

func (s *Story) textFailures(b *strings.Builder) {
	failures := s.listFailures()
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
func (f *failing) timesFailed() string {
	if f.Count == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times, last at %s)", f.Count, f.Last.Format("15:04:05"))
}
