package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/picture"
	"ftsh/interp/event/page"
)

// pageStyle is besides what all pages have.
const pageStyle = `svg { display: block; margin: 0 auto; max-width: 56rem; }
table { display: block; overflow-x: auto; } td, th { overflow-wrap: normal; white-space: nowrap; }
.verdict { font-weight: bold; }
`

// writeHTML writes a report as one page.
func writeHTML(w io.Writer, r *experiment.Report) error {
	p := newPage(r.Title)
	if err := describeReport(p, r); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// newPage begins a page, which says first how it was made.
func newPage(title string) *page.Page {
	p := page.New(title, pageStyle)
	p.Verbatim(commandLine(os.Args[1:]))
	return p
}

// describeReport writes all of a report but its title.
func describeReport(p *page.Page, r *experiment.Report) error {
	if r.Interrupted {
		p.Paragraph("bad", "Interrupted: this is what there was until then.")
	}
	for _, sentence := range r.Verdict {
		p.Paragraph("verdict", sentence)
	}
	for _, note := range r.Notes {
		words, lines, _ := strings.Cut(note, "\n")
		if p.Paragraph("", words); lines != "" { // of a script
			p.Verbatim(strings.Trim(lines, "\n"))
		}
	}
	for _, t := range r.Tables {
		var rows [][]string
		for _, row := range t.Rows {
			rows = append(rows, tableLine(t, row))
		}
		p.Table(t.Title, len(t.Labels), tableHeader(t), rows)
		if why := explainDashes(t); why != "" {
			p.Paragraph("note", strings.TrimSpace(why))
		}
	}
	p.Paragraph("note", simulatedExtent(r)+".")
	for _, f := range r.Figures {
		drawn, err := picture.Inline(f)
		if err != nil {
			return fmt.Errorf("cannot draw %q: %w", f.Title, err)
		}
		p.Markup(drawn)
	}
	writeCompared(p, r)
	writeAssumed(p, r)
	return nil
}

// writeCompared writes what was published beside ours.
func writeCompared(p *page.Page, r *experiment.Report) {
	var rows [][]string
	for _, c := range r.Comparisons {
		ratio := ""
		if v := c.Ratio(); !math.IsNaN(v) {
			ratio = fmt.Sprintf("%.2f", v)
		}
		rows = append(rows, []string{c.What, picture.Short(c.Published), meanText(c.Ours), ratio})
	}
	p.Table("What was published, and ours", 1, []string{"what", "published", "ours", "ratio"}, rows)
}

// writeAssumed writes what went in, and what was taken for granted.
func writeAssumed(p *page.Page, r *experiment.Report) {
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
