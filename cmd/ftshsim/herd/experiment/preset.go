package experiment

import (
	"context"
	"embed"
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"ftsh/cmd/ftshsim/herd"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// Preset is an experiment, with parameters that can be changed before it runs.
type Preset struct {
	Name       string
	Title      string
	About      string // a paragraph: what it is about, what to look at
	Assumed    string // which numbers are the source's, and which were chosen, perhaps to fit
	Parameters []parameter.Parameter
	Seeds      int // runs of each point, if nothing else is asked for: as many as take about a second
	studies    func() []study
}

// texts holds a file for each experiment: title, what it is about, and what is assumed, with empty lines between.
//
//go:embed about/*.txt
var texts embed.FS

// Presets returns all of them, in the order in which a newcomer should meet
// them.
func Presets() (list []*Preset) {
	for _, one := range []struct {
		name   string
		seeds  int
		config interface{ studies() []study }
	}{
		{"submit", 10, newSubmission()}, {"buffer", 10, &buffering{}}, {"replica", 100, &replicas{}},
		{"overload", 5, newOverload()}, {"recover", 5, &recovery{}}, {"layers", 5, newLayers()},
		{"contention", 50, &contention{}}, {"deadline", 4, &deadline{}},
	} {
		text, _ := texts.ReadFile("about/" + one.name + ".txt") // it is embedded
		said := strings.Split(strings.TrimSpace(string(text)), "\n\n")
		p := &Preset{one.name, said[0], said[1], said[2], parameter.Of(one.config), one.seeds, one.config.studies}
		if p.Name == "layers" {
			p.About += listVariants()
		}
		list = append(list, p)
	}
	return list
}

// Run runs an experiment. When ctx is cancelled it returns what it has so far.
func (p *Preset) Run(ctx context.Context, runs herd.Runs) *Report {
	r := &Report{Name: p.Name, Title: p.Title, Assumed: []string{p.Assumed}, Seeds: runs.Seeds}
	list := p.studies()
	for i, s := range list {
		s.show(r.simulate(ctx, runs, s, i, len(list)))
	}
	r.Interrupted = ctx.Err() != nil
	for _, parameter := range p.Parameters {
		r.Parameters = append(r.Parameters, Setting{parameter.Name, parameter.Value.String()})
	}
	return r
}

// What was published. Of Thain and Livny's figures: values from the plots' vector paths, of the long series 300
// points. The first line of each file names the columns.
//
//go:embed published/*.csv
var publishedFiles embed.FS

// readPublished returns the lines of a file.
func readPublished(name string) [][]string {
	file, err := publishedFiles.Open("published/" + name + ".csv")
	if err != nil {
		panic(err) // it is embedded
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		panic(err)
	}
	return rows[1:]
}

// near is the y of the point whose x is nearest, NaN if that is further away than within.
func (l Line) near(x, within float64) float64 {
	y := math.NaN()
	for i := range l.X {
		if d := math.Abs(l.X[i] - x); d <= within {
			within, y = d, l.Y[i][0]
		}
	}
	return y
}

// publishedCurve returns the points of a published curve. The name is that of its file.
func publishedCurve(name string) Line {
	l := Line{Name: "published", Published: true}
	for _, row := range readPublished(name) {
		x, errX := strconv.ParseFloat(row[0], 64)
		y, errY := strconv.ParseFloat(row[1], 64)
		if errX != nil || errY != nil {
			panic("published/" + name + ".csv: no numbers: " + row[0] + "," + row[1])
		}
		l.addPoint(x, measure.Sample{max(y, 0)})
	}
	return l
}
