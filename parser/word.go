package parser

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/lexer"
	"ftsh/lexer/quote"
)

// plain is a word that is nothing but text, as most are. It is allocated in one piece: in three, a script of 1 MB
// takes 6 % longer to parse (measured).
type plain struct {
	word ast.Word
	lit  ast.Lit
	part [1]ast.Part
}

// splitWord splits a word into its parts. Patterns are only looked for where they can
// match file names.
func (b *builder) splitWord(t *token, globs bool) *ast.Word {
	before := strings.TrimRight(b.src.Text[:t.Pos.Offset], " \t") // the first of its line, after a backslash, is broken
	broken := strings.HasSuffix(before, "\\\n") || strings.HasSuffix(before, "\\\r\n")
	if isPlain(t.Value) {
		p := &plain{lit: ast.Lit{Text: t.Value, Raw: t.Value}}
		p.part[0] = &p.lit
		p.word = ast.Word{Pos: b.posOf(t), Parts: p.part[:], Broken: broken}
		return &p.word
	}
	b.reportBraces(t)
	s := b.splitterFor(t)
	s.whole = b.whole
	s.globs = globs && (s.whole || !strings.Contains(t.Value, "://"))
	s.readTilde()
	s.readPieces(ast.Bare, quote.End)
	return &ast.Word{Pos: b.posOf(t), Parts: slices.Clone(s.parts), Broken: broken}
}

// reportBraces reports what other shells make several words of: {a,b} and {1..5}.
func (b *builder) reportBraces(t *token) {
	if strings.IndexByte(t.Value, '{') < 0 {
		return
	}
	open, separated := -1, ""
	for s := (quote.Scanner{Source: t.Value}); ; {
		p := s.Next()
		if p.Kind == quote.End {
			return
		}
		if p.Kind != quote.Text || !s.IsBare() {
			continue
		}
		for i := p.Begin; i < p.End; i++ {
			switch rest := t.Value[i:]; {
			case rest[0] == '{':
				open, separated = i, ""
			case open >= 0 && rest[0] == ',':
				separated = "the words one after another"
			case open >= 0 && strings.HasPrefix(rest, ".."):
				separated = cmp.Or(separated, "1 .to. 5 in the list of a for")
			case open >= 0 && rest[0] == '}' && separated != "":
				b.errorf(b.posOf(t), "%s", bracesMean(t.Value[open:i+1], separated))
				return
			case rest[0] == '}':
				open = -1
			}
		}
	}
}

// bracesMean says what to write instead of braces that separate something.
func bracesMean(text, separated string) string {
	switch {
	case !strings.Contains(text, `":`):
		return quoteSource(text) + " is not known here; write  " + separated + ", or \\{ if it is text"
	case strings.Contains(text, "$"):
		return text + ` would lose its quotes; put the word in double quotes, and write \" for those in it`
	}
	return text + " would lose its quotes; put it in single quotes:  '" + text + "'"
}

// isPlain reports whether a word has no character in it that means anything.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'', '"', '\\', '$', '`', '*', '?', '[', '{', '\n':
			return false
		}
	}
	return s[0] != '~'
}

// splitDocument splits the body of a here-document.
func (b *builder) splitDocument(t *token, r *ast.Redirect) *ast.Word {
	text := strings.ReplaceAll(t.Value, "\r\n", "\n")
	tabs := r.Op == ast.HereTabs
	if quotedDelimiter(r.Target) {
		lit := &ast.Lit{Text: text, Raw: text, Quote: ast.Single}
		if tabs {
			lit.Text = withoutTabs(text)
		}
		return &ast.Word{Pos: b.posOf(t), Parts: []ast.Part{lit}}
	}
	s := b.splitterFor(t)
	s.tabs = tabs
	s.readPieces(ast.Document, quote.End)
	return &ast.Word{Pos: b.posOf(t), Parts: slices.Clone(s.parts)}
}

func quotedDelimiter(w *ast.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*ast.Lit); !ok || lit.Quote != ast.Bare || lit.Raw != lit.Text {
			return true
		}
	}
	return false
}

// withoutTabs is a text without the tabs at the beginning of its lines.
func withoutTabs(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "")
}

// splitter divides the text of a word into parts.
type splitter struct {
	b        *builder
	text     string
	scan     quote.Scanner
	cuts     []cut // still to come
	shift    int   // what the cuts so far took out
	parts    []ast.Part
	globs    bool
	tabs     bool // leading tabs do not count: <<-
	matching bool // the pattern of a reference is read
	divided  bool // that ends at a slash, too; false once it has
	whole    bool // the pattern is for a value, not for names of files
	bad      bool // an error was reported; no other is

	at      ast.Pos // the place of the last reference
	from    int     // its offset in the token's text
	raw     string  // the token's text
	setless int     // up to here no [ begins a set
}

// cut is a place where something was taken out of a word's text.
type cut struct{ at, size int }

func (b *builder) splitterFor(t *token) *splitter {
	s := &b.splitting
	*s = splitter{b: b, text: t.Value, raw: t.Value, at: b.posOf(t), parts: s.parts[:0]}
	if t.Type == lexer.Document {
		s.scan.Rules = quote.Document
	}
	if strings.Contains(s.text, "\n") {
		s.joinLines()
	}
	s.scan.Source = s.text
	return s
}

// positionOf is the position of an offset in s.text. Offsets must not go back.
func (s *splitter) positionOf(offset int) ast.Pos {
	for len(s.cuts) > 0 && s.cuts[0].at <= offset {
		s.shift += s.cuts[0].size
		s.cuts = s.cuts[1:]
	}
	offset += s.shift
	between := s.raw[s.from:offset]
	if n := strings.LastIndexByte(between, '\n'); n >= 0 {
		s.at.Line += int32(strings.Count(between, "\n"))
		s.at.Column = 1
		s.at.Offset += int32(n + 1)
		between = between[n+1:]
	}
	s.at.Column += int32(utf8.RuneCountInString(between))
	s.at.Offset += int32(len(between))
	s.from = offset
	return s.at
}

// failAt reports what is wrong at an offset, unless something was wrong before.
func (s *splitter) failAt(offset int, message string) { s.fail(s.positionOf(offset), message) }

func (s *splitter) fail(pos ast.Pos, message string) {
	if !s.bad {
		s.b.errorf(pos, "%s", message)
	}
	s.bad = true
	s.scan.At = len(s.text)
}

// joinLines takes line continuations, and the CR of CRLF, out of a word's text. In a
// document the continuations stay: without them a line could look like its end.
func (s *splitter) joinLines() {
	var out strings.Builder
	for scan := (quote.Scanner{Source: s.raw, Rules: s.scan.Rules}); ; {
		p := scan.Next()
		switch {
		case p.Kind == quote.End:
			s.text = out.String()
			return
		case p.Kind == quote.Join && s.scan.Rules != quote.Document:
			s.cuts = append(s.cuts, cut{out.Len(), p.End - p.Begin})
			continue
		}
		for text := s.raw[p.Begin:p.End]; text != ""; {
			before, after, found := strings.Cut(text, "\r\n")
			out.WriteString(before)
			if found {
				s.cuts = append(s.cuts, cut{out.Len(), 1})
				out.WriteByte('\n')
			}
			text = after
		}
	}
}
