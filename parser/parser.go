package parser

import (
	"os"
	"strings"

	plex "github.com/alecthomas/participle/v2/lexer"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// Config says how a text is parsed. The zero value is for a script that stands alone.
type Config struct {
	Names     *ast.Names                        // the variables known so far; nil: none
	Functions []string                          // the functions defined before, at a prompt
	ReadFile  func(path string) ([]byte, error) // reads what the script sources; nil: os.ReadFile
	// Interactive is for whole lines typed at a prompt: only what another line
	// could mend is Incomplete, and the prompt's own commands are no mistakes.
	Interactive bool
}

// maxErrors is how many errors of a text are reported.
const maxErrors = 10

// Parse reads a script and what it sources. The error is a diag.List of at most
// ten; of these the ones that more text could mend (Incomplete) come last.
func Parse(src *ast.Source, cfg Config) (*ast.File, error) {
	p := &program{config: cfg, names: cfg.Names, defined: map[string]*ast.Function{}, files: map[string]*ast.File{}}
	if p.names == nil {
		p.names = &ast.Names{}
	}
	if p.config.ReadFile == nil {
		p.config.ReadFile = os.ReadFile
	}
	for _, name := range cfg.Functions {
		p.defined[name] = nil
	}
	file := p.parse(src)
	file.Functions, file.ReadsStderr = p.functions, p.readsStderr
	return file, p.result()
}

// program is a script with what it sources, while it is parsed.
type program struct {
	config      Config
	names       *ast.Names
	functions   []*ast.Function
	defined     map[string]*ast.Function // nil for one that the prompt knows
	files       map[string]*ast.File     // sourced, by path; nil while it is read
	errors      diag.List
	habits      []habit
	closers     bool // fi, done or esac was used
	readsStderr bool
}

// parse reads one text, a unit at a time.
func (p *program) parse(src *ast.Source) *ast.File {
	b := &builder{program: p, src: src, file: &ast.File{Source: src, Names: p.names}}
	b.margin.begin(&b.file.Body, true)
	lx := lexer.New(src.Text, p.config.Interactive)
	for lx.More() && len(p.errors) < maxErrors {
		// The error of Upgrade is the lexer's, which has none.
		lex, _ := plex.Upgrade(lx)
		b.unit(lex)
	}
	b.margin.finish()
	return b.file
}

// unit reads statements of the top level and adds them to the file.
func (b *builder) unit(lex *plex.PeekingLexer) {
	start := lex.RawCursor()
	for {
		var g group
		g.Parse(lex)
		b.tokens = lex.Range(start, lex.RawCursor())
		for i := range g.entries {
			b.entry(&g.entries[i])
		}
		t := lex.Peek()
		if t.Type == plex.EOF {
			return
		}
		b.report(&fault{Token: *t}, t)
		lex.Next()
		skipLine(lex)
	}
}

// result puts the errors in order: those that stand for themselves by place,
// then the ends that are missing.
func (p *program) result() error {
	var whole, open diag.List
	for _, e := range p.errors {
		if e.Incomplete {
			open = append(open, e)
		} else {
			whole = append(whole, e)
		}
	}
	list := append(whole, open...)
	return list[:min(len(list), maxErrors)].Err()
}

// folder is the part of a path before its last slash, with the slash.
func folder(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
