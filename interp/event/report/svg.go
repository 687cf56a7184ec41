package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/interp/brief"
	"ftsh/interp/event/page"
)

// The sizes of the picture, in pixels.
const (
	pictureWidth = 1000
	nameSpace    = 180 // left of the bars
	laneHeight   = 34
	axisHeight   = 24
	leastWidth   = 2 // of a bar that is too short to be seen
)

// The most that is drawn: more could not be told apart.
const (
	mostDrawnLanes = 300
	mostDrawnBars  = 8000
)

// writeSVG draws the time line.
func (s *Story) writeSVG(b *strings.Builder) {
	lanes := s.shownLanes(mostDrawnLanes)
	height := axisHeight + laneHeight*len(lanes)
	fmt.Fprintf(b, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"time line\">\n", pictureWidth, height)
	s.writeAxis(b, height)
	left := mostDrawnBars
	for i, lane := range lanes {
		top := axisHeight + i*laneHeight
		indent := len(lane.indentOf())
		name := page.Escape(shortText(lane.name, 24-indent))
		fmt.Fprintf(b, "<g transform=\"translate(0 %d)\"><text x=\"%d\" y=\"22\">%s</text>\n", top, 5*indent, name)
		bars := lane.drawnBars(left)
		for _, bar := range bars {
			s.svgBar(b, bar)
		}
		left -= len(bars)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	if more := len(s.lanes) - len(lanes); more > 0 {
		fmt.Fprintf(b, `<p class="note">%d more branches are not drawn: nothing failed in them, or took longer.</p>`+"\n",
			more)
	}
}

// drawnBars returns the bars of a lane that are drawn, at most so many, the longest: attempts below the commands in
// them, what failed on top.
func (l *lane) drawnBars(most int) []*bar {
	instant := func(bar *bar) bool { return bar.kind == attemptBar && bar.length() == 0 }
	bars := slices.DeleteFunc(slices.Clone(l.bars), instant)
	if len(bars) > most {
		slices.SortStableFunc(bars, byLength)
		bars = bars[:max(most, 0)]
	}
	slices.SortStableFunc(bars, func(a, b *bar) int {
		above := func(b *bar) bool { return b.kind != attemptBar && b.failed }
		return cmp.Or(firstIf(a.kind == attemptBar, b.kind == attemptBar), firstIf(above(b), above(a)))
	})
	return bars
}

// svgBar draws a bar, which tells about itself when it is pointed at.
func (s *Story) svgBar(b *strings.Builder, bar *bar) {
	class := []string{"command", "attempt", "wait"}[bar.kind]
	top, tall := 10, 14
	if bar.kind == attemptBar {
		top, tall = 4, 26
	}
	about := shortText(bar.told(), 300) + "\n" + shortText(bar.place+", "+bar.shownLength(), 300)
	if bar.failed {
		class += " failed"
		about += "\n" + shortText(bar.why, 300)
	}
	x, end := s.pixelOf(bar.start), s.pixelOf(bar.end)
	fmt.Fprintf(b, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>\n",
		class, x, top, max(end-x, leastWidth), tall, page.Escape(about))
}

// pixelOf returns the horizontal place of a moment.
func (s *Story) pixelOf(at time.Time) float64 {
	return nameSpace + s.shareOf(at)*(pictureWidth-nameSpace)
}

// shareOf returns how much of the time of the story was over at a moment, from 0 to 1.
func (s *Story) shareOf(at time.Time) float64 {
	return float64(at.Sub(s.start)) / float64(max(s.end.Sub(s.start), time.Millisecond))
}

// writeAxis draws the time, in round steps.
func (s *Story) writeAxis(b *strings.Builder, height int) {
	whole := s.end.Sub(s.start)
	step := roundStep(whole / 6)
	for at := time.Duration(0); at >= 0 && at <= whole; at += step { // below 0: beyond 292 years
		x := s.pixelOf(s.start.Add(at))
		fmt.Fprintf(b, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x, axisHeight-6, height)
		anchor := "middle"
		if x > pictureWidth-40 {
			anchor = "end"
		}
		fmt.Fprintf(b, "<text class=\"axis\" text-anchor=\"%s\" x=\"%.1f\" y=\"12\">%s</text>\n", anchor, x, brief.Time(at))
	}
}

// roundStep is a length of time that people count in, not below d.
func roundStep(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{
		time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second,
		time.Minute, 10 * time.Minute, time.Hour,
	} {
		for _, factor := range []time.Duration{1, 2, 5} {
			if step := factor * unit; step >= d {
				return step
			}
		}
	}
	return (d/time.Hour + 1) * time.Hour
}
