package printer_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/ast/printer"
	"ftsh/parser"
)

// TestRandomTrees holds, for trees that no script was written for, that what is printed parses to the
// same tree: so each field is printed, and as what it is. It holds, too, that the trees have all words
// of the language in them.
func TestRandomTrees(t *testing.T) {
	const trees = 3000
	var all strings.Builder
	for seed := range uint64(trees) {
		tree := (&grower{Rand: rand.New(rand.NewPCG(seed, 1))}).file()
		once := printed(t, tree)
		again, err := parser.Parse(&ast.Source{Name: "script", Text: once}, parser.Config{
			ReadFile:  func(string) ([]byte, error) { return nil, nil },
			Functions: []string{"f", "g"}, Resources: []string{"schedd"},
		})
		if err != nil {
			t.Fatalf("tree %d is printed as what does not parse: %v\n%s", seed, err, once)
		}
		if d := difference(tree, again); d != "" {
			t.Fatalf("tree %d is printed as another: %s\n%s", seed, d, once)
		}
		if twice := printed(t, again); twice != once {
			t.Fatalf("tree %d is printed as\n%s\nand that as\n%s", seed, once, twice)
		}
		all.WriteString(once)
	}
	words := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(all.String()))
	for _, word := range vocabulary() {
		if !containsRun(words, strings.Fields(word)) {
			t.Errorf("no tree is printed with %s", word)
		}
	}
}

// vocabulary are all words of the language.
func vocabulary() (words []string) {
	anywhere, top := ast.Keywords()
	try, conditional, choice := ast.Sections()
	for _, list := range [][]string{
		anywhere, top, try, conditional, choice, ast.Settings(), ast.Clauses(), ast.BackoffSettings(), ast.Units()[1:],
		ast.LoopOptions(), ast.EngineOptions(), ast.Operators(), ast.Engines(), ast.Kinds(),
		{"ms", "on start", "matching", "or", "not try"},
	} {
		words = append(words, list...)
	}
	return words
}

// containsRun reports whether some words stand one after another in a list.
func containsRun(list, run []string) bool {
	for i := range len(list) - len(run) + 1 {
		same := true
		for j := range run {
			same = same && list[i+j] == run[j]
		}
		if same {
			return true
		}
	}
	return false
}

// TestWordsOfTheLanguage holds that each option and clause is printed as itself. (Where parser and printer
// had exchanged two words, the trees above would come back.)
func TestWordsOfTheLanguage(t *testing.T) {
	two, minute := number("2"), &ast.Period{Terms: []ast.Term{{Amount: number("1"), Unit: ast.Minute}}}
	list := []ast.Expr{number("1")}
	only := &ast.Conditions{List: []ast.Condition{{Value: two}}}
	for word, node := range map[string]ast.Node{
		"each": &ast.Try{Each: minute}, "every": &ast.Try{Every: minute},
		"via": &ast.Try{Via: bare("2")}, "key": &ast.Try{Key: bare("2")},
		"only on": &ast.Try{On: only}, "except on": &ast.Try{On: &ast.Conditions{Except: true, List: only.List}},
		"unknown on": &ast.Try{Unknown: only}, "backoff": &ast.Try{Backoff: &ast.Backoff{Policy: "2"}},
		"from":   &ast.Try{Backoff: &ast.Backoff{Policy: "full", From: minute}},
		"to":     &ast.Try{Backoff: &ast.Backoff{Policy: "full", To: minute}},
		"by":     &ast.Try{Backoff: &ast.Backoff{Policy: "full", By: two}},
		"jitter": &ast.Try{Backoff: &ast.Backoff{Policy: "full", Jitter: two}},
		"verify": &ast.Try{Verify: &ast.Group{}}, "catch": &ast.Try{Catch: &ast.Group{}},
		"finally":     &ast.Try{Finally: &ast.Group{}},
		".inorder.":   &ast.For{Kind: ast.Any, List: list, Inorder: true},
		".hedge.":     &ast.For{Kind: ast.Any, List: list, Hedge: minute},
		".limit.":     &ast.For{Kind: ast.All, List: list, Limit: two},
		".keepgoing.": &ast.For{Kind: ast.All, List: list, Keepgoing: true},
		".grouped.":   &ast.For{Kind: ast.All, List: list, Grouped: true},
		"slots":       &ast.Slots{Count: two}, "budget": &ast.Budget{Percent: two}, "sense": &ast.Sense{},
		"breaker": &ast.Breaker{Failures: two, Within: minute}, "break": &ast.Break{}, "continue": &ast.Continue{},
		"on slurm .limit.":  &ast.On{Engine: "slurm", Limit: two},
		"on slurm .pilots.": &ast.On{Engine: "slurm", Pilots: two},
	} {
		text := printNodes(t, node)
		if !strings.Contains(" "+strings.ReplaceAll(text, "\n", " "), " "+word+" ") {
			t.Errorf("%s is printed as %s", word, text)
		}
		for _, other := range append(ast.LoopOptions(), ast.EngineOptions()...) {
			if strings.Contains(text, other) && !strings.HasSuffix(word, other) {
				t.Errorf("%s is printed with %s: %s", word, other, text)
			}
		}
	}
	for op := ast.Or; op <= ast.Defined; op++ {
		node := &ast.Return{Value: &ast.Binary{Op: op, Left: two, Right: two}}
		want := fmt.Sprintf("return 2 %s 2\n", op)
		if op.IsUnary() {
			node.Value, want = &ast.Unary{Op: op, X: two}, fmt.Sprintf("return %s 2\n", op)
		}
		if text := printer.Code(ast.Stmt{Node: node}); text != want {
			t.Errorf("%s is printed as %s", op, text)
		}
	}
}

// grower makes random trees, of which each could be a script.
type grower struct {
	*rand.Rand
	room    int  // how many more statements there may be
	depth   int  // of the blocks around
	loop    bool // break and continue reach a loop
	inside  bool // of a function
	forall  bool // of that
	finally bool
	locals  []string // of the function
	made    int      // names so far
}

// chance is true once in n times.
func (g *grower) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *grower, choices ...T) T { return choices[g.IntN(len(choices))] }

// maybe makes something every second time.
func maybe[T any](g *grower, make func() *T) *T {
	if g.chance(2) {
		return nil
	}
	return make()
}

// some makes one to three things.
func some[T any](g *grower, make func() T) []T {
	list := []T{make()}
	for len(list) < 3 && g.chance(2) {
		list = append(list, make())
	}
	return list
}

// name is one that nothing else has.
func (g *grower) name(prefix string) string {
	g.made++
	return prefix + strconv.Itoa(g.made)
}

func (g *grower) file() *ast.File {
	g.room = 12
	return &ast.File{Body: g.group()}
}

func (g *grower) group() ast.Group {
	group := ast.Group{}
	g.depth++
	for n := g.IntN(4); n > 0 && g.room > 0; n-- {
		g.room--
		group.List = append(group.List, g.stmt())
	}
	g.depth--
	if g.depth > 0 && g.chance(8) {
		group.After = g.comment()
	}
	if g.chance(8) {
		group.Tail = g.comments()
	}
	return group
}

func (g *grower) optional() *ast.Group {
	return maybe(g, func() *ast.Group { group := g.group(); return &group })
}

// within is a group with another view of what is around.
func (g *grower) within(change func()) ast.Group {
	outside := *g
	change()
	group := g.group()
	g.loop, g.forall, g.finally, g.inside = outside.loop, outside.forall, outside.finally, outside.inside
	return group
}

func (g *grower) comment() string { return pick(g, "#", "# why", "#\\", "# é # '\"") }

func (g *grower) comments() []ast.Comment {
	return some(g, func() ast.Comment { return ast.Comment{Text: g.comment(), Blank: g.chance(3)} })
}

func (g *grower) stmt() ast.Stmt {
	s := ast.Stmt{Node: g.node(), Blank: g.chance(6)}
	if g.chance(10) {
		s.Before = g.comments()
	}
	if g.chance(10) {
		s.After = g.comment()
	}
	switch s.Node.(type) {
	case *ast.Try, *ast.For, *ast.While, *ast.If, *ast.On:
		if g.chance(4) {
			s.Redirects = some(g, g.redirect)
		}
	}
	return s
}

func (g *grower) node() ast.Node {
	if g.depth == 1 && g.chance(2) {
		return g.top()
	}
	if g.chance(3) {
		return g.leaving()
	}
	switch g.IntN(11) {
	case 10:
		return g.choice()
	case 0, 1, 2:
		return g.try()
	case 3, 4:
		return g.loopOver()
	case 5:
		n := &ast.While{Test: g.test()}
		n.Body = g.within(func() { g.loop = true })
		return n
	case 6:
		branches := some(g, func() ast.Branch { return ast.Branch{Test: g.test(), Body: g.group()} })
		return &ast.If{Branches: branches, Else: g.optional()}
	case 7:
		return g.engine()
	case 8:
		return g.pipeline()
	}
	return g.command()
}

// top makes a statement that may stand at the top level only.
func (g *grower) top() ast.Node {
	switch g.IntN(4) {
	case 0:
		n := &ast.Function{Name: g.name("function")}
		g.locals = nil
		n.Body = g.within(func() { g.inside = true })
		n.Locals, g.locals = g.locals, nil
		return n
	case 1:
		return g.resource()
	case 2:
		return &ast.On{Engine: ast.Start, Body: g.group()}
	}
	return &ast.SourceFile{Path: g.literal()}
}

// leaving is a statement of one line that begins with a keyword or a name.
func (g *grower) leaving() ast.Node {
	switch n := g.IntN(7); {
	case n == 0 && g.loop:
		return pick[ast.Node](g, &ast.Break{}, &ast.Continue{})
	case n == 1 && g.inside && !g.forall && !g.finally:
		return &ast.Return{Value: g.perhaps()}
	case n == 2 && g.inside:
		g.locals = append(g.locals, g.name("local"))
		v := ast.Var{Name: g.locals[len(g.locals)-1], Local: len(g.locals)}
		if g.chance(2) {
			return &ast.Local{Var: v}
		}
		return &ast.Local{Var: v, Assign: true, Value: g.perhaps()}
	case n == 3:
		return &ast.Shift{By: g.perhaps()}
	case n == 4 && g.chance(2):
		return &ast.Export{Var: g.variable()}
	case n == 4:
		return &ast.Export{Var: g.variable(), Assign: true, Value: g.perhaps()}
	case n == 5:
		return &ast.Secret{Vars: some(g, g.variable)}
	}
	return &ast.Assign{Var: g.variable(), Value: g.perhaps()}
}

func (g *grower) variable() ast.Var { return ast.Var{Name: pick(g, "x", "end", "_y2")} }

// perhaps is an expression or nothing.
func (g *grower) perhaps() ast.Expr {
	if g.chance(3) {
		return nil
	}
	return g.expr()
}
