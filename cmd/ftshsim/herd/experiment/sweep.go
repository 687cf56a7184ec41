package experiment

import (
	"fmt"
	"math"
	"strconv"

	"ftsh/cmd/ftshsim/herd/measure"
)

// sweep collects curves over the same points, with what was published, into a
// table, a figure and comparisons.
type sweep struct {
	name, title string
	label       string // of the points in the table
	x, y        Axis
	table       Table
	figure      Figure
	comparisons []Comparison
}

// addCurve adds one. published may be empty; a published point belongs to one of
// ours if it is not further away than within.
func (s *sweep) addCurve(name string, points []int, published Line, within float64, ours func(at int) measure.Sample) {
	first := len(s.table.Rows) == 0
	line, dots := Line{Name: name}, published
	dots.Name = name + ", published"
	s.table.Columns = append(s.table.Columns, Column{Name: name})
	if len(published.X) > 0 {
		s.table.Columns = append(s.table.Columns, Column{Name: name, Published: true})
		s.figure.Lines = append(s.figure.Lines, dots)
	}
	for at, x := range points {
		if first {
			s.table.Rows = append(s.table.Rows, Row{Labels: []string{strconv.Itoa(x)}})
		}
		row, value := &s.table.Rows[at], ours(at)
		line.addPoint(float64(x), value)
		row.Values = append(row.Values, value)
		if len(published.X) == 0 {
			continue
		}
		y := published.nearestY(float64(x), within)
		row.Values = append(row.Values, publishedSample(y))
		if !math.IsNaN(y) {
			s.comparisons = append(s.comparisons, Comparison{fmt.Sprintf("%s, %s, %d %s", s.title, name, x, s.label), y, value})
		}
	}
	s.figure.Lines = append(s.figure.Lines, line)
}

// putInto puts what was collected into a report.
func (s *sweep) putInto(r *Report, source string) {
	s.table.Name, s.table.Title, s.table.Labels = s.name, s.title, []string{s.label}
	s.figure.Name, s.figure.Title, s.figure.X, s.figure.Y = s.name, s.title, s.x, s.y
	for i := range s.comparisons {
		s.comparisons[i].What = source + ": " + s.comparisons[i].What
	}
	r.Tables = append(r.Tables, s.table)
	r.Figures = append(r.Figures, s.figure)
	r.Comparisons = append(r.Comparisons, s.comparisons...)
}
