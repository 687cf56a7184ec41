package parser

import (
	"strings"

	"ftsh/ast"
	"ftsh/lexer/quote"
)

// run gathers literal text.
type run struct {
	start int
	text  []byte
	dirty bool // the text is not what is written
}

// addLiteral adds the literal text from the beginning of the run to an offset.
func (s *splitter) addLiteral(r *run, end int, style ast.Quote) {
	if end > r.start {
		raw := s.text[r.start:end]
		lit := &ast.Lit{Text: raw, Raw: raw, Quote: style}
		if r.dirty {
			lit.Text = string(r.text)
		}
		s.parts = append(s.parts, lit)
	}
}

// copyRun copies what was read up to an offset: from here on the text differs from what
// is written.
func (s *splitter) copyRun(r *run, end int) {
	if !r.dirty {
		r.text, r.dirty = append(r.text[:0], s.text[r.start:end]...), true
	}
}

// readPieces makes parts of the pieces up to one that closes them, and reports whether it
// was there. Between quotes it makes at least one.
func (s *splitter) readPieces(style ast.Quote, closer quote.Kind) bool {
	n := len(s.parts)
	r := run{start: s.scan.At}
	for {
		p := s.scan.Next()
		switch p.Kind {
		case quote.Text:
			slash := s.slashIn(p)
			if slash >= 0 {
				p.End = slash
			}
			s.takeLiteral(&r, p, style)
			if slash < 0 {
				continue
			}
			s.divided, s.scan.At, p.Begin, p.Kind = false, slash+1, slash, closer
		case quote.Escape:
			s.copyRun(&r, p.Begin)
			r.text = append(r.text, s.text[p.Begin+1:p.End]...)
			continue
		case quote.Join:
			s.copyRun(&r, p.Begin)
			continue
		}
		s.addLiteral(&r, p.Begin, style)
		if p.Kind == closer || p.Kind == quote.End {
			if len(s.parts) == n && (style != ast.Bare || n == 0) {
				s.parts = append(s.parts, &ast.Lit{Quote: style})
			}
			return p.Kind == closer
		}
		s.readPart(p, style)
		r = run{start: s.scan.At}
	}
}

// slashIn is the place of the slash in a text that ends the pattern under way; negative if there is none.
func (s *splitter) slashIn(p quote.Piece) int {
	for i := p.Begin; i < p.End && s.divided; i++ {
		if s.text[i] == '/' && (i == p.Begin || s.text[i-1] != '\\') {
			return i
		}
	}
	return -1
}

// readPart reads a reference, a command, or quoted text, which a piece begins.
func (s *splitter) readPart(p quote.Piece, style ast.Quote) {
	switch {
	case p.Kind == quote.Reference:
		s.reference(p, style)
	case p.Kind == quote.Command:
		s.readOutput(p, style)
	case p.Kind == quote.Backquote:
		s.failAt(p.Begin, "a backquote; to use a command's output, write  ${ cmd args }  "+
			"or  cmd args -> name  and then $name")
	case s.scan.Defaults > 0:
		s.failAt(p.Begin, "a quote between the braces of a reference, where all is read as in double quotes already; "+
			"leave it out, or write \\\"")
	case s.text[p.Begin] == '\'':
		s.readPieces(ast.Single, quote.Mark)
	default:
		n := len(s.parts)
		s.readPieces(ast.Double, quote.Mark)
		edgeOf(s.parts[n]).Open = true
		edgeOf(s.parts[len(s.parts)-1]).Shut = true
	}
}

func edgeOf(p ast.Part) *ast.Edge {
	switch p := p.(type) {
	case *ast.Ref:
		return &p.Edge
	case *ast.Output:
		return &p.Edge
	}
	return &p.(*ast.Lit).Edge
}

// takeLiteral takes text as it is, but for patterns and the tabs of <<-.
func (s *splitter) takeLiteral(r *run, p quote.Piece, style ast.Quote) {
	from := p.Begin
	globs := s.matching || s.globs && style == ast.Bare
	for i := p.Begin; i < p.End; i++ {
		switch {
		case s.tabs && s.text[i] == '\t' && (i == 0 || s.text[i-1] == '\n'):
			s.dropFromRun(r, from, i)
			for i < p.End && s.text[i] == '\t' {
				i++
			}
			from = i
			i--
		case s.matching && s.text[i] == '\\' && i+1 < p.End && strings.IndexByte(s.escapable(), s.text[i+1]) >= 0:
			s.dropFromRun(r, from, i)
			i++
			from = i
		case globs:
			n := s.patternLength(i)
			if n == 0 {
				continue
			}
			if r.dirty {
				r.text = append(r.text, s.text[from:i]...)
			}
			s.addLiteral(r, i, style)
			s.parts = append(s.parts, &ast.Glob{Pattern: s.text[i : i+n]})
			from = i + n
			*r = run{start: from}
			i = from - 1
		}
	}
	s.scan.At = max(s.scan.At, from)
	if r.dirty && from < p.End {
		r.text = append(r.text, s.text[from:p.End]...)
	}
}

// escapable lists what a backslash makes literal in a pattern, besides what it does in double quotes.
func (s *splitter) escapable() string {
	if s.divided {
		return "*?[/"
	}
	return "*?["
}

// dropFromRun leaves out what comes next in a run; what was read since an offset stays.
func (s *splitter) dropFromRun(r *run, from, at int) {
	if r.dirty {
		r.text = append(r.text, s.text[from:at]...)
	}
	s.copyRun(r, at)
}

// patternLength is the length of the pattern character or set at an offset, 0 if none is there.
func (s *splitter) patternLength(i int) int {
	switch s.text[i] {
	case '*', '?':
		return 1
	case '[':
		return s.setLength(i)
	}
	return 0
}

// setLength is the length of the set at an offset, 0 if the bracket stands for itself.
func (s *splitter) setLength(begin int) int {
	if begin < s.setless {
		return 0
	}
	i := begin + 1
	if i < len(s.text) && (s.text[i] == '!' || s.text[i] == '^') {
		i++
	}
	ends := "/'\"$`"
	switch {
	case s.divided:
		ends = "/}\"$`"
	case s.matching:
		ends = "}\"$`"
	case s.whole:
		ends = "'\"$`"
	}
	for first := i; i < len(s.text) && strings.IndexByte(ends, s.text[i]) < 0; i++ {
		class := -1
		if strings.HasPrefix(s.text[i:], "[:") {
			class = strings.Index(s.text[i:], ":]")
		}
		switch {
		case class > 0:
			i += class + 1
		case s.text[i] == ']' && i > first:
			return i + 1 - begin
		case s.text[i] == '\\':
			i++
		}
	}
	s.setless = i
	return 0
}

// readTilde reads ~ or ~user at the start of a word.
func (s *splitter) readTilde() {
	if s.text == "" || s.text[0] != '~' {
		return
	}
	i := 1
	for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i]) || s.text[i] == '-' || s.text[i] == '.') {
		i++
	}
	if i == len(s.text) || s.text[i] == '/' {
		s.parts = append(s.parts, &ast.Tilde{User: s.text[1:i]})
		s.scan.At = i
	}
}
