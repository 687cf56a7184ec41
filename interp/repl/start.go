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
	source := &ast.Source{Name: s.Start, Text: s.readStart()}
	file, err := s.parseScript(source, s.Runner.Names())
	wrong := mistakes{source: source}
	errors.As(err, &wrong.list)
	for i := range wrong.list {
		s.reportMistake(wrong.list[i : i+1])
	}
	definitions := *file
	definitions.Body.List = nil
	definitions.Functions = slices.DeleteFunc(file.Functions, func(f *ast.Function) bool {
		return wrong.spoilsStatement(file, f.Pos)
	})
	definitions.Resources = slices.DeleteFunc(file.Resources, func(r *ast.Resource) bool {
		return wrong.spoilsStatement(file, r.Pos)
	})
	s.sayWhatIsSpoilt(file, wrong)
	cancelled := s.runFile(&definitions, "")
	for i, stmt := range file.Body.List {
		if cancelled || s.isOver() {
			return
		}
		switch stmt.Node.(type) {
		case *ast.Function, *ast.Resource:
			continue // is defined
		}
		if !wrong.spoilsStatement(file, stmt.Pos) {
			one := *file
			one.Body.List, one.Functions, one.Resources = file.Body.List[i:i+1], nil, nil
			at := statementExtent(file, stmt.Pos)
			cancelled = s.runFile(&one, strings.TrimSpace(source.Text[at.start:at.end]))
		}
	}
}

// sayWhatIsSpoilt names the lines of the script that do not run for its first mistake.
func (s *shell) sayWhatIsSpoilt(file *ast.File, wrong mistakes) {
	if len(wrong.list) == 0 {
		return
	}
	first, next := wrong.list[0].Pos, int32(0)
	for _, stmt := range file.Body.List {
		at := statementExtent(file, stmt.Pos)
		switch {
		case at.start <= int(first.Offset) && int(first.Offset) < at.end:
			first = stmt.Pos
		case next == 0 && stmt.Pos.Line > first.Line && !wrong.spoilsStatement(file, stmt.Pos):
			next = stmt.Pos.Line
		}
	}
	lines := fmt.Sprintf("line %d was", first.Line)
	switch {
	case next == 0:
		lines = fmt.Sprintf("line %d and what follows were", first.Line)
	case next > first.Line+1:
		lines = fmt.Sprintf("lines %d to %d were", first.Line, next-1)
	}
	s.printMessage(s.inStyle(s.underHome(s.Start)+": "+lines+" not read", styleWrong))
}

func (s *shell) readStart() string {
	if s.Start == "" {
		return ""
	}
	bytes, err := os.ReadFile(s.Start)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.printMessage("cannot read " + err.Error())
	}
	return string(bytes)
}

// mistakes are the syntax errors of a script of which the rest is to run.
type mistakes struct {
	source *ast.Source
	list   diag.List
}

// spoilsStatement reports whether a statement must not run: something is wrong within it, or it stands between the
// first mistake and an end of a group that has no beginning. Then it may be part of a group that is written as in
// another shell, and be meant to run under a condition, or not at all.
func (m mistakes) spoilsStatement(file *ast.File, pos ast.Pos) bool {
	if pos.Source != m.source { // of a file that the script sources
		return slices.ContainsFunc(m.list, func(e *diag.Error) bool { return e.Pos.Source == pos.Source })
	}
	at := statementExtent(file, pos)
	for _, e := range m.list {
		offset := int(e.Pos.Offset)
		switch {
		case e.Pos.Source != m.source:
			if sourcedBy(file, pos) == e.Pos.Source {
				return true
			}
		case at.start <= offset && offset < at.end:
			return true
		case at.start < offset && int(m.list[0].Pos.Offset) < at.start && closesGroup(m.source.Text[offset:]):
			return true
		}
	}
	return false
}

// statementExtent returns the place of a statement in a script, with what follows it up to the next.
func statementExtent(file *ast.File, pos ast.Pos) span {
	at := span{int(pos.Offset), len(file.Source.Text)}
	for _, stmt := range file.Body.List {
		if next := int(stmt.Pos.Offset); next > at.start {
			at.end = min(at.end, next)
		}
	}
	return at
}

// sourcedBy returns the file that the statement at a place sources, or nil.
func sourcedBy(file *ast.File, pos ast.Pos) *ast.Source {
	for _, stmt := range file.Body.List {
		if n, ok := stmt.Node.(*ast.SourceFile); ok && stmt.Pos == pos {
			return n.File.Source
		}
	}
	return nil
}

// closesGroup reports whether a text begins with what ends a group, here or in another shell.
func closesGroup(text string) bool {
	end := strings.IndexFunc(text+"\n", func(r rune) bool { return isBlank(r) || r == ';' })
	return slices.Contains([]string{"end", "fi", "done", "esac", "endif", "}", ")"}, text[:end])
}
