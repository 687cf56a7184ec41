package repl

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
)

// runStartScript runs the script of the user before the first prompt, a statement at a time: what is wrong there, or
// fails, is told with its place, and the rest runs.
func (s *shell) runStartScript() {
	s.Typing(false)
	text, err := os.ReadFile(s.Start)
	if err != nil && s.Start != "" && !errors.Is(err, os.ErrNotExist) {
		s.printMessage("cannot read " + err.Error())
	}
	source := &ast.Source{Name: s.Start, Text: string(text)}
	file, err := s.parseScript(source, s.Runner.Names())
	wrong := mistakes{file: file}
	errors.As(err, &wrong.list)
	for i := range wrong.list {
		s.reportMistake(wrong.list[i : i+1])
	}
	if len(wrong.list) > 0 {
		s.printMessage(s.inStyle(s.underHome(s.Start)+": "+wrong.spoiltLines()+" not read", styleWrong))
	}
	definitions := *file
	definitions.Body.List = nil
	definitions.Functions = slices.DeleteFunc(file.Functions, func(f *ast.Function) bool { return wrong.spoil(f.Pos) })
	definitions.Resources = slices.DeleteFunc(file.Resources, func(r *ast.Resource) bool { return wrong.spoil(r.Pos) })
	cancelled := s.runFile(&definitions, "")
	for i, stmt := range file.Body.List {
		if cancelled || s.isOver() {
			return
		}
		_, function := stmt.Node.(*ast.Function)
		_, resource := stmt.Node.(*ast.Resource)
		if !function && !resource && !wrong.spoil(stmt.Pos) { // functions and resources are defined already
			one := *file
			one.Body.List, one.Functions, one.Resources = file.Body.List[i:i+1], nil, nil
			at := wrong.extent(stmt.Pos)
			cancelled = s.runFile(&one, strings.TrimSpace(source.Text[at.start:at.end]))
		}
	}
}

// mistakes are the syntax errors of a script of which the rest is to run.
type mistakes struct {
	file *ast.File
	list diag.List
}

// spoil reports whether a statement must not run: something is wrong within it, or it stands between the
// first mistake and an end of a group that has no beginning. Then it may be part of a group that is written as in
// another shell, and be meant to run under a condition, or not at all.
func (m mistakes) spoil(pos ast.Pos) bool {
	source := m.file.Source
	if pos.Source != source { // of a file that the script sources
		return slices.ContainsFunc(m.list, func(e *diag.Error) bool { return e.Pos.Source == pos.Source })
	}
	var sourced *ast.Source
	for _, stmt := range m.file.Body.List {
		if n, ok := stmt.Node.(*ast.SourceFile); ok && stmt.Pos == pos {
			sourced = n.File.Source
		}
	}
	at := m.extent(pos)
	return slices.ContainsFunc(m.list, func(e *diag.Error) bool {
		offset := int(e.Pos.Offset)
		switch {
		case e.Pos.Source != source:
			return e.Pos.Source == sourced
		case at.start <= offset && offset < at.end:
			return true
		}
		return at.start < offset && int(m.list[0].Pos.Offset) < at.start && closesGroup(source.Text[offset:])
	})
}

// closesGroup reports whether a text begins with what ends a group, here or in another shell.
func closesGroup(text string) bool {
	end := strings.IndexFunc(text+"\n", func(r rune) bool { return isBlank(r) || r == ';' })
	return slices.Contains([]string{"end", "fi", "done", "esac", "endif", "}", ")"}, text[:end])
}

// extent returns the place of a statement in the script, with what follows it up to the next.
func (m mistakes) extent(pos ast.Pos) span {
	at := span{int(pos.Offset), len(m.file.Source.Text)}
	for _, stmt := range m.file.Body.List {
		if next := int(stmt.Pos.Offset); next > at.start {
			at.end = min(at.end, next)
		}
	}
	return at
}

// spoiltLines names the lines that do not run for the first mistake.
func (m mistakes) spoiltLines() string {
	first, next := m.list[0].Pos, int32(0)
	for _, stmt := range m.file.Body.List {
		at := m.extent(stmt.Pos)
		switch {
		case at.start <= int(first.Offset) && int(first.Offset) < at.end:
			first = stmt.Pos
		case next == 0 && stmt.Pos.Line > first.Line && !m.spoil(stmt.Pos):
			next = stmt.Pos.Line
		}
	}
	switch {
	case next == 0:
		return fmt.Sprintf("line %d and what follows were", first.Line)
	case next > first.Line+1:
		return fmt.Sprintf("lines %d to %d were", first.Line, next-1)
	}
	return fmt.Sprintf("line %d was", first.Line)
}
