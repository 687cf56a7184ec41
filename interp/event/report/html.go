package report

import (
	_ "embed"
	"strings"

	"ftsh/interp/event/page"
)

//go:embed page.css
var style string

// HTML is the report as one page: nothing in it comes from elsewhere, and it has no scripts. Its first screen has how
// the script ended, the first things that failed, and the picture.
func (s *Story) HTML() string {
	const mostFirst = 4
	p := page.New(shortText(s.script, 120), style)
	class := "bad"
	if s.ended && s.status == 0 {
		class = "good"
	}
	p.Paragraph(class, s.headline())
	for _, note := range s.readerNotes() {
		p.Paragraph("note", note)
	}
	tables := s.tables()
	if len(tables) > 0 && tables[0].heads[0] == "times" {
		first, rest := tables[0], &tables[0]
		first.rows = first.rows[:min(mostFirst, len(first.rows))]
		first.writeHTML(p)
		rest.title, rest.rows = "What else failed", rest.rows[len(first.rows):]
	}
	p.Heading("Time line")
	p.Markup(`<p class="key"><span class="command">command</span> <span class="attempt">attempt</span> ` +
		`<span class="wait">wait</span> <span class="failed">failed</span></p>` + "\n")
	var drawn strings.Builder
	s.writeSVG(&drawn)
	p.Markup(`<div class="wide">` + drawn.String() + "</div>\n")
	for _, t := range tables {
		t.writeHTML(p)
	}
	return p.String()
}

// writeHTML adds a table to a page.
func (t *table) writeHTML(p *page.Page) {
	rows := t.rows[:min(mostRows, len(t.rows))]
	for _, row := range rows {
		for i := range row {
			row[i] = shortText(row[i], 500)
		}
	}
	if more := len(t.rows) - mostRows; more > 0 {
		rows = append(rows, []string{"… and " + thousands(more) + " more"})
	}
	p.Table(t.title, len(t.heads), t.heads, rows)
}
