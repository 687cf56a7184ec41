package main

import (
	"path/filepath"
	"slices"
	"strings"

	"ftsh/ast"
)

// at returns the name that stands at a position of a document; nil if none does.
func (d *document) at(p position) *mention {
	offset := d.lines.offset(p)
	for i := range d.symbols {
		m := &d.symbols[i]
		if m.source == d.file.Source && m.begin <= offset && offset <= m.end {
			return m
		}
	}
	return nil
}

// definition finds where what a name names is defined or set.
func (s *server) definition(p positionParams) ([]location, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	m := d.at(p.Position)
	switch {
	case m == nil:
		return []location{}, nil
	case m.kind == sourced:
		if n, ok := m.stmt.Node.(*ast.SourceFile); ok {
			return []location{{URI: uriOf(filepath.Clean(n.File.Source.Name))}}, nil
		}
	}
	return s.same(d, m, func(other *mention) bool { return other.defines }), nil
}

// references finds all places where a name stands, in all open documents that belong together.
func (s *server) references(p referenceParams) ([]location, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	m := d.at(p.Position)
	if m == nil {
		return []location{}, nil
	}
	return s.same(d, m, func(other *mention) bool { return p.Context.IncludeDeclaration || !other.defines }), nil
}

// same is where the same thing is mentioned: in the document, in what it sources,
// and in what sources it, as far as that is open.
func (s *server) same(d *document, m *mention, wanted func(*mention) bool) []location {
	list := []location{}
	add := func(symbols []mention) {
		for i := range symbols {
			if other := &symbols[i]; other.same(m) && wanted(other) {
				at := location{uriOf(other.source.Name), newLines(other.source.Text).span(other.begin, other.end)}
				if !slices.Contains(list, at) {
					list = append(list, at)
				}
			}
		}
	}
	add(d.symbols)
	for _, other := range s.documents {
		if other != d && slices.ContainsFunc(other.symbols, func(m mention) bool { return m.source.Name == d.path }) {
			add(other.symbols)
		}
	}
	slices.SortFunc(list, func(a, b location) int {
		if c := strings.Compare(a.URI, b.URI); c != 0 {
			return c
		}
		if a.Range.Start.Line != b.Range.Start.Line {
			return a.Range.Start.Line - b.Range.Start.Line
		}
		return a.Range.Start.Character - b.Range.Start.Character
	})
	return list
}

// symbols lists what a document defines: functions, resources and the first place of each variable.
func (s *server) symbols(p documentParams) ([]documentSymbol, error) {
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	list := []documentSymbol{}
	seen := map[string]bool{}
	kinds := map[kind]int{variable: symbolVariable, function: symbolFunction, resource: symbolModule}
	for _, m := range d.symbols {
		if m.source != d.file.Source || !m.defines || m.kind == variable && (m.local != "" || seen[m.name]) {
			continue
		}
		seen[m.name] = seen[m.name] || m.kind == variable
		at := d.lines.span(m.begin, m.end)
		list = append(list, documentSymbol{Name: m.name, Kind: kinds[m.kind], Range: at, SelectionRange: at})
	}
	return list, nil
}
