package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"ftsh/cmd/ftshsim/herd/experiment"
)

// Text draws a figure with characters, width wide and height high without its
// labels. Each line is drawn with a letter of its own, published points with
// dots; where lines meet, the later one is seen.
func Text(f experiment.Figure, width, height int) string {
	x, y := figureScales(f, width, height)
	canvas := make([][]rune, height)
	for i := range canvas {
		canvas[i] = []rune(strings.Repeat(" ", width))
	}
	marks := lineLetters(f.Lines)
	for n, l := range f.Lines {
		tracePoints(canvas, l, marks[n], x, y)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n%s\n", f.Title, lineLegend(f.Lines, marks))
	for row := range canvas {
		label := ""
		if row == 0 || row == height-1 || row == (height-1)/2 {
			label = Short(y.valueAt(height - 1 - row))
		}
		fmt.Fprintf(&text, "%8s ┤%s\n", label, strings.TrimRight(string(canvas[row]), " "))
	}
	fmt.Fprintf(&text, "%8s └%s\n", "", strings.Repeat("─", width))
	low, high := Short(x.valueAt(0)), Short(x.valueAt(width-1))
	middle := f.X.Label
	gap := width - utf8.RuneCountInString(low+middle+high)
	fmt.Fprintf(&text, "%10s%s%s%s%s%s\n", "", low,
		strings.Repeat(" ", max(1, gap/2)), middle, strings.Repeat(" ", max(1, gap-gap/2)), high)
	for _, b := range f.Bands {
		text.WriteString(bandLine(b, x))
	}
	return text.String()
}

// bandLine is a band as a line below the axis.
func bandLine(b experiment.Band, x scale) string {
	from, _ := x.placeOf(math.Max(b.From, x.low))
	to, _ := x.placeOf(math.Min(b.To, x.high))
	if b.From > x.high {
		return ""
	}
	return fmt.Sprintf("%10s%s%s %s\n", "", strings.Repeat(" ", from), strings.Repeat("▒", max(to-from, 1)), b.Name)
}

// tracePoints puts the points of a line on the canvas, and the way between them.
func tracePoints(canvas [][]rune, l experiment.Line, mark rune, x, y scale) {
	lastColumn, lastRow := -1, 0
	for i := range l.X {
		column, ok := x.placeOf(l.X[i])
		row, ok2 := y.placeOf(l.Y[i].Mean())
		if !ok || !ok2 {
			lastColumn = -1
			continue
		}
		row = len(canvas) - 1 - row
		if !l.Published && !l.Dots && lastColumn >= 0 {
			for c := lastColumn + 1; c < column; c++ {
				between := lastRow + (row-lastRow)*(c-lastColumn)/(column-lastColumn)
				canvas[between][c] = mark
			}
		}
		canvas[row][column] = mark
		lastColumn, lastRow = column, row
	}
}

// lineLetters gives each line a letter of its name, or whatever is left.
func lineLetters(lines []experiment.Line) []rune {
	used := map[rune]bool{}
	var marks []rune
	for _, l := range lines {
		if l.Published {
			marks = append(marks, '·')
			continue
		}
		for _, r := range l.Name + "abcdefghijklmnopqrstuvwxyz0123456789" {
			if r != ' ' && r != ',' && !used[r] {
				used[r] = true
				marks = append(marks, r)
				break
			}
		}
		if len(marks) == 0 || len(marks) < len(lines) && len(used) > 60 {
			marks = append(marks, '*')
		}
	}
	return marks
}

func lineLegend(lines []experiment.Line, marks []rune) string {
	var parts []string
	published := false
	for i, l := range lines {
		if l.Published {
			published = true
			continue
		}
		parts = append(parts, fmt.Sprintf("%c %s", marks[i], l.Name))
	}
	if published {
		parts = append(parts, "· published")
	}
	return strings.Join(parts, "   ")
}

// scale maps values to a number of places.
type scale struct {
	low, high float64
	log       bool
	places    int
}

func figureScales(f experiment.Figure, width, height int) (x, y scale) {
	x = scale{math.Inf(1), math.Inf(-1), f.X.Log, width}
	y = scale{math.Inf(1), math.Inf(-1), f.Y.Log, height}
	for _, l := range f.Lines {
		for i := range l.X {
			x.reachValue(l.X[i])
			y.reachValue(l.Y[i].Mean())
		}
	}
	if !y.log {
		y.reachValue(0)
	}
	return x.roundEnd(), y.roundEnd()
}

func (s *scale) reachValue(v float64) {
	if !math.IsNaN(v) && (!s.log || v > 0) {
		s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	}
}

// roundEnd gives a scale some length, and a round end.
func (s scale) roundEnd() scale {
	if s.low > s.high {
		s.low, s.high = 0, 1
	}
	if !s.log && s.low >= 0 && s.low < s.high/2 {
		s.low = 0
	}
	if s.low == s.high {
		s.high = s.low + 1
	}
	if !s.log && s.low == 0 {
		s.high = roundUp(s.high)
	}
	return s
}

// roundUp is the next number of which the half is a round one, too.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= n*power*(1+1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// placeOf returns the place of a value, from 0; false if it has none.
func (s scale) placeOf(v float64) (int, bool) {
	low, high := s.low, s.high
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	p := int(math.Round((v - low) / (high - low) * float64(s.places-1)))
	return p, p >= 0 && p < s.places
}

func (s scale) valueAt(place int) float64 {
	share := float64(place) / float64(s.places-1)
	if s.log {
		return s.low * math.Pow(s.high/s.low, share)
	}
	return s.low + share*(s.high-s.low)
}

// Short writes a number with three digits, or all of those before the point.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 100 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
