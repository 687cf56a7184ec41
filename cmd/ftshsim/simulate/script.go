package simulate

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/ast/diag"
	"ftsh/parser"
)

// Script is a script that clients run.
type Script struct {
	Name string   // $0
	Args []string // $1 …
	text string
	// clause replaces the backoff of every try; "": they keep it.
	clause string
	// settings are those of a resource that tries go by; "": there is none.
	settings string
}

// Load checks a script and returns it. The error is a diag.List.
func Load(name, text string, args []string) (*Script, error) {
	s := &Script{Name: name, Args: args, text: text}
	_, err := parser.Parse(&ast.Source{Name: name, Text: text}, parser.Config{})
	return s, err
}

// CheckBackoff tells what is wrong with a clause for [Script.WithBackoff].
func CheckBackoff(clause string) error {
	_, err := parseClause(clause)
	return err
}

// WithBackoff returns the script with another backoff in all of its tries that
// have limits and no `every`: what follows the word backoff in a script, such as
// "full from 500 ms to 30 seconds".
func (s *Script) WithBackoff(clause string) (*Script, error) {
	if _, err := parseClause(clause); err != nil {
		return nil, err
	}
	changed := *s
	changed.clause = clause
	return &changed, nil
}

// parseClause reads a backoff clause through the grammar of scripts.
func parseClause(clause string) (*ast.Backoff, error) {
	if strings.ContainsAny(clause, "$(;\n") {
		return nil, errors.New("wanted plain numbers and times, and no variables")
	}
	source := &ast.Source{Name: "backoff", Text: "try 1 time backoff " + clause + "\nend\n"}
	file, err := parser.Parse(source, parser.Config{})
	if list, ok := errors.AsType[diag.List](err); ok {
		return nil, fmt.Errorf("%s", list[0].Message)
	}
	if len(file.Body.List) == 1 {
		if try, ok := file.Body.List[0].Node.(*ast.Try); ok && len(try.Body.List) == 0 && try.Each == nil && try.On == nil {
			return try.Backoff, nil
		}
	}
	return nil, errors.New("wanted a policy, and perhaps from T, to M, by F and jitter J")
}

// Limit returns how long the time limits of the script allow it to take: those of its outermost tries, one after the
// other, as far as they are written out. What has no such limit counts as nothing.
func (s *Script) Limit() (sum time.Duration) {
	for _, statement := range s.parseTree().Body.List {
		if try, ok := statement.Node.(*ast.Try); ok {
			limit, _ := constant.Values(nil).Period(try.For)
			sum += limit
		}
	}
	return sum
}

// parseTree makes a tree of the script. Each simulation has its own, since running one
// numbers variables.
func (s *Script) parseTree() *ast.File {
	file, _ := parser.Parse(&ast.Source{Name: s.Name, Text: s.text}, parser.Config{}) // Load has seen to the errors
	if s.clause != "" {
		clause, _ := parseClause(s.clause)
		eachTry(file, func(_ ast.Pos, try *ast.Try) {
			if waitsBetween(try) {
				try.Backoff = clause
			}
		})
	}
	if s.settings != "" {
		s.addResource(file)
	}
	return file
}

// waitsBetween reports whether a try waits between its attempts as its backoff says.
func waitsBetween(try *ast.Try) bool { return try.Limited() && try.Every == nil }

// SharesResource reports whether a try of the script goes by a resource, which the clients of one machine share.
func (s *Script) SharesResource() (shares bool) {
	eachTry(s.parseTree(), func(_ ast.Pos, try *ast.Try) { shares = shares || try.Via != nil })
	return shares
}

// eachTry visits the tries of a script.
func eachTry(file *ast.File, visit func(ast.Pos, *ast.Try)) {
	triesIn(&file.Body, visit)
	for _, function := range file.Functions {
		triesIn(&function.Body, visit)
	}
}

// triesIn visits those of a group.
func triesIn(g *ast.Group, visit func(ast.Pos, *ast.Try)) {
	if g == nil {
		return
	}
	for i := range g.List {
		switch n := g.List[i].Node.(type) {
		case *ast.Try:
			visit(g.List[i].Pos, n)
			for _, group := range []*ast.Group{&n.Body, n.Verify, n.Catch, n.Finally} {
				triesIn(group, visit)
			}
		case *ast.For:
			triesIn(&n.Body, visit)
		case *ast.While:
			triesIn(&n.Body, visit)
		case *ast.On:
			triesIn(&n.Body, visit)
		case *ast.If:
			for j := range n.Branches {
				triesIn(&n.Branches[j].Body, visit)
			}
			triesIn(n.Else, visit)
		case *ast.SourceFile:
			triesIn(&n.File.Body, visit)
		}
	}
}
