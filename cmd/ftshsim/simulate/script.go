package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/ast/diag"
	"ftsh/ast/printer"
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

// parse reads a text in the language of scripts. The error is a diag.List.
func parse(name, text string) (*ast.File, error) {
	return parser.Parse(&ast.Source{Name: name, Text: text}, parser.Config{})
}

// Load checks a script and returns it. The error is a diag.List.
func Load(name, text string, args []string) (*Script, error) {
	_, err := parse(name, text)
	return &Script{Name: name, Args: args, text: text}, err
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
	changed := *s
	changed.clause = clause
	return &changed, CheckBackoff(clause)
}

// parseClause reads a backoff clause through the grammar of scripts.
func parseClause(clause string) (*ast.Backoff, error) {
	if strings.ContainsAny(clause, "$(;\n") {
		return nil, errors.New("wanted plain numbers and times, and no variables")
	}
	file, err := parse("backoff", "try 1 time backoff "+clause+"\nend\n")
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
	file, _ := parse(s.Name, s.text) // Load has seen to the errors
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

func eachTry(file *ast.File, visit func(ast.Pos, *ast.Try)) {
	triesIn(&file.Body, visit)
	for _, function := range file.Functions {
		triesIn(&function.Body, visit)
	}
}

// triesIn visits those of a group, and of what it sources.
func triesIn(g *ast.Group, visit func(ast.Pos, *ast.Try)) {
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		statement, is := node.(*ast.Stmt)
		if !is {
			return true
		}
		switch n := statement.Node.(type) {
		case *ast.Try:
			visit(statement.Pos, n)
		case *ast.SourceFile:
			triesIn(&n.File.Body, visit)
		}
		return true
	})
}

// WithResource returns the script with a resource of these settings, lines such as
// "slots 20". By it go the tries that [Script.WithBackoff] changes, as far as they have a
// time limit, no resource of their own, and no other such try inside.
func (s *Script) WithResource(settings string) (*Script, error) {
	changed := *s
	changed.settings = settings
	_, err := parse("resource", changed.Resource())
	if list, ok := errors.AsType[diag.List](err); ok {
		return nil, fmt.Errorf("resource %q: %s", settings, list[0].Message)
	}
	return &changed, nil
}

// Resource is the statement that describes the resource of [Script.WithResource]; "" if
// there is none.
func (s *Script) Resource() string {
	if s.settings == "" {
		return ""
	}
	text := "resource " + s.resourceName() + "\n"
	for line := range strings.Lines(s.settings) {
		text += "    " + strings.TrimSpace(line) + "\n"
	}
	return text + "end\n"
}

// Header is the first line of a try.
type Header struct {
	Pos  ast.Pos
	Text string // with all changes
}

// Headers are those of the tries that WithBackoff changes. A script without any has none.
func (s *Script) Headers() (list []Header) {
	eachTry(s.parseTree(), func(at ast.Pos, try *ast.Try) {
		if !waitsBetween(try) {
			return
		}
		alone := *try
		alone.Body, alone.Verify, alone.Catch, alone.Finally = ast.Group{}, nil, nil, nil
		var text strings.Builder
		_ = printer.Print(&text, &ast.File{Body: ast.Group{List: []ast.Stmt{{Node: &alone}}}}) // a Builder takes it all
		list = append(list, Header{at, strings.TrimSuffix(text.String(), "\nend\n")})
	})
	return list
}

// resourceName names the resource of WithResource in the script.
func (s *Script) resourceName() string {
	file, _ := parse(s.Name, s.text)
	name := "server"
	for slices.ContainsFunc(file.Resources, func(r *ast.Resource) bool { return r.Name == name }) {
		name += "x"
	}
	return name
}

func (s *Script) addResource(file *ast.File) {
	added, _ := parse(s.Name, s.Resource()+"try for 1 s via "+s.resourceName()+"\nend\n")
	via := added.Body.List[len(added.Body.List)-1].Node.(*ast.Try).Via
	file.Resources = append(file.Resources, added.Resources...)
	goesBy := func(try *ast.Try) bool { return waitsBetween(try) && try.For != nil && try.Via == nil }
	eachTry(file, func(_ ast.Pos, try *ast.Try) {
		within := false
		triesIn(&try.Body, func(_ ast.Pos, inner *ast.Try) { within = within || goesBy(inner) })
		if goesBy(try) && !within {
			try.Via = via
		}
	})
}
