package report

import (
	_ "embed"
	"strings"

	"ftsh/interp/brief"
	"ftsh/interp/event/page"
)

//go:embed page.css
var style string

// HTML is the report as one page: nothing in it comes from elsewhere, and it has no scripts.
func (s *Story) HTML() string {
	p := page.New(shortText(s.pageTitle(), 120), style)
	p.Paragraph(s.outcomeClass(), s.headline())
	for _, note := range s.readerNotes() {
		p.Paragraph("note", note)
	}
	s.htmlFailures(p)
	s.htmlBranches(p)
	if len(s.lanes) > 0 {
		s.htmlTimes(p)
		s.htmlUses(p)
	}
	p.Heading("Time line")
	p.Markup(`<p class="key"><span class="command">command</span> <span class="attempt">attempt</span> ` +
		`<span class="wait">wait</span> <span class="failed">failed</span></p>` + "\n")
	var drawn strings.Builder
	s.writeSVG(&drawn)
	p.Markup(`<div class="wide">` + drawn.String() + "</div>\n")
	return p.String()
}

// outcomeClass returns the CSS class of the headline.
func (s *Story) outcomeClass() string {
	if s.ended && s.status == 0 {
		return "good"
	}
	return "bad"
}

// htmlFailures says which items and what failed, and why.
func (s *Story) htmlFailures(p *page.Page) {
	var rows [][]string
	groups, all := s.groupFailures()
	for i := range groups {
		rows = append(rows, []string{groups[i].describeGroup(all), groups[i].listNames()})
	}
	writeTable(p, "Which items failed, and why", []string{"how many, and why", "which"}, rows)
	rows = nil
	for _, one := range s.listFailures() {
		rows = append(rows, []string{one.First.Format("15:04:05"), one.Place, one.Label, one.Why + one.timesFailed()})
	}
	writeTable(p, "What failed, and why", []string{"first at", "line", "what", "why"}, rows)
}

// htmlTimes says what took longest, what was tried most often, and where the time went.
func (s *Story) htmlTimes(p *page.Page) {
	var rows [][]string
	for _, bar := range s.longestBars(mostLongest) {
		rows = append(rows, []string{bar.shownLength(), bar.place, bar.told()})
	}
	writeTable(p, "The longest", []string{"time", "line", "what"}, rows)
	rows = nil
	for _, one := range s.mostRepeated(mostLongest) {
		rows = append(rows, []string{decimal(one.Attempts), one.Place, one.Lane})
	}
	writeTable(p, "The most repeated", []string{"attempts", "line", "where"}, rows)
	rows = nil
	for _, share := range s.sumShares() {
		rows = append(rows, []string{share.Name, brief.Time(share.Time), decimal(share.Count)})
	}
	writeTable(p, "Where the time went", []string{"over all branches", "time", "how many"}, rows)
}

// htmlUses says what was asked for jobs, and what they have used.
func (s *Story) htmlUses(p *page.Page) {
	var rows [][]string
	for _, used := range s.sumUses() {
		rows = append(rows, used.cells())
	}
	writeTable(p, "What jobs were given and have used (half of them … all, at most)", usedHeads, rows)
}

// writeTable writes a table with cells that are not too long.
func writeTable(p *page.Page, title string, heads []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = shortText(row[i], 500)
		}
	}
	p.Table(title, len(heads), heads, rows)
}
