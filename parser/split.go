package parser

import (
	"strings"
	"unicode/utf8"

	"ftsh/ast"
)

// run gathers literal text.
type run struct {
	start int
	text  []byte
	dirty bool // the text is not what is written
}

// lit adds the literal text since the run began.
func (s *splitter) lit(r *run, quote ast.Quote) {
	if s.i > r.start {
		raw := s.text[r.start:s.i]
		lit := s.b.lits.next()
		*lit = ast.Lit{Text: raw, Raw: raw, Quote: quote}
		if r.dirty {
			lit.Text = string(r.text)
		}
		s.parts = append(s.parts, lit)
	}
}

// keep copies what was read so far: from here on the text differs from what is written.
func (r *run) keep(s *splitter) {
	if !r.dirty {
		r.text, r.dirty = append(r.text[:0], s.text[r.start:s.i]...), true
	}
}

// bare reads text outside of quotes.
func (s *splitter) bare() {
	r := run{start: s.i}
	for s.i < len(s.text) {
		c := s.text[s.i]
		if c == '\\' {
			r.keep(s)
			_, size := utf8.DecodeRuneInString(s.text[s.i+1:])
			r.text = append(r.text, s.text[s.i+1:s.i+1+size]...)
			s.i += 1 + size
			continue
		}
		read := s.special(c)
		if read == nil || c == '$' && !s.refers() {
			if r.dirty {
				r.text = append(r.text, c)
			}
			s.i++
			continue
		}
		s.lit(&r, ast.Bare)
		read(s)
		r = run{start: s.i}
	}
	s.lit(&r, ast.Bare)
	if len(s.parts) == 0 {
		s.parts = append(s.parts, &ast.Lit{})
	}
}

// special returns what reads the part that a character of bare text begins.
func (s *splitter) special(c byte) func(*splitter) {
	switch c {
	case '\'':
		return (*splitter).single
	case '"':
		return (*splitter).double
	case '$':
		return func(s *splitter) { s.reference(ast.Bare) }
	case '`':
		return (*splitter).backquote
	case '*', '?':
		if s.globs {
			return func(s *splitter) { s.glob(1) }
		}
	case '[':
		if n := s.set(); n > 0 {
			return func(s *splitter) { s.glob(n) }
		}
	}
	return nil
}

func (s *splitter) glob(n int) {
	s.parts = append(s.parts, &ast.Glob{Pattern: s.text[s.i : s.i+n]})
	s.i += n
}

// set is the length of the set that begins here, 0 if the bracket stands for itself.
func (s *splitter) set() int {
	if !s.globs || s.i < s.setless {
		return 0
	}
	i := s.i + 1
	if i < len(s.text) && (s.text[i] == '!' || s.text[i] == '^') {
		i++
	}
	for first := i; i < len(s.text) && strings.IndexByte("/'\"$`", s.text[i]) < 0; i++ {
		class := -1
		if strings.HasPrefix(s.text[i:], "[:") {
			class = strings.Index(s.text[i:], ":]")
		}
		switch {
		case class > 0:
			i += class + 1
		case s.text[i] == ']' && i > first:
			return i + 1 - s.i
		case s.text[i] == '\\':
			i++
		}
	}
	s.setless = i
	return 0
}

// tilde reads ~ or ~user at the start of a word.
func (s *splitter) tilde() {
	if s.text == "" || s.text[0] != '~' {
		return
	}
	i := 1
	for i < len(s.text) && (isLetter(s.text[i]) || isDigit(s.text[i]) || s.text[i] == '-' || s.text[i] == '.') {
		i++
	}
	if i == len(s.text) || s.text[i] == '/' {
		s.parts = append(s.parts, &ast.Tilde{User: s.text[1:i]})
		s.i = i
	}
}

func (s *splitter) backquote() {
	s.fail(s.i, "a backquote; to use a command's output, write  cmd args -> name  and then $name")
}

// single reads a string in single quotes.
func (s *splitter) single() {
	s.i++
	r := run{start: s.i}
	n := len(s.parts)
	for s.i < len(s.text) && s.text[s.i] != '\'' {
		c := s.text[s.i]
		if c == '\\' && s.i+1 < len(s.text) {
			if s.text[s.i+1] == '\'' {
				r.keep(s)
			} else if r.dirty {
				r.text = append(r.text, c)
			}
			s.i++
			c = s.text[s.i]
		}
		if r.dirty {
			r.text = append(r.text, c)
		}
		s.i++
	}
	s.lit(&r, ast.Single)
	if len(s.parts) == n {
		s.parts = append(s.parts, &ast.Lit{Quote: ast.Single})
	}
	s.i++
}

// double reads a string in double quotes.
func (s *splitter) double() {
	n := len(s.parts)
	s.i++
	s.quoted(ast.Double, '"')
	s.i++
	edge(s.parts[n]).Open = true
	edge(s.parts[len(s.parts)-1]).Shut = true
}

func edge(p ast.Part) *ast.Edge {
	if ref, ok := p.(*ast.Ref); ok {
		return &ref.Edge
	}
	return &p.(*ast.Lit).Edge
}

// quoted reads text up to a character that ends it, or to the end (0). It adds
// at least one part.
func (s *splitter) quoted(quote ast.Quote, stop byte) {
	n := len(s.parts)
	r := run{start: s.i}
	s.margin(&r)
	for s.i < len(s.text) && (s.text[s.i] != stop || stop == 0) {
		switch c := s.text[s.i]; {
		case c == '\\':
			s.escape(&r, quote, stop)
			continue
		case c == '$' && s.refers():
			s.lit(&r, quote)
			s.reference(quote)
			r = run{start: s.i}
			continue
		case c == '`':
			s.backquote()
			continue
		case c == '"' && stop == '}':
			s.fail(s.i, "a quote in a default, which is read as in double quotes already; leave it out, or write \\\"")
			continue
		case c == '\n':
			s.literal(&r)
			s.margin(&r)
		default:
			s.literal(&r)
		}
	}
	s.lit(&r, quote)
	if len(s.parts) == n {
		s.parts = append(s.parts, &ast.Lit{Quote: quote})
	}
}

// literal takes one character as it is.
func (s *splitter) literal(r *run) {
	if r.dirty {
		r.text = append(r.text, s.text[s.i])
	}
	s.i++
}

// margin drops the tabs at the beginning of a line of a <<- document.
func (s *splitter) margin(r *run) {
	if !s.tabs || s.i >= len(s.text) || s.text[s.i] != '\t' {
		return
	}
	r.keep(s)
	for s.i < len(s.text) && s.text[s.i] == '\t' {
		s.i++
	}
}

// escape reads a backslash in double quotes or a here-document.
func (s *splitter) escape(r *run, quote ast.Quote, stop byte) {
	next := byte(0)
	if s.i+1 < len(s.text) {
		next = s.text[s.i+1]
	}
	switch {
	case next == '\n' && quote == ast.Document:
		r.keep(s)
		s.i += 2
		return
	case next == '\\', next == '$', next == '`',
		quote == ast.Double && (next == '"' || next == '\''),
		stop == '}' && next == '}':
		r.keep(s)
		s.i++
	}
	s.literal(r)
}
