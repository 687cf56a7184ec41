package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// findUnrepeatable looks for programs that must not simply be repeated.
func findUnrepeatable(s *script) {
	for _, c := range slices.Concat(s.commands, s.handed) {
		t := s.toolOf(c.node)
		what := t.repeatedEffect()
		if t.name == "mkdir" && isAlone(c) {
			continue // it waits until the folder is gone: a lock
		}
		if what != "" && !mentionsKey(c.node) && s.isRepeatedBlindly(c.in) {
			s.addFinding(c.node.Pos, "if the answer is lost, the next attempt does it again: "+what,
				"ask in a verify group whether it has happened, or give it ${try.key} if the other side knows keys")
		}
	}
}

// isAlone reports whether a command is all that a try repeats.
func isAlone(c at[*ast.Command]) bool {
	t := tryAround(c.in, repeats)
	return t != nil && len(t.Body.List) == 1 && t.Body.List[0].Node == ast.Node(c.node)
}

// isRepeatedBlindly reports whether a try repeats what stands at a place, or in a function that it calls, without
// asking whether it has happened.
func (s *script) isRepeatedBlindly(in *ast.Place) (found bool) {
	s.lookOutward(in, func(in *ast.Place) bool {
		if tryAround(in, func(t *ast.Try, _ *ast.Group) bool { return t.Verify != nil }) != nil {
			return false
		}
		t := tryAround(in, repeats)
		found = found || t != nil && !namesFailures(t.On)
		return t == nil
	})
	return found
}

// namesFailures reports whether a try repeats only failures that its author has
// named, and none of these leaves open what was done.
func namesFailures(on *ast.Conditions) bool {
	if on == nil || on.Except {
		return false
	}
	for _, c := range on.List {
		switch text, _ := literalText(c.Value); text {
		case "timeout", "signal", "unknown", "lost", "cancelled":
			return false
		}
	}
	return true
}

// mentionsKey reports whether a command passes a key on, such as that of its try.
func mentionsKey(c *ast.Command) (found bool) {
	for _, w := range c.Words {
		for _, part := range w.Parts {
			ref, ok := part.(*ast.Ref)
			found = found || ok && (strings.Contains(strings.ToLower(ref.Name), "key"))
			lit, ok := part.(*ast.Lit)
			found = found || ok && strings.Contains(strings.ToLower(lit.Text), "idempotency-key")
		}
	}
	return found
}

// repeatedEffect says what a program does for the second time if it is repeated; "" if that is nothing, or not known.
func (t tool) repeatedEffect() string {
	for _, a := range tools[t.name].again {
		if (a.with == "" || t.hasArgument(a.with)) && (a.unless == "" || !t.hasArgument(a.unless)) {
			return a.what
		}
	}
	switch t.name {
	case "mysql", "mariadb", "psql", "sqlite3":
		if slices.ContainsFunc(t.list, insertsRows) {
			return t.name + " inserts rows"
		}
	case "curl":
		if o := readCurl(t); o.changesServer() {
			return "curl sends data"
		}
	case "wget":
		for _, w := range t.list {
			if text := shapeOf(w); strings.HasPrefix(text, "--post-data") || strings.HasPrefix(text, "--post-file") {
				return "wget sends data"
			}
		}
	}
	return ""
}

// insertsRows reports whether a word is SQL that inserts rows, each time anew.
func insertsRows(w *ast.Word) bool {
	text := strings.Join(strings.Fields(strings.TrimPrefix(strings.ToLower(shapeOf(w)), "--execute=")), " ")
	return strings.HasPrefix(text, "insert ") && !strings.HasPrefix(text, "insert ignore ") &&
		!strings.Contains(text, " on conflict ") && !strings.Contains(text, " on duplicate key ")
}

// unfailing looks for curl commands that take an error page for success.
func unfailing(s *script) {
	for _, c := range slices.Concat(s.commands, s.handed) {
		curl := s.toolOf(c.node)
		if curl.name != "curl" || !s.isAttempted(c) {
			continue
		}
		if o := readCurl(curl); o.hidesErrors() {
			w := curl.list[0]
			name, _ := w.Literal()
			end := int(w.Pos.Offset) + len(name)
			var edits []Edit
			if strings.HasPrefix(w.Pos.Source.Text[w.Pos.Offset:], name) {
				edits = []Edit{{w.Pos.Source, end, end, " --fail"}}
			}
			s.addFinding(c.node.Pos, "without --fail, curl succeeds with an error page of the server",
				"write curl --fail, or --fail-with-body", edits...)
		}
	}
}

// isAttempted reports whether a command stands in the group of a try, or in a function called there, and nothing
// there looks at what it writes.
func (s *script) isAttempted(c at[*ast.Command]) (found bool) {
	s.lookOutward(c.in, func(in *ast.Place) bool {
		t, _ := nearestAround[*ast.Try](in)
		if t == nil {
			f, _ := nearestAround[*ast.Function](in)
			return f != nil && !isOutputExamined(c, &f.Body)
		}
		found = found || inBody(in) && !isOutputExamined(c, &t.Body)
		return false
	})
	return found
}

// isOutputExamined reports whether a group looks at what a command writes: another program
// of its pipeline does, or an expression.
func isOutputExamined(c at[*ast.Command], g *ast.Group) (found bool) {
	if feedsPipe(c.node, c.in) {
		return true
	}
	names := map[string]bool{}
	for _, r := range c.node.Redirects {
		names[r.Var.Name] = r.Op.Captures()
	}
	if o, place := nearestAround[*ast.Output](c.in); o != nil {
		if compares, _ := nearestAround[*ast.Binary](place); compares != nil {
			return true
		}
		if a, _ := nearestAround[*ast.Assign](place); a != nil {
			names[a.Var.Name] = true
		}
	}
	ast.Walk(g, nil, func(node any, in *ast.Place) bool {
		ref, ok := node.(*ast.Ref)
		e, _ := nearestAround[ast.Expr](in)
		found = found || ok && names[ref.Name] && e != nil
		return !found
	})
	return found
}

// inBody reports whether a place is in the group that the innermost try around it attempts.
func inBody(in *ast.Place) (found bool) {
	tryAround(in, func(t *ast.Try, g *ast.Group) bool {
		found = g == &t.Body
		return true
	})
	return found
}

// retriesTwice looks for curl commands that repeat within a try that repeats.
func retriesTwice(s *script) {
	for _, c := range slices.Concat(s.commands, s.handed) {
		curl := s.toolOf(c.node)
		if curl.name != "curl" {
			continue
		}
		o, t := readCurl(curl), s.tryOver(c.in, repeats)
		if t != nil && o.hasOption("retry") && o.values["retry"] != "0" && !o.retriesWithin(t.Each) {
			s.addFinding(c.node.Pos, "curl repeats by itself, and the try repeats that: the server gets the product of both",
				"leave --retry out: the try waits, and longer each time; or bound both with each")
		}
	}
}
