package page

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed page.css
var common string

// Page is one under way. It is not safe for concurrent use.
type Page struct{ markup strings.Builder }

// New begins a page. style is CSS besides that which all pages have.
func New(title, style string) *Page {
	p := &Page{}
	fmt.Fprintf(&p.markup, `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>
%s%s</style>
<h1>%[1]s</h1>
`, Escape(title), common, style)
	return p
}

// Heading begins a section.
func (p *Page) Heading(text string) { fmt.Fprintf(&p.markup, "<h2>%s</h2>\n", Escape(text)) }

// Paragraph adds one, of a class of the style.
func (p *Page) Paragraph(class, text string) {
	fmt.Fprintf(&p.markup, "<p class=\"%s\">%s</p>\n", class, Escape(text))
}

// Verbatim adds a text that is shown as it is.
func (p *Page) Verbatim(text string) { fmt.Fprintf(&p.markup, "<pre>%s</pre>\n", Escape(text)) }

// Markup adds HTML as it is.
func (p *Page) Markup(html string) { p.markup.WriteString(html) }

// Table adds a table, unless it has no rows. The columns after so many labels are numbers.
func (p *Page) Table(title string, labels int, heads []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if title != "" {
		p.Heading(title)
	}
	p.markup.WriteString("<table>\n")
	p.addRow("th", labels, heads)
	for _, row := range rows {
		p.addRow("td", labels, row)
	}
	p.markup.WriteString("</table>\n")
}

func (p *Page) addRow(kind string, labels int, cells []string) {
	p.markup.WriteString("<tr>")
	for i, cell := range cells {
		class := ""
		if i >= labels {
			class = ` class="number"`
		}
		fmt.Fprintf(&p.markup, "<%s%s>%s</%[1]s>", kind, class, Escape(cell))
	}
	p.markup.WriteString("</tr>\n")
}

// String is the page.
func (p *Page) String() string { return p.markup.String() + "</html>\n" }

// Escape makes a text of what could be taken for markup.
func Escape(s string) string {
	marks := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
	return marks.Replace(strings.ToValidUTF8(s, "\ufffd"))
}
