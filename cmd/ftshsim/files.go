package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/picture"
)

// writeFile writes a file; - is standard output.
func writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(os.Stdout)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// drawAll writes each figure to a file: the first to the name given, further
// ones beside it with their names added.
func drawAll(name string, figures []experiment.Figure) error {
	kind, err := picture.Kind(name)
	if err != nil {
		return err
	}
	for i, f := range figures {
		file := name
		if extension := filepath.Ext(name); i > 0 {
			file = strings.TrimSuffix(name, extension) + "-" + f.Name + extension
		}
		if err := writeFile(file, func(w io.Writer) error { return picture.Draw(w, f, kind) }); err != nil {
			return fmt.Errorf("cannot draw %s: %w", file, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", file, f.Title)
	}
	return nil
}

// writeCSV writes one line per number: table, label, quantity, mean, and the
// interval of 95 % around it.
func writeCSV(w io.Writer, r *experiment.Report) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"table", "point", "quantity", "unit", "published", // Error below tells
		"mean", "low95", "high95", "p5", "p50", "p95", "runs"})
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for i, s := range row.Values {
				if s.Known() == 0 {
					continue
				}
				c := t.Columns[i]
				record := []string{t.Name, strings.Join(row.Labels, " "), c.Name, c.Unit, strconv.FormatBool(c.Published)}
				mean, half := s.Mean(), s.Half()
				for _, v := range []float64{mean, mean - half, mean + half, s.Percentile(5), s.Percentile(50), s.Percentile(95)} {
					text := "" // there is no such number
					if !math.IsNaN(v) {
						text = strconv.FormatFloat(v, 'g', 8, 64)
					}
					record = append(record, text)
				}
				_ = out.Write(append(record, strconv.Itoa(s.Known())))
			}
		}
	}
	out.Flush()
	return out.Error()
}

// fields are an object of JSON.
type fields map[string]any

// writeJSON writes the whole report. Samples have their mean, the half width of
// the interval of 95 %, percentiles and all values; null is a number that there is not.
func writeJSON(w io.Writer, r *experiment.Report) error {
	settings, tables, series, comparisons := fields{}, []fields{}, []fields{}, []fields{}
	for _, s := range r.Parameters {
		settings[s.Name] = s.Value
	}
	for _, t := range r.Tables {
		rows := []fields{}
		for _, row := range t.Rows {
			o := fields{}
			for i, label := range row.Labels {
				o[t.Labels[i]] = label
			}
			for i, s := range row.Values {
				name := t.Columns[i].Name
				if t.Columns[i].Published {
					name += " published"
				}
				o[name] = jsonSample(s)
			}
			rows = append(rows, o)
		}
		tables = append(tables, fields{"name": t.Name, "title": t.Title, "rows": rows})
	}
	for _, f := range r.Figures {
		for _, l := range f.Lines {
			y := []any{}
			for _, s := range l.Y {
				y = append(y, jsonNumber(s.Mean()))
			}
			series = append(series, fields{"figure": f.Name, "line": l.Name, "published": l.Published,
				"x_label": f.X.Label, "y_label": f.Y.Label, "x": l.X, "y": y})
		}
	}
	for _, c := range r.Comparisons {
		comparisons = append(comparisons,
			fields{"what": c.What, "published": c.Published, "ours": jsonSample(c.Ours), "ratio": jsonNumber(c.Ratio())})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(fields{"experiment": r.Name, "title": r.Title, "parameters": settings, "tables": tables,
		"series": series, "comparisons": comparisons, "verdict": slices.Concat(r.Answer, r.Verdict), "notes": r.Notes,
		"seeds": r.Seeds, "events": r.Events, "interrupted": r.Interrupted})
}

func jsonSample(s measure.Sample) fields {
	all := []any{}
	for _, v := range s {
		all = append(all, jsonNumber(v))
	}
	return fields{"mean": jsonNumber(s.Mean()), "half95": jsonNumber(s.Half()), "values": all,
		"p5": jsonNumber(s.Percentile(5)), "p50": jsonNumber(s.Percentile(50)), "p95": jsonNumber(s.Percentile(95))}
}

func jsonNumber(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
