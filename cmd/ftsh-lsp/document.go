package main

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"ftsh/ast"
	"ftsh/ast/check"
	"ftsh/ast/diag"
	"ftsh/parser"
)

// document is an open text, and what it was last found to be.
type document struct {
	uri, path string
	text      string
	lines     *lines

	file    *ast.File // as it is now, perhaps with errors
	errors  diag.List
	found   []check.Finding
	symbols []mention // of names in file and what it sources
}

// set gives a document its text.
func (d *document) set(text string) { d.text, d.lines = text, newLines(text) }

// read returns what a script sources: an open document as the editor has it.
func (s *server) read(path string) ([]byte, error) {
	path = filepath.Clean(path)
	for _, d := range s.documents {
		if d.path == path {
			return []byte(d.text), nil
		}
	}
	return os.ReadFile(path)
}

// changed has the documents examined when the editor is silent for a while, or asks something: of a burst of
// changes only what they come to.
func (s *server) changed() {
	s.stale = true
	time.AfterFunc(calm, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if time.Since(s.last) >= calm {
			s.refresh()
		}
	})
	s.last = time.Now()
}

// refresh looks at all open documents again if one has changed, since one may source another, and tells what is
// wrong in them.
func (s *server) refresh() {
	if !s.stale {
		return
	}
	s.stale = false
	for _, d := range s.documents {
		s.examine(d)
		s.publish(d.uri, d.diagnostics())
	}
}

// examine parses and checks a document.
func (s *server) examine(d *document) {
	source := &ast.Source{Name: d.path, Text: d.text}
	file, err := parser.Parse(source, parser.Config{ReadFile: s.read})
	d.file, d.found, d.errors = file, nil, nil
	if !errors.As(err, &d.errors) {
		d.found = check.Script(file, s.config())
	}
	d.symbols = mentions(file)
}

// diagnostics are what is wrong in the document itself. What is wrong in a file that
// it sources shows where that is open, but for syntax, which hides all else.
func (d *document) diagnostics() []diagnostic {
	list := []diagnostic{}
	for _, e := range d.errors {
		if e.Pos.Source == d.file.Source {
			list = append(list, d.diagnostic(e.Pos, 1, "", e.Message))
		} else if at, sources := d.sourcing(e.Pos.Source); sources {
			list = append(list, d.diagnostic(at, 1, "", e.Error()))
		}
	}
	for i := range d.found {
		f := &d.found[i]
		if f.Pos.Source == d.file.Source {
			list = append(list, d.diagnostic(f.Pos, 1+int(f.Rule.Level), f.Rule.Code, f.Message+"; "+f.Instead))
		}
	}
	return list
}

func (d *document) diagnostic(pos ast.Pos, severity int, code, message string) diagnostic {
	begin := int(pos.Offset)
	return diagnostic{d.lines.span(begin, wordEnd(d.text, begin)), severity, code, "ftsh", message}
}

// sourcing is the statement by which a document sources a file, directly or not.
func (d *document) sourcing(source *ast.Source) (at ast.Pos, found bool) {
	for i := range d.file.Body.List {
		s := &d.file.Body.List[i]
		if n, ok := s.Node.(*ast.SourceFile); ok && n.File != nil && leadsTo(n.File, source) {
			return s.Pos, true
		}
	}
	return ast.Pos{}, false
}

// leadsTo reports whether a file is a source, or sources it.
func leadsTo(file *ast.File, source *ast.Source) bool {
	if file.Source == source {
		return true
	}
	for i := range file.Body.List {
		if n, ok := file.Body.List[i].Node.(*ast.SourceFile); ok && n.File != nil && leadsTo(n.File, source) {
			return true
		}
	}
	return false
}
