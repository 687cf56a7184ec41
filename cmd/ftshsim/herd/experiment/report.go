package experiment

import (
	"fmt"
	"math"

	"ftsh/cmd/ftshsim/herd/measure"
)

// Report holds what an experiment found: tables to read, figures to draw, and
// what its source has published, beside ours.
type Report struct {
	Name        string
	Title       string
	Answer      []string // what is to be read first; none: the Verdict is
	Verdict     []string
	Parameters  []Setting
	Inputs      []Setting // the files that went in, with their texts
	Assumed     []string  // what is taken for granted, or was chosen to fit
	Tables      []Table
	Figures     []Figure
	Comparisons []Comparison
	Notes       []string
	Events      uint64 // that happened in all runs
	Seeds       int    // complete runs of each point
	Interrupted bool   // it was to be more
}

// Note adds a sentence for the reader.
func (r *Report) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Setting is a parameter as it was.
type Setting struct{ Name, Value string }

// Table has a row per point of an experiment. The first columns are labels.
type Table struct {
	Name    string // short, for files
	Title   string
	Labels  []string
	Columns []Column
	Rows    []Row
	Signed  bool // it has differences
	Folded  bool // it is shown only to those who ask for all
}

// Column is a quantity that was measured, or published.
type Column struct {
	Name      string
	Unit      string
	Published bool // a number of the source; the column before it is ours
}

// Row is a point. A missing value is an empty sample.
type Row struct {
	Labels []string
	Values []measure.Sample
	Why    string // a value that no run has is missing; "": it never came
	People bool   // it counts them: whole numbers
	Folded bool   // as that of a Table
}

// Figure is curves in one pair of axes.
type Figure struct {
	Name   string // short, for files
	Title  string
	X, Y   Axis
	Lines  []Line
	Bands  []Band // behind the lines
	Folded bool   // as that of a Table
}

// Band is a part of the X axis that is shaded, and named.
type Band struct {
	From, To float64
	Name     string
}

// Axis holds what one of them shows, with its unit in the label.
type Axis struct {
	Label string
	Log   bool
}

// Line is one curve, or, published, dots.
type Line struct {
	Name      string
	X         []float64
	Y         []measure.Sample
	Published bool
	Dots      bool // its points are not joined
}

// Comparison is a published number and ours.
type Comparison struct {
	What      string
	Published float64
	Ours      measure.Sample
}

// Ratio is ours as a multiple of the published number; NaN if that is 0.
func (c Comparison) Ratio() float64 {
	if c.Published == 0 {
		return math.NaN()
	}
	return c.Ours.Mean() / c.Published
}

// addPoint adds a point to a curve; the values are those of several runs.
func (l *Line) addPoint(x float64, y ...float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }
