package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/picture"
	"ftsh/interp/event/page"
)

// pageStyle is besides what all pages have. Of a table that is wider than the page the first column stays, and the
// shadow at an edge shows that more lies beyond.
//
//go:embed page.css
var pageStyle string

// writePage writes reports as one page, with their titles if they are several.
func writePage(w io.Writer, title string, several bool, reports ...*experiment.Report) error {
	p := page.New(title, pageStyle)
	for _, r := range reports {
		if several {
			p.Heading(r.Name + ": " + r.Title)
		}
		if err := describeReport(p, r); err != nil {
			return err
		}
	}
	p.Heading("How this was made")
	p.Verbatim(commandLine(os.Args[1:]))
	_, err := io.WriteString(w, p.String())
	return err
}

func writeHTML(w io.Writer, r *experiment.Report) error { return writePage(w, r.Title, false, r) }

// describeReport writes all of a report but its title: what is to be read first, the pictures, and tables. What is
// folded can be opened.
func describeReport(p *page.Page, r *experiment.Report) error {
	if r.Interrupted {
		p.Paragraph("bad", "Interrupted: this is what there was until then.")
	}
	lead, rest := leadOf(r)
	for _, sentence := range lead {
		p.Paragraph("verdict", sentence)
	}
	if err := drawInline(p, r, false); err != nil {
		return err
	}
	for _, sentence := range rest {
		p.Paragraph("", sentence)
	}
	for _, t := range r.Tables {
		if !t.Folded {
			writeTable(p, t, unfolded(t))
		}
	}
	p.Paragraph("note", simulatedExtent(r)+".")
	if hidden := foldedIn(r); hidden != "" {
		p.Markup("<details>\n<summary>" + page.Escape("More: "+hidden) + "</summary>\n")
		for _, t := range r.Tables {
			if t.Folded || len(unfolded(t)) < len(t.Rows) {
				writeTable(p, t, t.Rows)
			}
		}
		if err := drawInline(p, r, true); err != nil {
			return err
		}
		p.Markup("</details>\n")
	}
	for _, note := range r.Notes {
		words, lines, _ := strings.Cut(note, "\n")
		if p.Paragraph("", words); lines != "" { // of a script
			p.Verbatim(strings.Trim(lines, "\n"))
		}
	}
	compared := comparedRows(r)
	p.Table("What was published, and ours", 1, compared[0], compared[1:])
	var rows [][]string
	for _, s := range r.Parameters {
		rows = append(rows, []string{s.Name, s.Value})
	}
	p.Table("What went in", 2, []string{"parameter", "value"}, rows)
	for _, in := range r.Inputs {
		p.Paragraph("", in.Name+":")
		p.Verbatim(strings.TrimRight(in.Value, "\n"))
	}
	if len(r.Assumed) > 0 {
		p.Heading("What is assumed")
	}
	for _, sentence := range r.Assumed {
		p.Paragraph("", sentence)
	}
	return nil
}

// drawInline draws the figures that are folded, or those that are not.
func drawInline(p *page.Page, r *experiment.Report, folded bool) error {
	for _, f := range r.Figures {
		if f.Folded != folded {
			continue
		}
		drawn, err := picture.Inline(f)
		if err != nil {
			return fmt.Errorf("cannot draw %q: %w", f.Title, err)
		}
		p.Markup(drawn)
	}
	return nil
}

// writeTable writes rows of a table. Their labels are one, which stays beside the numbers on a narrow page.
func writeTable(p *page.Page, t experiment.Table, rows []experiment.Row) {
	joined := func(cells []string) []string {
		labels := slices.DeleteFunc(slices.Clone(cells[:len(t.Labels)]), func(label string) bool { return label == "" })
		return append([]string{strings.Join(labels, "; ")}, cells[len(t.Labels):]...)
	}
	var lines [][]string
	for _, row := range rows {
		lines = append(lines, joined(tableLine(t, row)))
	}
	p.Table(t.Title, 1, joined(tableHeader(t)), lines)
	t.Rows = rows
	if why := explainDashes(t); why != "" {
		p.Paragraph("note", strings.TrimSpace(why))
	}
}

// commandLine returns what the user has typed, fit to be pasted.
func commandLine(args []string) string {
	words := []string{"ftshsim"}
	for _, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"$&;|<>()*?[]#~`\\!{}") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}
