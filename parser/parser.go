package parser

import (
	"maps"
	"math"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/lexer"
)

// Config says how a text is parsed. The zero value is for a script that stands alone.
type Config struct {
	Names     *ast.Names                        // the variables known so far; nil: none
	Functions []string                          // the functions defined before, at a prompt
	Resources []string                          // the resources, likewise
	ReadFile  func(path string) ([]byte, error) // reads what the script sources; nil: os.ReadFile
	Dir       string                            // where relative paths to that begin; "": in this process's directory
	// Alone is for looking at one text: what it sources is not read, and may define what it lacks.
	Alone bool
	// Interactive is for whole lines typed at a prompt: what only another line
	// could mend is Incomplete, and the prompt's own commands are no mistakes.
	Interactive bool
	// Check is for looking for errors only: the statements of the file, and its
	// functions, are given up as soon as they are read, which saves most of the
	// memory and a third of the time for a long script.
	Check bool
}

// maxErrors limits the errors of a text that are reported.
const maxErrors = 10

// Parse reads a script and what it sources. The error is nil or a diag.List of at
// most ten: first those that stand for themselves, by their places, then those
// that more text could mend (Incomplete). The file is never nil; with an error it
// is not fit to run. Safe for concurrent use, if the Names are not shared.
func Parse(src *ast.Source, cfg Config) (*ast.File, error) {
	p := &program{config: cfg, names: cfg.Names, grammar: grammars.Get().(*grammar)}
	defer grammars.Put(p.grammar)
	if p.names == nil {
		p.names = &ast.Names{}
	}
	file := p.parseText(src)
	if p.unread {
		p.calls, p.mentions, p.habits = nil, nil, nil
	}
	if len(p.calls)+len(p.mentions) > 0 {
		p.resolveNames()
	}
	file.Functions, file.Resources = p.functions, p.resources
	file.ReadsStderr, file.ReadsCommand, file.Secrets = p.readsStderr, p.readsWords, p.secretNames
	if len(p.errors)+len(p.habits) == 0 {
		return file, nil
	}
	p.keepHabits()
	slices.SortStableFunc(p.errors, p.compareErrors)
	return file, p.errors[:min(len(p.errors), maxErrors)].Err()
}

// program is a script with what it sources, while it is parsed.
type program struct {
	config      Config
	grammar     *grammar
	names       *ast.Names
	functions   []*ast.Function
	defined     map[string]ast.Pos // where each function was
	resources   []*ast.Resource
	provided    map[string]ast.Pos   // where each resource was
	mentions    []*ast.Word          // of resources
	calls       []*ast.Call          // of functions that were not known yet
	files       map[string]*ast.File // sourced, by path; nil while being read
	sources     []*ast.Source        // in the order in which they were begun
	unread      bool                 // something is sourced that was not read
	errors      diag.List
	habits      []habit
	readsStderr bool
	readsWords  bool
	secretNames []string
}

// parseText reads one text, a unit at a time.
func (p *program) parseText(src *ast.Source) *ast.File {
	p.sources = append(p.sources, src)
	b := &builder{program: p, src: src}
	file := &ast.File{Source: src, Names: p.names}
	if len(src.Text) > math.MaxInt32 {
		b.errorf(ast.Pos{Source: src, Line: 1, Column: 1}, "the text is longer than 2 GB")
		return file
	}
	b.margin = margin{group: &file.Body, stmts: &file.Body.List, own: true}
	lx := lexer.New(src.Text, p.config.Interactive)
	for lx.More() && len(p.errors) < maxErrors {
		b.tokens, b.i, b.seen = lx.Unit(), 0, 0
		joinLines(b.tokens)
		for b.statements(); !b.peekToken().EOF(); b.statements() {
			b.reportStray(b.nextToken()) // a keyword that closes nothing
			b.skipLine()
		}
		if p.config.Check {
			file.Body.List, p.functions = file.Body.List[:0], nil
		}
	}
	file.Body.Tail = b.margin.before
	whole := !lx.More()
	for lx.More() {
		b.skimFunctions(lx.Unit())
	}
	if whole && !p.config.Interactive && !strings.HasSuffix(src.Text, "\n") {
		b.cutLine()
	}
	return file
}

// skimFunctions looks for functions in what comes after too many errors, so that none of
// the habits before is taken for one.
func (b *builder) skimFunctions(tokens []token) {
	for i := 1; i < len(tokens); i++ {
		if isToken(&tokens[i-1], lexer.Keyword, "function") {
			b.noteFunction(tokens[i].Value, b.posOf(&tokens[i-1]))
		}
	}
}

// cutLine marks what is wrong in a line that the text ends in: a word that was cut
// there, or what was still to come, may be all that is wrong.
func (b *builder) cutLine() {
	start := 0
	for i := len(b.tokens) - 1; i >= 0; i-- {
		if t := &b.tokens[i]; t.Type == lexer.Newline {
			start = t.Pos.Offset + len(t.Value)
			break
		}
	}
	for _, e := range b.errors {
		at := int(e.Pos.Offset)
		if e.Pos.Source == b.src && at >= start && !e.Incomplete && !strings.HasPrefix(b.src.Text[at:], "\x00") {
			e.Incomplete, e.Open = true, "line"
		}
	}
}

// joinLines takes line continuations out of the words that are nothing but text, so that one that
// means something means it however it is written. The others are joined when they are split.
func joinLines(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.Type != lexer.Word || strings.IndexByte(t.Value, '\n') < 0 {
			continue
		}
		if text := continuation.Replace(t.Value); !strings.ContainsAny(text, "\\'\"$`") {
			t.Value = text
		}
	}
}

var continuation = strings.NewReplacer("\\\n", "", "\\\r\n", "")

// resolveNames sees that each call means a function, and each via a resource. What they mean may
// be further down, so that a text that goes on only lacks it so far; what is typed at a
// prompt does not.
func (p *program) resolveNames() {
	for _, call := range p.calls {
		if p.defined[call.Name].IsValid() || slices.Contains(p.config.Functions, call.Name) {
			continue
		}
		known := slices.AppendSeq(slices.Clone(p.config.Functions), maps.Keys(p.defined))
		slices.Sort(known)
		p.addMendable(diag.Errorf(call.Pos, "there is no function %s%s; to keep what a program writes, use  cmd -> name",
			call.Name, nearestWord(call.Name, known)), "function")
	}
	for _, mention := range p.mentions {
		name, _ := mention.Literal()
		if p.provided[name].IsValid() || slices.Contains(p.config.Resources, name) {
			continue
		}
		known := slices.Clone(p.config.Resources)
		for _, r := range p.resources {
			known = append(known, r.Name)
		}
		p.addMendable(diag.Errorf(mention.Pos, "no resource is called %s%s; describe it by resource %s … end",
			quoteSource(name), nearestWord(name, known), name), "resource")
	}
}

// compareErrors orders errors: what more text could mend comes last, what stands in a
// sourced file after what stands in the script.
func (p *program) compareErrors(a, b *diag.Error) int {
	if a.Incomplete != b.Incomplete {
		if a.Incomplete {
			return 1
		}
		return -1
	}
	if a.Pos.Source != b.Pos.Source {
		return slices.Index(p.sources, a.Pos.Source) - slices.Index(p.sources, b.Pos.Source)
	}
	return int(a.Pos.Offset) - int(b.Pos.Offset)
}

// folderOf is the part of a path before its last slash, with the slash.
func folderOf(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }
