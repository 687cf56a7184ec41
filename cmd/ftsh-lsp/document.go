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

// setText gives a document its text.
func (d *document) setText(text string) { d.text, d.lines = text, newLines(text) }

// readSource returns what a script sources: an open document as the editor has it.
func (s *server) readSource(path string) ([]byte, error) {
	path = filepath.Clean(path)
	for _, d := range s.documents {
		if d.path == path {
			return []byte(d.text), nil
		}
	}
	return os.ReadFile(path)
}

// examineSoon examines the documents once the editor is silent for a while or asks something, so that a burst of
// changes is examined once.
func (s *server) examineSoon() {
	s.stale = true
	time.AfterFunc(calm, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if time.Since(s.last) >= calm {
			s.refreshAll()
		}
	})
	s.last = time.Now()
}

// refreshAll examines all open documents again if one has changed, since one may source another, and publishes what
// is wrong in them.
func (s *server) refreshAll() {
	if !s.stale {
		return
	}
	s.stale = false
	for _, d := range s.documents {
		s.examineDocument(d)
		s.publishFindings(d.uri, d.diagnostics())
	}
}

// examineDocument parses and checks a document.
func (s *server) examineDocument(d *document) {
	source := &ast.Source{Name: d.path, Text: d.text}
	file, err := parser.Parse(source, parser.Config{ReadFile: s.readSource})
	d.file, d.found, d.errors = file, nil, nil
	if !errors.As(err, &d.errors) {
		d.found = check.Script(file, s.checkConfig())
	}
	d.symbols = mentionsIn(file)
}

// diagnostics returns the faults of the document itself. What is wrong in a file that
// it sources shows where that is open, but for syntax, which hides all else.
func (d *document) diagnostics() []diagnostic {
	list := []diagnostic{}
	for _, e := range d.errors {
		if e.Pos.Source == d.file.Source {
			list = append(list, d.diagnostic(e.Pos, 1, "", e.Message))
		} else if at, sources := sourcingOf(d.file, e.Pos.Source); sources {
			list = append(list, d.diagnostic(at, 1, "", e.Error()))
		}
	}
	for i := range d.found {
		f := &d.found[i]
		if f.Pos.Source == d.file.Source {
			list = append(list, d.finding(f))
		}
	}
	return list
}

func (d *document) diagnostic(pos ast.Pos, severity int, code, message string) diagnostic {
	begin := int(pos.Offset)
	return diagnostic{d.lines.rangeOf(begin, wordEnd(d.text, begin)), severity, code, "ftsh", message}
}

func (d *document) finding(f *check.Finding) diagnostic {
	return d.diagnostic(f.Pos, 1+int(f.Level), f.Rule.Code, f.Message+"; "+f.Instead)
}

// sourcingOf returns the statement by which a file sources another, directly or not.
func sourcingOf(file *ast.File, source *ast.Source) (at ast.Pos, found bool) {
	for i := range file.Body.List {
		s := &file.Body.List[i]
		if n, ok := s.Node.(*ast.SourceFile); ok && n.File != nil {
			if _, inside := sourcingOf(n.File, source); inside || n.File.Source == source {
				return s.Pos, true
			}
		}
	}
	return ast.Pos{}, false
}
