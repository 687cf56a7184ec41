package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	fmt.Fprintf(&b, "%s: %s\n", shortText(s.script, 60), s.headline())
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
			line += fmt.Sprintf("  %-*s", widths[i], cell)
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
		fmt.Fprintf(b, "  %-*s %s\n", nameWidth, shortText(lane.indentOf()+lane.name, nameWidth), s.drawLane(lane, width))
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
	draw := func(mark rune, from, to float64) {
		last := max(0, min(width-1, int(to*float64(width))))
		for at := max(0, min(width-1, int(from*float64(width)))); at <= last; at++ {
			cells[at] = mark
		}
	}
	for _, kind := range []kind{attemptBar, waitBar, commandBar} {
		for _, bar := range lane.bars {
			if bar.kind == kind && (kind != attemptBar || bar.length() > 0) {
				draw([]rune("█░·")[kind], s.shareOf(bar.start), s.shareOf(bar.end))
			}
		}
	}
	for _, bar := range lane.bars {
		if bar.failed && bar.kind == commandBar {
			draw('×', s.shareOf(bar.end), s.shareOf(bar.end))
		}
	}
	return strings.TrimRight(string(cells), " ")
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
