package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"ftsh/ast"
)

// mentionAt returns the name that stands at a position of a document; nil if none does.
func (d *document) mentionAt(p position) *mention {
	offset := d.lines.offsetOf(p)
	for i := range d.symbols {
		m := &d.symbols[i]
		if m.source == d.file.Source && m.begin <= offset && offset <= m.end {
			return m
		}
	}
	return nil
}

// definition finds where a name is defined or set.
func (s *server) definition(d *document, p positionParams) ([]location, error) {
	m := d.mentionAt(p.Position)
	switch {
	case m == nil:
		return []location{}, nil
	case m.kind == sourced:
		if n, ok := m.stmt.Node.(*ast.SourceFile); ok {
			return []location{{URI: uriOf(filepath.Clean(n.File.Source.Name))}}, nil
		}
	}
	return s.sameMentions(d, m, func(other *mention) bool { return other.defines }), nil
}

// references finds all places where a name stands, in all open documents that belong together.
func (s *server) references(d *document, p referenceParams) ([]location, error) {
	m := d.mentionAt(p.Position)
	if m == nil {
		return []location{}, nil
	}
	return s.sameMentions(d, m, func(other *mention) bool { return p.Context.IncludeDeclaration || !other.defines }), nil
}

// sameMentions finds the mentions of the same thing: in the document, in what it sources,
// and in what sources it, as far as that is open.
func (s *server) sameMentions(d *document, m *mention, wanted func(*mention) bool) []location {
	list := []location{}
	add := func(symbols []mention) {
		for i := range symbols {
			if other := &symbols[i]; other.isSame(m) && wanted(other) {
				at := location{uriOf(other.source.Name), newLines(other.source.Text).rangeOf(other.begin, other.end)}
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
		from, to := a.Range.Start, b.Range.Start
		return cmp.Or(strings.Compare(a.URI, b.URI), from.Line-to.Line, from.Character-to.Character)
	})
	return list
}

// highlights finds the places of a name in its document.
func (s *server) highlights(d *document, p positionParams) ([]object, error) {
	const read, write = 2, 3
	list, m := []object{}, d.mentionAt(p.Position)
	for i := range d.symbols {
		other := &d.symbols[i]
		if m == nil || !other.isSame(m) || other.source != d.file.Source {
			continue
		}
		kind := read
		if other.defines {
			kind = write
		}
		list = append(list, object{"range": d.lines.rangeOf(other.begin, other.end), "kind": kind})
	}
	return list, nil
}

// prepareRename returns the range of a name that can be changed; nothing elsewhere.
func (s *server) prepareRename(d *document, p positionParams) (any, error) {
	if m := d.mentionAt(p.Position); m != nil && s.checkRename(d, m) == nil {
		return d.lines.rangeOf(m.begin, m.end), nil
	}
	return nil, nil
}

// checkRename reports why a name cannot be changed: it is none of the script's own.
func (s *server) checkRename(d *document, m *mention) error {
	switch {
	case m.kind == sourced:
		return jrpc2.Errorf(jrpc2.InvalidParams, "%s is a file", m.name)
	case len(s.sameMentions(d, m, func(other *mention) bool { return other.defines })) == 0:
		return jrpc2.Errorf(jrpc2.InvalidParams, "nothing here sets %s: it may come from the environment", m.name)
	}
	return nil
}

// renameAt changes a name in all open documents that belong together.
func (s *server) renameAt(d *document, p renameParams) (any, error) {
	m := d.mentionAt(p.Position)
	if m == nil {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "no name of the script stands there")
	}
	if err := s.checkRename(d, m); err != nil {
		return nil, err
	}
	if !ast.IsName(p.NewName) {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams,
			"%q is no name: wanted letters, digits and _, no digit first", p.NewName)
	}
	if m.kind == function && ast.IsKeyword(p.NewName) {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams,
			"%s is a word of the language: it would not call the function", p.NewName)
	}
	wanted := mention{kind: m.kind, name: p.NewName, local: m.local}
	if p.NewName != m.name && len(s.sameMentions(d, &wanted, func(*mention) bool { return true })) > 0 {
		return nil, jrpc2.Errorf(jrpc2.InvalidParams, "%s is another name of the script already", p.NewName)
	}
	edit := workspaceEdit{map[string][]textEdit{}}
	for _, place := range s.sameMentions(d, m, func(*mention) bool { return true }) {
		edit.Changes[place.URI] = append(edit.Changes[place.URI], textEdit{place.Range, p.NewName})
	}
	return edit, nil
}

// symbolsOf lists what a document defines: functions, resources and the first place of each variable.
func (s *server) symbolsOf(d *document, _ documentParams) ([]documentSymbol, error) {
	list := []documentSymbol{}
	seen := map[string]bool{}
	blocks := followKeywords(d.text).blocks
	kinds := map[kind]int{variable: symbolVariable, function: symbolFunction, resource: symbolModule}
	for _, m := range d.symbols {
		if m.source != d.file.Source || !m.defines || m.kind == variable && (m.local != "" || seen[m.name]) {
			continue
		}
		seen[m.name] = seen[m.name] || m.kind == variable
		list = append(list, documentSymbol{
			Name: m.name, Kind: kinds[m.kind], Range: d.wholeRange(&m, blocks), SelectionRange: d.lines.rangeOf(m.begin, m.end),
		})
	}
	return list, nil
}

// wholeRange is the range of a definition: a block up to its end, anything else to the end of its line.
func (d *document) wholeRange(m *mention, blocks map[int]int) textRange {
	begin := int(m.stmt.Pos.Offset)
	line := d.lines.positionOf(begin).Line
	last, isBlock := blocks[line]
	if !isBlock || m.kind == variable {
		last = d.lines.positionOf(m.end).Line
	}
	return d.lines.rangeOf(begin, d.lines.starts[last]+len(d.lines.lineText(last)))
}
