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

// reportText is a report as a terminal shows it: what is to be read first, the figures drawn with characters, and
// tables. What is folded is shown only if all is asked for.
func reportText(r *experiment.Report, width int, all bool) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", r.Title)
	if r.Interrupted {
		out.WriteString("Interrupted: this is what there was until then.\n")
	}
	lead, rest := leadOf(r)
	out.WriteString(paragraphText(lead))
	for _, f := range r.Figures {
		if all || !f.Folded {
			out.WriteString("\n" + picture.Text(f, width, 17))
		}
	}
	out.WriteString(paragraphText(rest))
	for _, t := range r.Tables {
		if all || !t.Folded {
			out.WriteString("\n" + layOutTable(t, all))
		}
	}
	if hidden := foldedIn(r); hidden != "" && !all {
		fmt.Fprintf(&out, "  … --all shows %s\n", hidden)
	}
	if said := reportWords(r); said != "" {
		out.WriteString("\n" + said)
	}
	fmt.Fprintf(&out, "\n%s\n", simulatedExtent(r))
	return out.String()
}

// leadOf returns the sentences to be read first, and the rest of the verdict.
func leadOf(r *experiment.Report) (lead, rest []string) {
	if len(r.Answer) == 0 {
		return r.Verdict, nil
	}
	return r.Answer, r.Verdict
}

// foldedIn says what of a report is folded; "" if nothing is.
func foldedIn(r *experiment.Report) string {
	rows, parts := 0, []string(nil)
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			if row.Folded && !t.Folded {
				rows++
			}
		}
		if t.Folded {
			parts = append(parts, "“"+t.Title+"”")
		}
	}
	for _, f := range r.Figures {
		if f.Folded {
			parts = append(parts, "“"+f.Title+"”")
		}
	}
	if rows > 0 {
		parts = append([]string{pluralOf(rows, "row more", "rows more")}, parts...)
	}
	return strings.Join(parts, ", ")
}

// paragraphText is sentences, a line each, below an empty line.
func paragraphText(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	return "\n" + strings.Join(sentences, "\n") + "\n"
}

func reportWords(r *experiment.Report) string {
	if len(r.Notes) == 0 {
		return ""
	}
	return strings.Join(r.Notes, "\n\n") + "\n"
}

func simulatedExtent(r *experiment.Report) string {
	said := pluralOf(r.Seeds, "run", "runs") + " of each point; ± is the interval of 95 %"
	if r.Interrupted {
		said = "at most " + said
	}
	switch {
	case r.Events >= 100_000:
		said += fmt.Sprintf("; %.1f million events", float64(r.Events)/1e6)
	case r.Events > 0:
		said += fmt.Sprintf("; %d events", r.Events)
	}
	return said
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// layOutTable lays out a table. Beside a published number stands the ratio of ours
// to it.
func layOutTable(t experiment.Table, all bool) string {
	if !all {
		t.Rows = unfolded(t)
	}
	cells := [][]string{tableHeader(t)}
	for _, row := range t.Rows {
		cells = append(cells, tableLine(t, row))
	}
	return t.Title + "\n" + alignColumns(cells, len(t.Labels)) + explainDashes(t)
}

// unfolded are the rows of a table that are always shown.
func unfolded(t experiment.Table) []experiment.Row {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(row experiment.Row) bool { return row.Folded })
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
		case t.Signed:
			head = append(head, c.Name+", difference")
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
			cells = append(cells, tableCell(t, row, i))
			continue
		}
		compared := experiment.Comparison{Published: s.Mean(), Ours: row.Values[i-1]}
		published := ""
		if !math.IsNaN(s.Mean()) {
			published = picture.Short(s.Mean())
		}
		cells = append(cells, published, ratioText(compared))
	}
	return cells
}

// ratioText is the ratio of ours to what was published, if there is one.
func ratioText(c experiment.Comparison) string {
	if math.IsNaN(c.Ratio()) {
		return ""
	}
	return fmt.Sprintf("%.2f", c.Ratio())
}

// comparedRows are what was published and ours, below the names of the columns.
func comparedRows(r *experiment.Report) [][]string {
	rows := [][]string{{"what", "published", "ours", "ratio"}}
	for _, c := range r.Comparisons {
		rows = append(rows, []string{c.What, picture.Short(c.Published), meanText(c.Ours), ratioText(c)})
	}
	return rows
}

// tableCell is a sample of a row. Where no run has a value, the row knows why.
func tableCell(t experiment.Table, row experiment.Row, column int) string {
	s := row.Values[column]
	switch {
	case isDash(row, s):
		return "–"
	case row.People && t.Columns[column].Unit == "" && s.Known() == len(s) && len(s) > 0:
		text := fmt.Sprintf("%.0f", s.Mean())
		if half := s.Half(); half > 0.001*math.Abs(s.Mean()) {
			text += fmt.Sprintf(" ±%.0f", math.Ceil(half))
		}
		if t.Signed && s.Mean() >= 0.5 {
			text = "+" + text
		}
		return text
	case t.Signed && s.Mean() > 0:
		return "+" + meanText(s)
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
