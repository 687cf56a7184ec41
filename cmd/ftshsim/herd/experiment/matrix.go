package experiment

import (
	"slices"
	"strconv"

	"ftsh/cmd/ftshsim/herd/measure"
)

// matrix is a quantity by name and number: a table with a row for each name,
// and a figure with a curve for each.
type matrix struct {
	name, title string
	x, y        Axis
	names       []string
	points      []int
	at          func(row, column int) measure.Sample
}

// putInto puts a matrix into a report.
func (m *matrix) putInto(r *Report, row string) {
	t := Table{Name: m.name, Title: m.title + ", by number of " + m.x.Label, Labels: []string{row}}
	for _, n := range m.points {
		t.Columns = append(t.Columns, Column{Name: strconv.Itoa(n)})
	}
	f := Figure{Name: m.name, Title: m.title, X: m.x, Y: m.y}
	for i, name := range m.names {
		cells, line := Row{Labels: []string{name}}, Line{Name: name}
		for j, n := range m.points {
			value := m.at(i, j)
			cells.Values = append(cells.Values, value)
			line.addPoint(float64(n), value)
		}
		t.Rows, f.Lines = append(t.Rows, cells), append(f.Lines, line)
	}
	r.Tables, r.Figures = append(r.Tables, t), append(r.Figures, f)
}

func indexOf[T comparable](list []T, v T) int { return slices.Index(list, v) }
