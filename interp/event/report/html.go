package report

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed page.css
var style string

// HTML is the report as one page: nothing in it comes from elsewhere, and it has no scripts.
func (s *Story) HTML() string {
	var b strings.Builder
	title := text(short(s.title(), 120))
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
%s</style>
<h1>%[1]s</h1>
<p class="%[3]s">%[4]s</p>
`, title, style, s.class(), text(s.headline()))
	for _, note := range s.notes() {
		fmt.Fprintf(&b, "<p class=\"note\">%s</p>\n", text(note))
	}
	b.WriteString(`<h2>Time line</h2>
<p class="key"><span class="command">command</span> <span class="attempt">attempt</span> ` +
		`<span class="wait">wait</span> <span class="failed">failed</span></p>` + "\n")
	s.svg(&b)
	s.htmlTables(&b)
	b.WriteString("</html>\n")
	return b.String()
}

// class is how the outcome looks.
func (s *Story) class() string {
	if s.Ended && s.Status == 0 {
		return "good"
	}
	return "bad"
}

// htmlTables says where the time went, what took longest and what failed.
func (s *Story) htmlTables(b *strings.Builder) {
	var rows [][]string
	for _, share := range s.Shares() {
		rows = append(rows, []string{share.Name, brief(share.Time), number(share.Count)})
	}
	table(b, "Where the time went", []string{"over all branches", "time", "how many"}, rows)
	rows = nil
	for _, one := range s.Failures() {
		rows = append(rows, []string{one.First.Format("15:04:05"), one.Place, one.Label, one.Why + one.times()})
	}
	table(b, "What failed, and why", []string{"first at", "line", "what", "why"}, rows)
	rows = nil
	for _, bar := range s.Longest(mostLongest) {
		rows = append(rows, []string{brief(bar.Length()), bar.Place, bar.Label})
	}
	table(b, "The longest", []string{"time", "line", "what"}, rows)
}

// table writes a table, unless it is empty.
func table(b *strings.Builder, title string, heads []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "<h2>%s</h2>\n<table>\n<tr>", text(title))
	for _, head := range heads {
		fmt.Fprintf(b, "<th>%s</th>", text(head))
	}
	b.WriteString("</tr>\n")
	for _, row := range rows {
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(b, "<td>%s</td>", text(short(cell, 500)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
}

// text escapes what is no markup. What XML does not allow at all, short has taken out.
func text(s string) string {
	marks := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
	return marks.Replace(strings.ToValidUTF8(s, "\ufffd"))
}
