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

// shownFigure is a figure of a quantity, with a curve for each name. Along says over what: numbers, or time, the
// average of a series. Or it has Curves of first runs, and of what was published.
type shownFigure struct {
	Figure
	Of, Along string
	Beside    bool
	Curves    []struct {
		At, Of, Name string // At a name; "": each
		Published    bool
	}
}

// published is a number that somebody has published of a point.
type published struct {
	of, name string
	number   string // a name of one, or how much it is; "": any
	value    float64
	what     string // it is, where it is compared; "": only a figure has it
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

// readPublished returns what was published. Of Thain and Livny's figures these are values from the plots' vector paths,
// of the long series 300 points. The first line names the columns.
func (r *Report) readPublished() (list []published) {
	for _, row := range must(csv.NewReader(bytes.NewReader(r.readFile("published/" + r.Name + ".csv"))).ReadAll())[1:] {
		list = append(list, published{row[0], row[1], row[2], must(strconv.ParseFloat(row[3], 64)), row[4]})
	}
	return list
}

// publishedOf returns what was published of a point; nil if nothing was. Where it is only near one of our points, that
// is the nearest.
func (g *grid) publishedOf(key string, name, number int) (found *published) {
	within := g.within
	for i := range g.published {
		p := &g.published[i]
		if p.of != key || p.name != g.names[name] || p.what == "" {
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

// comparePublished puts what was published beside ours.
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

// partsOf returns the rows or the columns of a table.
func (g *grid) partsOf(t *shownTable, by string) (list []part) {
	for i := range t.Of {
		if q := &t.Of[i]; by == "quantities" {
			list = append(list, part{labels: []string{cmp.Or(q.Name, q.Key)}, of: q})
		}
	}
	for number, numbered := range g.along.names {
		if by == "numbers" {
			list = append(list, part{labels: []string{numbered}, number: number})
		}
		for name, named := range g.names {
			switch {
			case by == "names" && number == 0:
				list = append(list, part{labels: []string{named}, name: name})
			case by == "points":
				list = append(list, part{[]string{numbered, named}, name, number, nil})
			}
		}
	}
	for _, p := range g.published {
		name, number := slices.Index(g.names, p.name), slices.Index(g.along.names, p.number)
		if by == "published" && p.of == t.Of[0].Key && name >= 0 && number >= 0 {
			list = append(list, part{[]string{p.number, p.name}, name, number, nil})
		}
	}
	return list
}

// tabulate adds a table.
func (g *grid) tabulate(t shownTable) {
	rows, columns := g.partsOf(&t, t.Down), g.partsOf(&t, t.Across)
	for _, row := range rows {
		line := Row{Labels: row.labels}
		if q := row.of; q != nil {
			line.Why = q.Why
			if q.Unit != "" {
				line.Labels[0] += " (" + q.Unit + ")"
			}
		}
		t.Rows = append(t.Rows, line)
	}
	for _, column := range columns {
		of, c := cmp.Or(column.of, &t.Of[0]), Column{Name: column.labels[0]}
		if column.of != nil {
			c.Unit = of.Unit
		}
		beside := t.Beside && slices.ContainsFunc(g.published, func(p published) bool { return p.of == of.Key })
		if t.Columns = append(t.Columns, c); beside {
			t.Columns = append(t.Columns, Column{cmp.Or(of.Published, c.Name), c.Unit, true})
		}
		for i, row := range rows {
			of, name, number := cmp.Or(row.of, of), row.name+column.name, row.number+column.number
			values := &t.Rows[i].Values
			*values = append(*values, g.sample(name, number, of.Key))
			if !beside {
				continue
			}
			var said measure.Sample
			if p := g.publishedOf(of.Key, name, number); p != nil {
				said = measure.Sample{p.value}
			}
			*values = append(*values, said)
		}
	}
	g.Tables = append(g.Tables, t.Table)
}

// draw adds a figure.
func (g *grid) draw(f shownFigure) {
	f.Title = strings.ReplaceAll(f.Title, "{number}", g.along.names[g.curves])
	for name, named := range g.names {
		for _, c := range f.Curves {
			switch {
			case c.At != "" && c.At != named:
			case c.Published:
				f.Lines = append(f.Lines, g.publishedCurve(name, c.Of, c.Name))
			default:
				f.Lines = append(f.Lines, g.first(name, c.Of, cmp.Or(c.Name, named)))
			}
		}
		if f.Beside {
			f.Lines = append(f.Lines, g.publishedCurve(name, f.Of, named+", published"))
		}
		switch f.Along {
		case "numbers":
			f.Lines = append(f.Lines, g.means(name, f.Of))
		case "time":
			f.Lines = append(f.Lines, g.rates(name, f.Of))
		}
	}
	g.Figures = append(g.Figures, f.Figure)
}

// publishedCurve is what was published for a name, by number.
func (g *grid) publishedCurve(name int, key, called string) Line {
	line := Line{Name: called, Published: true}
	for _, p := range g.published {
		if x, err := strconv.ParseFloat(p.number, 64); err == nil && p.of == key && p.name == g.names[name] {
			line.addPoint(x, p.value)
		}
	}
	return line
}
