package main

import (
	"bytes"
	"fmt"
	"strings"

	"ftsh/ast/check"
	"ftsh/ast/printer"
)

// formatDocument lays a document out. One with errors stays as it is.
func (s *server) formatDocument(d *document, _ documentParams) ([]textEdit, error) {
	var text bytes.Buffer
	if len(d.errors) > 0 || printer.Print(&text, d.file) != nil || text.String() == d.text {
		return []textEdit{}, nil
	}
	return []textEdit{{d.lines.rangeOf(0, len(d.text)), text.String()}}, nil
}

// actionsIn are the ways to mend what was found in a range, or to silence it.
func (s *server) actionsIn(d *document, p actionParams) ([]codeAction, error) {
	list := []codeAction{}
	for i := range d.found {
		f := &d.found[i]
		line := int(f.Pos.Line) - 1
		if f.Pos.Source != d.file.Source || line < p.Range.Start.Line || line > p.Range.End.Line {
			continue
		}
		if len(f.Edits) > 0 {
			list = append(list, d.newAction(f, f.Instead, f.Edits))
		}
		list = append(list, d.newAction(f, "silence "+f.Rule.Code+" here, and say why", []check.Edit{d.silenceFinding(f)}))
	}
	return list, nil
}

func (d *document) newAction(f *check.Finding, title string, edits []check.Edit) codeAction {
	var changes []textEdit
	for _, e := range edits {
		changes = append(changes, textEdit{d.lines.rangeOf(e.Begin, e.End), e.Text})
	}
	return codeAction{title, "quickfix", []diagnostic{d.finding(f)}, workspaceEdit{map[string][]textEdit{d.uri: changes}}}
}

// silenceFinding puts a comment where the formatter leaves it: alone on the line before a finding, or, behind another
// statement of the same line, at its end. It silences nothing before a reason stands in the place of the dots.
func (d *document) silenceFinding(f *check.Finding) check.Edit {
	begin := d.lines.starts[f.Pos.Line-1]
	line := d.lines.lineText(int(f.Pos.Line) - 1)
	text := fmt.Sprintf("# check: ignore %s because …", f.Rule.Code)
	if before := d.text[begin:f.Pos.Offset]; strings.Contains(before, ";") {
		begin += len(line)
		return check.Edit{Source: f.Pos.Source, Begin: begin, End: begin, Text: " " + text}
	}
	text = line[:len(line)-len(strings.TrimLeft(line, " \t"))] + text + "\n"
	return check.Edit{Source: f.Pos.Source, Begin: begin, End: begin, Text: text}
}
