package check

import "ftsh/ast"

// deadPatterns looks for patterns after a *, and for those that stand in a case twice.
func deadPatterns(s *script) {
	for _, stmt := range s.statements {
		choice, ok := stmt.node.Node.(*ast.If)
		if !ok || choice.Case == nil {
			continue
		}
		all, seen := false, map[string]bool{}
		for _, b := range choice.Branches {
			for _, w := range b.Test.Patterns {
				text, known := patternText(w)
				switch {
				case all:
					s.addFinding(w.Pos, "nothing is left for this pattern: the * before it matches all", "put * last, or write else")
				case known && seen[text]:
					s.addFinding(w.Pos, "this pattern stands in the case already, and is never reached again", "leave it out")
				}
				seen[text] = true
				all = all || known && text == "*"
			}
		}
		if all && choice.Else != nil {
			s.addFinding(choice.Else.Pos, "nothing is left for the else: the * before it matches all",
				"leave out one of the two")
		}
	}
}

// patternText is a text by which patterns can be compared; false: the pattern contains a value.
func patternText(w *ast.Word) (text string, known bool) {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *ast.Glob:
			text += part.Pattern
		case *ast.Lit:
			for _, r := range part.Text {
				text += "\\" + string(r) // a * here is no pattern
			}
		default:
			return "", false
		}
	}
	return text, true
}
