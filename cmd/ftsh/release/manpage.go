package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/russross/blackfriday/v2"
)

// manPage makes a man page of Markdown, by go-md2man. The text of its sections begins with level 1.
func manPage(name, section, title, about, text string) string {
	head := fmt.Sprintf("%% %s %s %q %q %q\n\n# NAME\n\n%s - %s\n\n", strings.ToUpper(name), section, releaseDate(),
		"ftsh", title, name, about)
	renderer := md2man.NewRoffRenderer()
	tree := blackfriday.New(blackfriday.WithExtensions(renderer.GetExtensions())).Parse([]byte(head + text))
	prepare(tree)
	var out bytes.Buffer
	renderer.RenderHeader(&out, tree)
	tree.Walk(func(node *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch node.Type {
		case blackfriday.Table:
			drawTable(&out, node, entering)
		case blackfriday.TableCell:
			drawCell(&out, node, entering)
		default:
			return renderer.RenderNode(&out, node, entering)
		}
		return blackfriday.GoToNext
	})
	return typeset(out.String())
}

// prepare changes what go-md2man would take otherwise than the manual means it: only the first heading is the title
// of the whole, a table without words in its first row has no heading, \| in a table is |, and a picture is not drawn.
func prepare(tree *blackfriday.Node) {
	var needless []*blackfriday.Node // which cannot be taken out while they are walked over
	tree.Walk(func(node *blackfriday.Node, entering bool) blackfriday.WalkStatus {
		switch {
		case !entering:
		case node.Type == blackfriday.Heading && !node.IsTitleblock:
			node.Level = min(node.Level+1, 3)
		case node.Type == blackfriday.TableHead && isEmpty(node.FirstChild), node.Type == blackfriday.Paragraph &&
			isPicture(node):
			needless = append(needless, node)
		case node.Type == blackfriday.TableCell:
			for part := node.FirstChild; part != nil; part = part.Next {
				part.Literal = bytes.ReplaceAll(part.Literal, []byte(`\|`), []byte("|"))
			}
		}
		return blackfriday.GoToNext
	})
	for _, node := range needless {
		node.Unlink()
	}
}

// isPicture reports whether a paragraph begins with a picture.
func isPicture(paragraph *blackfriday.Node) bool {
	first := paragraph.FirstChild
	if first != nil && first.Type == blackfriday.Text && len(first.Literal) == 0 {
		first = first.Next
	}
	return first != nil && first.Type == blackfriday.Image
}

// isEmpty reports whether no cell of a row has a word.
func isEmpty(row *blackfriday.Node) bool {
	for cell := row.FirstChild; cell != nil; cell = cell.Next {
		if cell.FirstChild != nil && (cell.FirstChild.Next != nil || len(cell.FirstChild.Literal) > 0) {
			return false
		}
	}
	return true
}

// drawTable begins and ends a table. That of go-md2man is as wide as its longest words; here the first column is as
// wide as its words, and the others share what is left.
func drawTable(out *bytes.Buffer, table *blackfriday.Node, entering bool) {
	if !entering {
		out.WriteString(".TE\n")
		return
	}
	columns := 0
	for cell := table.FirstChild.FirstChild.FirstChild; cell != nil; cell = cell.Next {
		columns++
	}
	fmt.Fprintf(out, "\n.TS\nlw(20n)%s.\n", strings.Repeat(" lx", columns-1))
}

// drawCell begins and ends a cell, which may have several lines.
func drawCell(out *bytes.Buffer, cell *blackfriday.Node, entering bool) {
	begin, end := "T{\n", "\nT}"
	if cell.Prev != nil {
		begin = "\tT{\n"
	}
	if cell.IsHeader {
		begin, end = begin+`\fB`, `\fR`+end
	}
	if cell.Next == nil {
		end += "\n"
	}
	if entering {
		out.WriteString(begin)
	} else {
		out.WriteString(end)
	}
}

// asTyped keeps what roff would draw as another character: a command that is copied must keep its dashes and quotes.
// go-md2man escapes backslashes alone.
var asTyped = strings.NewReplacer(`\\`, `\e`, `\-`, `\-`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// typeset mends what go-md2man wrote: the characters of commands, the indent of examples.
func typeset(roff string) string {
	head, text, _ := strings.Cut(roff, "\n.SH ")
	text = strings.NewReplacer("\n.EX\n", "\n.in +4n\n.EX\n", "\n.EE\n", "\n.EE\n.in\n").Replace(asTyped.Replace(text))
	return head + "\n.ad l\n.SH " + text // lines of a narrow column cannot be stretched
}

// releaseDate is that of the release, or today's.
func releaseDate() string {
	day := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(epoch, 0)
	}
	return day.UTC().Format(time.DateOnly)
}
