package check

import (
	"strings"

	"ftsh/ast"
)

// at is a node and the place where it stands.
type at[T any] struct {
	node T
	in   *ast.Place
}

// script holds the nodes of a script and of all that it sources, gathered once for all rules.
type script struct {
	config  Config
	sources []*ast.Source
	files   []*ast.File // the script, then what it sources, each once

	functions map[string]*ast.Function
	resources map[string]*ast.Resource

	groups     []at[*ast.Group]
	commands   []at[*ast.Command]
	statements []at[*ast.Stmt]
	tries      []at[*ast.Try]
	loops      []at[*ast.For]
	calls      []at[*ast.Call]
	refs       []at[*ast.Ref]
	exprs      []at[ast.Expr]
	redirects  []at[*ast.Redirect]

	handed []at[*ast.Command] // to other shells and hosts, as far as they are written out
	texts  []shellText        // that other shells read

	bounds  map[*ast.Try]timeBound // what boundIn has found
	outside map[string]timeBound   // what boundOfCalls has found, by function
	held    *values                // what variables may hold, once it is needed

	comments  []silencer                        // once they are needed
	returning map[*ast.Function]bool            // what functionReturns has found
	declared  map[*ast.Function]map[string]bool // what locals has found
	callers   map[string][]*ast.Place           // by function: its calls, once they are needed
	sets      map[*ast.Group]map[string]bool    // what changed has found
	asked     map[string]bool                   // what asks has found
	musts     []*ast.Ref                        // with it: all ${x:?}
	rule      *Rule                             // that is looking
	found     []Finding
}

// gatherScript reads a script once.
func gatherScript(file *ast.File, config Config) *script {
	s := &script{config: config, functions: map[string]*ast.Function{}, resources: map[string]*ast.Resource{},
		sets: map[*ast.Group]map[string]bool{}, bounds: map[*ast.Try]timeBound{}, outside: map[string]timeBound{},
		returning: map[*ast.Function]bool{}, declared: map[*ast.Function]map[string]bool{}}
	for _, f := range file.Functions {
		s.functions[f.Name] = f
	}
	for _, r := range file.Resources {
		s.resources[r.Name] = r
	}
	s.files = file.Files()
	for _, f := range s.files {
		s.sources = append(s.sources, f.Source)
		ast.Walk(&f.Body, nil, func(node any, in *ast.Place) bool {
			add(&s.groups, node, in)
			add(&s.commands, node, in)
			add(&s.statements, node, in)
			add(&s.tries, node, in)
			add(&s.loops, node, in)
			add(&s.calls, node, in)
			add(&s.refs, node, in)
			add(&s.exprs, node, in)
			add(&s.redirects, node, in)
			return true
		})
	}
	for _, c := range s.commands {
		s.readHanded(c, s.toolOf(c.node))
	}
	s.readArgumentsRun()
	return s
}

// add puts a node into the list of those of its type, if it is of that.
func add[T any](list *[]at[T], node any, in *ast.Place) {
	if n, ok := node.(T); ok {
		*list = append(*list, at[T]{n, in})
	}
}

// nearestAround returns the nearest node of a type that a place is in, within the same function; nil if there is none.
func nearestAround[T any](in *ast.Place) (node T, place *ast.Place) {
	for ; in != nil; in = in.Outer {
		if n, ok := in.Node.(T); ok {
			return n, in
		}
	}
	return node, nil
}

// tryAround returns the innermost try around a place that is meant; it is judged with the group that the place is in.
func tryAround(in *ast.Place, isMeant func(*ast.Try, *ast.Group) bool) *ast.Try {
	for ; in != nil && in.Outer != nil; in = in.Outer {
		t, isTry := in.Outer.Node.(*ast.Try)
		if g, isGroup := in.Node.(*ast.Group); isTry && isGroup && isMeant(t, g) {
			return t
		}
	}
	return nil
}

// tryOver returns the first try that is meant around a place, or around a call of the function that the place is in.
func (s *script) tryOver(in *ast.Place, isMeant func(*ast.Try, *ast.Group) bool) (found *ast.Try) {
	s.lookOutward(in, func(in *ast.Place) bool {
		if found == nil {
			found = tryAround(in, isMeant)
		}
		return found == nil
	})
	return found
}

// holds reports whether a group contains a node of a type that satisfies a condition, at any depth.
func holds[T any](g *ast.Group, isMeant func(T) bool) (found bool) {
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		n, ok := node.(T)
		found = found || ok && isMeant(n)
		return !found
	})
	return found
}

// statementOf is the statement or the test that a command is part of, and its place:
// what has its redirections, too.
func statementOf(in *ast.Place) *ast.Stmt {
	s, _ := nearestAround[*ast.Stmt](in)
	return s
}

// feedsPipe reports whether a command is a stage of a pipeline, and not the last.
func feedsPipe(c *ast.Command, in *ast.Place) bool {
	p, ok := in.Node.(*ast.Pipeline)
	return ok && p.Stages[len(p.Stages)-1] != c
}

// isLibrary reports whether the script is there for others to source: it defines
// functions and calls none. What it reads may be set by those others, who may also
// define what it calls.
func (s *script) isLibrary() bool {
	file := s.files[0]
	if len(file.Functions) == 0 || strings.HasPrefix(file.Source.Text, "#!") {
		return false
	}
	called := map[string]bool{}
	s.noteReached(&file.Body, called)
	return len(called) == 0
}

// literals returns the texts of words; "" stands for one that is not literal.
func literals(words []*ast.Word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i], _ = w.Literal()
	}
	return list
}

// isBuiltin reports whether a command is a builtin, and not a function of that name.
func (s *script) isBuiltin(name string) bool {
	return s.functions[name] == nil && s.config.IsBuiltin != nil && s.config.IsBuiltin(name)
}

// isCommand reports whether a command is the builtin of that name, or may be it.
func (s *script) isCommand(c *ast.Command, name string) bool {
	return c.Name() == name && s.functions[name] == nil
}
