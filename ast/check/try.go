package check

import (
	"maps"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// idleTries looks for tries without which the script would do the same.
func idleTries(s *script) {
	for _, x := range s.tries {
		t, stmt := x.node, statementOf(x.in)
		clauses := t.Limited() || t.Each != nil || t.Every != nil || t.Backoff != nil || t.On != nil || t.Unknown != nil ||
			t.Via != nil || t.Key != nil
		sections := t.Verify != nil || t.Catch != nil || t.Finally != nil
		if !clauses && !sections && len(stmt.Redirects) == 0 &&
			!holds(&t.Body, func(ref *ast.Ref) bool { return ref.Kind == ast.Shell }) { // values that only a try sets
			s.addFinding(stmt.Pos, "this try does nothing: a failure passes through it",
				"give it a limit, as in try for 1 hour, or a catch; or remove it")
		}
	}
}

// emptyCatches looks for catch groups without a command. A comment in it says why to people, not to the log.
func emptyCatches(s *script) {
	for _, x := range s.tries {
		if c := x.node.Catch; c != nil && len(c.List) == 0 {
			s.addFinding(c.Pos, "this catch is empty: every failure is hidden, also one that nobody has thought of",
				"name what may fail, as in try … only on 1, or let it tell what failed: echo ${error.message}")
		}
	}
}

// constantKeys looks for keys that name the loop and not the item: the second item
// would be taken for done. The alternatives of a forany are one piece of work.
func constantKeys(s *script) {
	for _, x := range s.tries {
		if x.node.Key == nil {
			continue
		}
		changing := s.changingAround(x.in)
		if changing == nil || dependsOn(x.node.Key, changing) {
			continue
		}
		s.addFinding(x.node.Key.Pos, "the key is the same for every item: the second is taken for done when the first is",
			"let it name the item, as in key work-$item")
	}
}

// changingAround are the variables that change from turn to turn in the innermost
// loop around a place; none if there is no loop.
func (s *script) changingAround(in *ast.Place) map[string]bool {
	for ; in != nil; in = in.Outer {
		switch n := in.Node.(type) {
		case *ast.For:
			if n.Kind == ast.Any {
				return nil
			}
			return s.changingVariables(n)
		case *ast.While:
			names := maps.Clone(s.changedBy(&n.Body))
			if c, ok := n.Test.Try.(*ast.Command); ok {
				for _, name := range constant.Reads(c) {
					names[name] = true
				}
			}
			return names
		}
	}
	return nil
}

// changingVariables are the variables that change from turn to turn of a loop.
func (s *script) changingVariables(loop *ast.For) map[string]bool {
	names := maps.Clone(s.changedBy(&loop.Body))
	names[loop.Var.Name] = true
	return names
}

// changedBy are the variables that a group sets.
func (s *script) changedBy(g *ast.Group) map[string]bool {
	if names := s.sets[g]; names != nil {
		return names
	}
	names := map[string]bool{}
	s.sets[g] = names
	ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
		for _, name := range constant.Sets(node) {
			names[name] = true
		}
		return true
	})
	return names
}

// dependsOn reports whether a word may change when these variables do.
func dependsOn(w *ast.Word, changing map[string]bool) bool {
	return mentionsAny(w, func(ref *ast.Ref) bool {
		return ref.Kind != ast.Variable || changing[ref.Name] || ref.Default != nil
	}) || runsAny(w, func(stages []*ast.Command) bool { return !writesTheSame(stages) })
}

// mayRepeat reports whether a try may run its group more than once.
func mayRepeat(t *ast.Try) bool {
	times, known := constant.Values(nil).Integer(t.Times)
	return t.Limited() && !(known && times <= 1)
}

// repeats reports whether a try repeats what stands in this group of it.
func repeats(t *ast.Try, g *ast.Group) bool { return g == &t.Body && mayRepeat(t) }

// isAlternative reports whether something else is done if a command fails: its
// program may be missing.
func isAlternative(c at[*ast.Command]) bool {
	for in := c.in; in != nil && in.Outer != nil; in = in.Outer {
		switch n := in.Outer.Node.(type) {
		case *ast.For:
			if n.Kind == ast.Any {
				return true
			}
		case *ast.Try:
			if n.Catch != nil && in.Node == any(&n.Body) && !mayRepeat(n) {
				return true
			}
		}
	}
	return false
}
