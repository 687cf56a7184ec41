package main

import (
	"strings"

	"ftsh/cmd/ftsh/manual/markdown"
)

// convert writes a page of the manual. Its own title is a heading of that level,
// or left out if that is 0.
func convert(out *roff, page string, title int) {
	for _, b := range markdown.Blocks(page) {
		switch b.Kind {
		case markdown.Heading:
			if level := b.Level + title - 1; level > 0 {
				out.heading(min(level, 2), b.Text)
			}
		case markdown.Code:
			out.verbatim(strings.Join(b.Lines, "\n"))
		case markdown.Table:
			out.table(b.Rows)
		case markdown.Item:
			out.item(strings.Replace(strings.TrimSpace(b.Mark), "-", `\(bu`, 1), b.Text)
		default:
			if !strings.HasPrefix(b.Text, "![") { // a picture
				out.paragraph(b.Text)
			}
		}
	}
}
