package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/measure"
	"ftsh/cmd/ftshsim/herd/picture"
)

// reportText is a report as a terminal shows it: tables, and the figures drawn with
// characters.
func reportText(r *experiment.Report, width int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", r.Title)
	if r.Interrupted {
		out.WriteString("Interrupted: this is what there was until then.\n")
	}
	if said := verdictText(r); said != "" {
		out.WriteString("\n" + said)
	}
	for _, t := range r.Tables {
		if !t.Long {
			out.WriteString("\n" + layOutTable(t))
		}
	}
	for _, f := range r.Figures {
		out.WriteString("\n" + picture.Text(f, width, 17))
	}
	if said := reportWords(r); said != "" {
		out.WriteString("\n" + said)
	}
	fmt.Fprintf(&out, "\n%s\n", simulatedExtent(r))
	return out.String()
}

// verdictText returns the sentences that are to be read first.
func verdictText(r *experiment.Report) string {
	if len(r.Verdict) == 0 {
		return ""
	}
	return strings.Join(r.Verdict, "\n") + "\n"
}

// reportWords returns a report without tables and figures.
func reportWords(r *experiment.Report) string {
	if len(r.Notes) == 0 {
		return ""
	}
	return strings.Join(r.Notes, "\n\n") + "\n"
}

// simulatedExtent tells how much was simulated.
func simulatedExtent(r *experiment.Report) string {
	said := simulatedRuns(r) + " of each point; ± is the interval of 95 %"
	switch {
	case r.Events >= 100_000:
		said += fmt.Sprintf("; %.1f million events", float64(r.Events)/1e6)
	case r.Events > 0:
		said += fmt.Sprintf("; %d events", r.Events)
	}
	return said
}

// simulatedRuns tells how often each point was simulated.
func simulatedRuns(r *experiment.Report) string {
	if r.Interrupted {
		return "at most " + pluralOf(r.Seeds, "run", "runs")
	}
	return pluralOf(r.Seeds, "run", "runs")
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// layOutTable lays out a table. Beside a published number stands the ratio of ours
// to it.
func layOutTable(t experiment.Table) string {
	cells := [][]string{tableHeader(t)}
	for _, row := range t.Rows {
		cells = append(cells, tableLine(t, row))
	}
	return t.Title + "\n" + alignColumns(cells, len(t.Labels)) + explainDashes(t)
}

// explainDashes says why there are dashes in a table.
func explainDashes(t experiment.Table) string {
	out := ""
	for _, row := range t.Rows {
		if slices.ContainsFunc(row.Values, func(s measure.Sample) bool { return isDash(row, s) }) {
			out += "  – " + strings.Join(row.Labels, " ") + ": " + row.Why + "\n"
		}
	}
	return out
}

func tableHeader(t experiment.Table) []string {
	head := append([]string(nil), t.Labels...)
	for _, c := range t.Columns {
		switch {
		case c.Published:
			head = append(head, "published", "ratio")
		case c.Unit != "":
			head = append(head, c.Name+" ("+c.Unit+")")
		default:
			head = append(head, c.Name)
		}
	}
	return head
}

func tableLine(t experiment.Table, row experiment.Row) []string {
	cells := append([]string(nil), row.Labels...)
	for i, s := range row.Values {
		if !t.Columns[i].Published {
			cells = append(cells, tableCell(row, s))
			continue
		}
		ratio := ""
		if c := (experiment.Comparison{Published: s.Mean(), Ours: row.Values[i-1]}); !math.IsNaN(c.Ratio()) {
			ratio = fmt.Sprintf("%.2f", c.Ratio())
		}
		cells = append(cells, blankNaN(s.Mean()), ratio)
	}
	return cells
}

// tableCell is a sample of a row. Where no run has a value, the row knows why.
func tableCell(row experiment.Row, s measure.Sample) string {
	if isDash(row, s) {
		return "–"
	}
	return meanText(s)
}

// isDash reports whether a sample of a row has no value, and the row knows why.
func isDash(row experiment.Row, s measure.Sample) bool {
	return row.Why != "" && len(s) > 0 && s.Known() == 0 && !unreached(s)
}

// unreached reports whether a value of a sample lies beyond the end.
func unreached(s measure.Sample) bool {
	return slices.ContainsFunc(s, func(v float64) bool { return math.IsInf(v, 1) })
}

// meanText is a mean and how sure it is. A sample of which some runs have no
// value says how many have one.
func meanText(s measure.Sample) string {
	switch {
	case len(s) == 0:
		return ""
	case s.Known() == 0 && unreached(s):
		return "not reached"
	case s.Known() == 0:
		return "never"
	}
	text := picture.Short(s.Mean())
	if half := s.Half(); half > 0.001*math.Abs(s.Mean()) {
		text += " ±" + picture.Short(half)
	}
	if s.Known() < len(s) {
		text += fmt.Sprintf(" (%d of %d)", s.Known(), len(s))
	}
	return text
}

func blankNaN(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return picture.Short(v)
}

// alignColumns aligns cells: labels to the left, numbers to the right.
func alignColumns(rows [][]string, labels int) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < labels {
				line += "  " + cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
