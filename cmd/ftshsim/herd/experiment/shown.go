package experiment

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"ftsh/cmd/ftshsim/herd/measure"
)

// files has of each experiment a text, what is shown of its studies, and what was published. In all of them {NAME} is
// the parameter of that name.
//
//go:embed about/*.txt shown/*.json published/*.csv
var files embed.FS

// shown is what a report has of a study.
type shown struct {
	Tables  []shownTable
	Figures []shownFigure
}

// shownTable is a table. Down and Across say what its rows and columns are: names, numbers, points, which are each name
// with each number, published, which are points of which something was, or quantities.
type shownTable struct {
	Table
	Down, Across string
	Of           []quantity // one, if neither are quantities
	Beside       bool       // what was published stands beside ours
}

// quantity is something that is measured of a run.
type quantity struct {
	Key, Unit string
	Name      string // in tables; "": the key
	Published string // the name of the column of what was published; "": that of the column of ours
	Why       string // a row of it may have no value; "": it never came
}

// shownFigure is a figure of a quantity, with a curve for each name. Along says over what: numbers; time, the average
// of a series; or first, a curve of the first run. Or it has certain curves of first runs, and published ones.
type shownFigure struct {
	Figure
	Of, Along string
	Beside    bool
	Curves    []struct{ At, Of, Name, Published string }
}

// published is a number that somebody has published of a point.
type published struct {
	of, name string
	number   string // a name of one, or how much it is; "": any
	value    float64
	what     string
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // it is embedded
	}
	return v
}

func (r *Report) readFile(name string) []byte {
	var known []string
	for _, s := range r.Parameters {
		known = append(known, "{"+s.Name+"}", s.Value)
	}
	return []byte(strings.NewReplacer(known...).Replace(string(must(files.ReadFile(name)))))
}

// readShown returns what is shown of the studies of an experiment, by their names.
func (r *Report) readShown() (all map[string]shown) {
	err := json.Unmarshal(r.readFile("shown/"+r.Name+".json"), &all)
	return must(all, err)
}

// readRows reads a file of what was published; its first line names the columns. Of Thain and Livny's figures these are
// values from the plots' vector paths, of the long series 300 points.
func (r *Report) readRows(name string) [][]string {
	return must(csv.NewReader(bytes.NewReader(r.readFile("published/" + name + ".csv"))).ReadAll())[1:]
}

// readPublished returns what was published of points of an experiment. Where nothing is said it is what the line before
// says.
func (r *Report) readPublished() (list []published) {
	what := ""
	for _, row := range r.readRows(r.Name) {
		what = cmp.Or(row[4], what)
		list = append(list, published{row[0], row[1], row[2], must(strconv.ParseFloat(row[3], 64)), what})
	}
	return list
}

// publishedOf returns what was published of a point; nil if nothing was. Where it is only near one of our points, that
// is the nearest.
func (g *grid) publishedOf(key string, name, number int) (found *published) {
	within := g.within
	for i := range g.published {
		p := &g.published[i]
		if p.of != key || p.name != g.names[name] {
			continue
		}
		if p.number == "" || p.number == g.along.names[number] {
			return p
		}
		x, err := strconv.ParseFloat(p.number, 64)
		if d := math.Abs(x - g.along.at[number]); err == nil && d <= within {
			within, found = d, p
		}
	}
	return found
}

// comparePublished puts all that was published beside ours.
func (g *grid) comparePublished() {
	for i := range g.published {
		p := &g.published[i]
		for name, named := range g.names {
			for number, numbered := range g.along.names {
				if g.publishedOf(p.of, name, number) == p {
					what := strings.NewReplacer("{name}", named, "{number}", numbered).Replace(p.what)
					g.Comparisons = append(g.Comparisons, Comparison{what, p.value, g.sample(name, number, p.of)})
				}
			}
		}
	}
}

// part is a row or a column of a table. A row and a column together say what stands in a cell.
type part struct {
	labels       []string
	name, number int       // of the point; 0: the other one has it
	of           *quantity // nil: the other one has it
}

func (g *grid) partsOf(t *shownTable, by string) (list []part) {
	add := func(name, number int, labels ...string) {
		list = append(list, part{labels: labels, name: name, number: number})
	}
	for i := range t.Of {
		if q := &t.Of[i]; by == "quantities" {
			list = append(list, part{labels: []string{cmp.Or(q.Name, q.Key)}, of: q})
		}
	}
	for number, numbered := range g.along.names {
		if by == "numbers" {
			add(0, number, numbered)
		}
		for name, named := range g.names {
			switch {
			case by == "names" && number == 0:
				add(name, 0, named)
			case by == "points":
				add(name, number, numbered, named)
			}
		}
	}
	for _, p := range g.published {
		name, number := slices.Index(g.names, p.name), slices.Index(g.along.names, p.number)
		if by == "published" && p.of == t.Of[0].Key && name >= 0 && number >= 0 {
			add(name, number, p.number, p.name)
		}
	}
	return list
}

func (g *grid) tabulate(t shownTable) {
	rows, columns := g.partsOf(&t, t.Down), g.partsOf(&t, t.Across)
	beside := make([]bool, len(columns))
	for i, column := range columns {
		c, of := Column{Name: column.labels[0]}, cmp.Or(column.of, &t.Of[0])
		if column.of != nil {
			c.Unit = of.Unit
		}
		t.Columns = append(t.Columns, c)
		beside[i] = t.Beside && slices.ContainsFunc(g.published, func(p published) bool { return p.of == of.Key })
		if beside[i] {
			t.Columns = append(t.Columns, Column{cmp.Or(of.Published, c.Name), c.Unit, true})
		}
	}
	for _, row := range rows {
		line := Row{Labels: row.labels}
		if row.of != nil {
			line.Why = row.of.Why
			if row.of.Unit != "" {
				line.Labels = []string{line.Labels[0] + " (" + row.of.Unit + ")"}
			}
		}
		for i, column := range columns {
			of, name, number := cmp.Or(row.of, column.of, &t.Of[0]), row.name+column.name, row.number+column.number
			line.Values = append(line.Values, g.sample(name, number, of.Key))
			if !beside[i] {
				continue
			}
			var said measure.Sample
			if p := g.publishedOf(of.Key, name, number); p != nil {
				said = measure.Sample{p.value}
			}
			line.Values = append(line.Values, said)
		}
		t.Rows = append(t.Rows, line)
	}
	g.Tables = append(g.Tables, t.Table)
}

// draw adds a figure.
func (g *grid) draw(f shownFigure) {
	for _, c := range f.Curves {
		if c.Published == "" {
			f.Lines = append(f.Lines, g.first(slices.Index(g.names, c.At), c.Of, c.Name))
			continue
		}
		line := Line{Name: "published", Published: true}
		for _, row := range g.readRows(c.Published) {
			line.addPoint(must(strconv.ParseFloat(row[0], 64)), max(must(strconv.ParseFloat(row[1], 64)), 0))
		}
		f.Lines = append(f.Lines, line)
	}
	for name, named := range g.names {
		switch f.Along {
		case "numbers":
			if f.Beside {
				f.Lines = append(f.Lines, g.publishedCurve(f.Of, named))
			}
			f.Lines = append(f.Lines, g.means(name, f.Of))
		case "time":
			f.Lines = append(f.Lines, g.rates(name, f.Of))
		case "first":
			f.Lines = append(f.Lines, g.first(name, f.Of, named))
		}
	}
	f.Title = strings.ReplaceAll(f.Title, "{number}", g.along.names[g.curves])
	g.Figures = append(g.Figures, f.Figure)
}

// publishedCurve is what was published for a name, by number.
func (g *grid) publishedCurve(key, name string) Line {
	line := Line{Name: name + ", published", Published: true}
	for _, p := range g.published {
		if x, err := strconv.ParseFloat(p.number, 64); err == nil && p.of == key && p.name == name {
			line.addPoint(x, p.value)
		}
	}
	return line
}
