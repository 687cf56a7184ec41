package printer

import (
	"strings"

	"ftsh/ast"
)

// fold breaks the line before what comes next.
func (p *printer) fold() {
	if p.bare {
		return
	}
	p.text("\\\n")
	p.indent(p.depth + 1)
}

// gap prints the blank before something that is no word, and breaks the line
// there if a person did.
func (p *printer) gap(pos ast.Pos) { p.gapBefore(folded(pos)) }

func (p *printer) gapBefore(folded bool) {
	p.text(" ")
	if folded {
		p.fold()
	}
}

// folded reports whether what stands at a place in the middle of a statement is the
// first of its line. Words know that themselves.
func folded(pos ast.Pos) bool {
	before, ok := textBefore(pos)
	return ok && joined(before)
}

// foldedKeyword is folded for the keyword that stands before a place, if one of
// these does.
func foldedKeyword(pos ast.Pos, keywords ...string) bool {
	before, found := cutKeyword(pos, keywords)
	return found && joined(before)
}

// cutKeyword returns the text before the keyword that stands before a place.
func cutKeyword(pos ast.Pos, keywords []string) (before string, found bool) {
	before, ok := textBefore(pos)
	for ok && joined(before) {
		before = strings.TrimRight(before, " \t")
		before = strings.TrimSuffix(before[:len(before)-1], "\r")
		before = before[:len(before)-1]
	}
	before = strings.TrimRight(before, " \t")
	for _, keyword := range keywords {
		if rest, found := strings.CutSuffix(before, keyword); found {
			return rest, true
		}
	}
	return "", false
}

func textBefore(pos ast.Pos) (text string, ok bool) {
	if !pos.IsValid() || pos.Source == nil || int(pos.Offset) > len(pos.Source.Text) {
		return "", false
	}
	return pos.Source.Text[:pos.Offset], true
}

// joined reports whether a text ends in a line continuation and blanks.
func joined(text string) bool {
	text = strings.TrimRight(text, " \t")
	return strings.HasSuffix(text, "\\\n") || strings.HasSuffix(text, "\\\r\n")
}
