package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The sizes of the text.
const (
	mostLanes = 40
	nameWidth = 18
	cellWidth = 60
)

// Text is the report for a terminal of that width, in characters.
func (s *Story) Text(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", shortText(s.pageTitle(), 60), s.headline())
	for _, note := range s.readerNotes() {
		b.WriteString(note + "\n")
	}
	for _, t := range s.tables() {
		t.writeText(&b)
	}
	if s.level >= 10 && len(s.lanes) > 0 {
		s.textLanes(&b, max(width-nameWidth-3, 20))
	}
	return b.String()
}

// writeText writes a table with its columns below each other; the last one may be long.
func (t *table) writeText(b *strings.Builder) {
	b.WriteString("\n" + t.title + "\n")
	rows := append([][]string{t.heads}, t.rows[:min(t.shown, len(t.rows))]...)
	widths := make([]int, len(t.heads))
	for _, row := range rows {
		for i := range row {
			row[i] = shortText(row[i], cellWidth)
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += "  " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if more := len(t.rows) - t.shown; more > 0 {
		fmt.Fprintf(b, "  … and %s more\n", thousands(more))
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

// shownLanes are the lanes that a picture of at most so many has: those in which something failed, then those with the
// longest and the most bars, in the order of the story, each with what it lies within.
func (s *Story) shownLanes(most int) []*lane {
	if len(s.lanes) <= most {
		return s.lanes
	}
	order := slices.Clone(s.lanes)
	slices.SortStableFunc(order, func(a, b *lane) int { return cmp.Compare(b.shownWeight(), a.shownWeight()) })
	wanted := map[*lane]bool{}
	for _, lane := range order {
		for ; lane != nil && !wanted[lane] && len(wanted) < most; lane = lane.within {
			wanted[lane] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(s.lanes), func(l *lane) bool { return !wanted[l] })
}

// shownWeight says how much a lane is worth being shown.
func (l *lane) shownWeight() (weight float64) {
	for _, bar := range l.bars {
		weight += bar.length().Seconds() + 0.001
		if bar.failed {
			weight += 1e6
		}
	}
	return weight
}
