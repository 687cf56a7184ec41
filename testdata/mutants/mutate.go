package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strconv"
	"strings"
)

// A mutant is one small mistake in a file.
type mutant struct {
	file     string // from the top of the module
	line     int
	from, to int // bytes of the file
	with     string
	was      string
	around   string // the line
	rule     string // that it breaks; "": it is one of the sample
}

func (m mutant) String() string {
	if m.rule != "" {
		return fmt.Sprintf("%s (%s)", m.rule, m.file)
	}
	if m.with == "" {
		return fmt.Sprintf("%s:%d: without %s", m.file, m.line, oneLine(m.was))
	}
	return fmt.Sprintf("%s:%d: %s for %s in %s", m.file, m.line, oneLine(m.with), oneLine(m.was), m.around)
}

// oneLine shortens a text to the part of a line.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 70 {
		s = string(r[:69]) + "…"
	}
	return s
}

// otherOperators are the mistakes that people make with an operator: the wrong one, and at a boundary.
var otherOperators = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"*"},
	token.AND: {"|"}, token.OR: {"&"}, token.AND_NOT: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.INC: {"--"}, token.DEC: {"++"},
	token.BREAK: {"continue"}, token.CONTINUE: {"break"},
}

// A finder collects the mutants of one file.
type finder struct {
	name    string
	file    *token.File
	text    string
	results *ast.FieldList // of the function around
	found   []mutant
}

// findMutants returns what can be mistaken in a file, in the order of the text: operators, boundaries, conditions,
// whole numbers off by one, true and false, break and continue, statements and cases left out, errors not returned.
// Left alone are generated files, calls of panic, and file modes.
func findMutants(name, text string) ([]mutant, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	f := &finder{name: name, file: set.File(tree.Pos()), text: text}
	ast.Inspect(tree, f.visit)
	sort.SliceStable(f.found, func(i, j int) bool { return f.found[i].from < f.found[j].from })
	return f.found, nil
}

func (f *finder) add(from, to token.Pos, with string) {
	start, end := f.file.Offset(from), f.file.Offset(to)
	was := f.text[start:end]
	first := strings.LastIndexByte(f.text[:start], '\n') + 1
	line, _, _ := strings.Cut(f.text[first:], "\n")
	f.found = append(f.found, mutant{file: f.name, line: f.file.Line(from), from: start, to: end,
		with: with, was: was, around: oneLine(line)})
}

func (f *finder) operator(at token.Pos, op token.Token) {
	for _, other := range otherOperators[op] {
		f.add(at, at+token.Pos(len(op.String())), other)
	}
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return f.function(n.Type, n.Body)
	case *ast.FuncLit:
		return f.function(n.Type, n.Body)
	case *ast.ImportSpec, *ast.ArrayType:
		return false // a number there is a size
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		return !ok || name.Name != "panic"
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.BranchStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.add(n.OpPos, n.OpPos+1, "")
		}
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.Ident:
		f.truth(n)
	case *ast.BasicLit:
		f.number(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.CaseClause:
		f.statements(n.Body)
		if len(n.Body) > 0 && n.List != nil {
			f.add(n.Body[0].Pos(), n.Body[len(n.Body)-1].End(), "")
		}
	case *ast.ReturnStmt:
		f.returned(n)
	}
	return true
}

// function visits the body of a function, with its results at hand.
func (f *finder) function(t *ast.FuncType, body *ast.BlockStmt) bool {
	if body != nil {
		around := f.results
		f.results = t.Results
		ast.Inspect(body, f.visit)
		f.results = around
	}
	return false
}

// condition negates what has no operator to change.
func (f *finder) condition(cond ast.Expr) {
	switch cond.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
	default:
		f.add(cond.Pos(), cond.End(), "!("+f.text[f.file.Offset(cond.Pos()):f.file.Offset(cond.End())]+")")
	}
}

func (f *finder) truth(n *ast.Ident) {
	if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
		f.add(n.Pos(), n.End(), other)
	}
}

func (f *finder) number(n *ast.BasicLit) {
	if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil && !strings.HasPrefix(n.Value, "0o") {
		f.add(n.Pos(), n.End(), strconv.Itoa(v+1))
	}
}

// statements leaves out each statement that others do not need to compile.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if !strings.HasPrefix(f.text[f.file.Offset(s.Pos()):], "panic(") {
				f.add(s.Pos(), s.End(), "")
			}
		case *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
			f.add(s.Pos(), s.End(), "")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				f.add(s.Pos(), s.End(), "")
			}
		case *ast.ReturnStmt:
			if len(s.Results) == 0 {
				f.add(s.Pos(), s.End(), "")
			}
		}
	}
}

// returned says that there was no error where there was one.
func (f *finder) returned(s *ast.ReturnStmt) {
	if f.results == nil || len(s.Results) == 0 {
		return
	}
	last, result := s.Results[len(s.Results)-1], f.results.List[len(f.results.List)-1]
	if name, ok := result.Type.(*ast.Ident); !ok || name.Name != "error" {
		return
	}
	if name, ok := last.(*ast.Ident); ok && name.Name == "nil" || len(s.Results) < len(f.results.List) {
		return
	}
	f.add(last.Pos(), last.End(), "nil")
}
