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
	attemptTop   = 4
	attemptTall  = 26
	commandTop   = 10
	commandTall  = 14
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
		left -= s.svgLane(b, lane, left)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	if more := len(s.lanes) - len(lanes); more > 0 {
		fmt.Fprintf(b, `<p class="note">%d more branches are not drawn: nothing failed in them, or took longer.</p>`+"\n",
			more)
	}
}

// svgLane draws the bars of a lane, at most so many, the longest first.
func (s *Story) svgLane(b *strings.Builder, lane *lane, most int) int {
	instant := func(bar *bar) bool { return bar.kind == attemptBar && bar.length() == 0 }
	bars := slices.DeleteFunc(slices.Clone(lane.bars), instant)
	if len(bars) > most {
		slices.SortStableFunc(bars, func(a, b *bar) int { return cmp.Compare(b.length(), a.length()) })
		bars = bars[:max(most, 0)]
	}
	slices.SortStableFunc(bars, func(a, b *bar) int { return cmp.Compare(layerOf(a), layerOf(b)) })
	for _, bar := range bars {
		s.svgBar(b, bar)
	}
	return len(bars)
}

// layerOf says what lies above what: attempts below the commands in them, what failed on top.
func layerOf(bar *bar) int {
	switch {
	case bar.kind == attemptBar:
		return 0
	case !bar.failed:
		return 1
	}
	return 2
}

// svgBar draws a bar, which tells about itself when it is pointed at.
func (s *Story) svgBar(b *strings.Builder, bar *bar) {
	class := []string{"command", "attempt", "wait"}[bar.kind]
	top, tall := commandTop, commandTall
	if bar.kind == attemptBar {
		top, tall = attemptTop, attemptTall
	}
	about := bar.told() + "\n" + bar.place + ", " + bar.shownLength()
	if bar.failed {
		class += " failed"
		about += "\n" + bar.why
	}
	x, end := s.pixelOf(bar.start), s.pixelOf(bar.end)
	fmt.Fprintf(b, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>\n",
		class, x, top, max(end-x, leastWidth), tall, page.Escape(shortLines(about)))
}

// shortLines shortens each line of a text by itself.
func shortLines(s string) string {
	parts := strings.Split(s, "\n")
	for i := range parts {
		parts[i] = shortText(parts[i], 300)
	}
	return strings.Join(parts, "\n")
}

// pixelOf returns the horizontal place of a moment.
func (s *Story) pixelOf(at time.Time) float64 {
	whole := max(s.end.Sub(s.start), time.Millisecond)
	return nameSpace + float64(at.Sub(s.start))/float64(whole)*(pictureWidth-nameSpace)
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
