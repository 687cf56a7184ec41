package repl

import (
	"errors"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/interp"
)

// complete reports whether a text can be run, or is wrong in a way that more
// lines would not mend. If not, it tells what is open.
func (s *shell) complete(text string) (whole bool, open string) {
	_, err := s.parse(&ast.Source{Name: "prompt", Text: text + "\n"}, nil)
	var list diag.List
	if errors.As(err, &list) && list[0].Incomplete {
		return false, list[0].Open
	}
	return true, ""
}

// commandStyle tells what a command is. It is asked for with each key, and a
// directory on PATH may take long to answer.
func (s *shell) commandStyle(name string) style {
	as, known := s.known[name]
	if !known {
		as = styleUnknown
		if s.isBuiltin(name) || s.defines(name) || s.short[name] != "" {
			as = styleCommand
		} else if _, err := s.Runner.Program(name); err == nil {
			as = styleCommand
		}
		s.known[name] = as
	}
	return as
}

// isBuiltin reports whether a command is a builtin of the language or of the prompt.
func (s *shell) isBuiltin(name string) bool {
	return interp.IsBuiltin(name) || s.Runner.Builtins[name] != nil
}

func (s *shell) colours() bool { return s.Colours }

func (s *shell) wantsVi() bool {
	mode, _ := s.Runner.Lookup("FTSH_EDITMODE")
	return mode == "vi"
}

// keep enters a statement in the history. One that begins with a blank is not kept.
func (s *shell) keep(text string) {
	if strings.TrimSpace(text) == "" || isBlank(rune(text[0])) {
		return
	}
	text = strings.TrimRight(text, " \t\n")
	if e, ok := s.reader.(*editor); ok {
		e.recall.add(text)
	}
	s.history.add(text)
}

// beginLine moves to the beginning of a line, marking what a program has left
// without a newline. (A mark and blanks, one row's worth in all: from the beginning of
// a row they stay in it, from elsewhere they reach into the next.)
func (s *shell) beginLine() {
	if s.Plain {
		return
	}
	columns, _ := s.term.size()
	mark := styleFaint.sequence(s.Colours) + "⏎" + resetStyle
	_, _ = s.term.Write([]byte(mark + strings.Repeat(" ", columns-1) + "\r\x1b[K"))
}
