package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"ftsh/cmd/ftsh/manual/markdown"
)

// roff writes a man page, in the macros of man(7) and with tables for tbl(1).
type roff struct {
	text strings.Builder
	bare bool // nothing but a heading stands before: a paragraph needs no macro
}

// newRoff begins a page such as FTSH(1).
func newRoff(name, section, title, about string) *roff {
	r := &roff{}
	r.line(`'\" t`)
	r.line(fmt.Sprintf(`.TH %s %s "%s" "%s" "%s"`, strings.ToUpper(name), section, date(), "ftsh", title))
	r.line(".ad l") // lines of a narrow column cannot be stretched
	r.heading(1, "Name")
	r.line(name + ` \- ` + escape(about))
	return r
}

// date is that of the release, or today's.
func date() string {
	day := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(epoch, 0)
	}
	return day.UTC().Format(time.DateOnly)
}

func (r *roff) line(text string) {
	r.text.WriteString(text)
	r.text.WriteByte('\n')
	r.bare = false
}

// heading begins a section (1) or a subsection (2).
func (r *roff) heading(level int, title string) {
	if level == 1 {
		r.line(".SH " + escape(strings.ToUpper(markdown.Plain(title))))
	} else {
		r.line(".SS " + escape(markdown.Plain(title)))
	}
	r.bare = true
}

// paragraph writes running text.
func (r *roff) paragraph(text string) {
	if !r.bare {
		r.line(".PP")
	}
	r.running(inline(text))
}

// item writes a point of a list with its mark.
func (r *roff) item(mark, text string) {
	r.line(fmt.Sprintf(`.IP "%s" 4`, mark))
	r.running(inline(text))
}

// running writes lines of text of which none may look like a macro.
func (r *roff) running(text string) {
	for line := range strings.Lines(text) {
		r.line(guarded(strings.TrimSpace(line)))
	}
}

// verbatim writes an example as it stands.
func (r *roff) verbatim(text string) {
	if !r.bare {
		r.line(".PP")
	}
	r.line(".in +4n")
	r.line(".EX")
	for line := range strings.Lines(text) {
		r.line(guarded(escape(strings.TrimRight(line, "\n"))))
	}
	r.line(".EE")
	r.line(".in")
	r.bare = false
}

// table writes rows, of which the first is the heading unless it is empty. Its first
// column is as wide as its words, the last takes what is left.
func (r *roff) table(rows [][]string) {
	columns := len(rows[0])
	r.line(".TS")
	r.line("lw(20n)" + strings.Repeat(" lx", columns-1) + ".")
	for i, row := range rows {
		if i == 0 && strings.Join(row, "") == "" {
			continue
		}
		for n := range columns {
			cell := ""
			if n < len(row) {
				cell = inline(row[n])
			}
			if i == 0 {
				cell = `\fB` + strings.ReplaceAll(cell, `\fR`, `\fB`) + `\fR`
			}
			end := "\tT{"
			if n == 0 {
				end = "T{"
			}
			r.text.WriteString(end + "\n" + guarded(cell) + "\nT}")
		}
		r.text.WriteString("\n")
	}
	r.line(".TE")
}

// special is what is not itself in roff, or is drawn as another character.
var special = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// escape makes a text one that roff prints as it stands.
func escape(text string) string { return special.Replace(text) }

// guarded keeps the first character of a line from making a request of it.
func guarded(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

// inline turns the marks of a line into fonts: what is typed is bold.
func inline(text string) string {
	var out strings.Builder
	for _, p := range markdown.Pieces(text) {
		switch p.Style {
		case markdown.Literal, markdown.Strong:
			out.WriteString(`\fB` + escape(p.Text) + `\fR`)
		case markdown.Emphasized:
			out.WriteString(`\fI` + escape(p.Text) + `\fR`)
		default:
			out.WriteString(escape(p.Text))
		}
	}
	return out.String()
}
