package check

import (
	"slices"
	"strings"

	"ftsh/ast"
)

// negatedOperands looks for .not. whose operand is no boolean, since it binds tighter than a comparison.
func negatedOperands(s *script) {
	for _, x := range s.exprs {
		n, ok := x.node.(*ast.Binary)
		if !ok || !isComparison(n.Op) {
			continue
		}
		not, ok := n.Left.(*ast.Unary)
		if !ok || not.Op != ast.Not {
			continue
		}
		if _, isOperand := not.X.(*ast.Operand); !isOperand {
			continue
		}
		s.addFinding(not.At(), ".not. belongs to what stands right behind it, and that is no boolean",
			"write .not. ( … "+n.Op.String()+" … )")
	}
}

// isComparison reports whether an operator takes values and gives a boolean.
func isComparison(op ast.Op) bool {
	switch op {
	case ast.Eq, ast.Ne, ast.Eql, ast.Neql, ast.Lt, ast.Le, ast.Gt, ast.Ge, ast.Matches:
		return true
	}
	return false
}

// earlyDuplicates looks for 2>&1 that comes before the redirection of standard output to a file, other than in a stage
// whose pipe gets standard error alone in this way.
func earlyDuplicates(s *script) {
	look := func(list []*ast.Redirect) {
		for i, r := range list {
			if r.Op != ast.DupOut || r.FD != 2 || r.Dup != 1 {
				continue
			}
			for _, later := range list[i+1:] {
				if (later.Op == ast.Out || later.Op == ast.Append || later.Op == ast.Atomic) && later.FD <= 1 {
					s.addFinding(r.Pos, "standard error goes where standard output went before the file was opened",
						"write > file 2>&1, or >& file")
				}
			}
		}
	}
	for _, c := range s.commands {
		if !feedsPipe(c.node, c.in) {
			look(c.node.Redirects)
		}
	}
	for _, x := range s.statements {
		look(x.node.Redirects)
	}
}

// literalDollars looks for names of variables in single quotes that are printed.
func literalDollars(s *script) {
	known := s.variables()
	for _, c := range s.commands {
		switch s.toolOf(c.node).name {
		case "echo", "printf", "mail", "mailx":
		default:
			continue
		}
		for _, w := range c.node.Words[1:] {
			source := w.Pos.Source.Text[w.Pos.Offset:]
			text, isLiteral := w.Literal()
			if !isLiteral || !strings.HasPrefix(source, "'") {
				continue
			}
			name := dollarName(text)
			if name != "" && (known[name] != nil || isEnvironment(name)) && !mentionsValue(c.node, name) {
				s.addFinding(w.Pos, "$"+name+" stands in single quotes, and is written as it is",
					`write "…" around it, or \$ in double quotes if a dollar is meant`)
			}
		}
	}
}

// mentionsValue reports whether a command has the value of a variable among its words: then both are meant.
func mentionsValue(c *ast.Command, name string) bool {
	return slices.ContainsFunc(c.Words, func(w *ast.Word) bool { return mentionsVariable(w, name) })
}

// dollarName returns the first name of a variable behind a dollar; "" if there is none.
func dollarName(text string) string {
	for {
		_, after, found := strings.Cut(text, "$")
		if !found {
			return ""
		}
		name := strings.TrimPrefix(after, "{")
		n := 0
		for n < len(name) && (name[n] == '_' || name[n] >= 'a' && name[n] <= 'z' || name[n] >= 'A' && name[n] <= 'Z' ||
			n > 0 && name[n] >= '0' && name[n] <= '9') {
			n++
		}
		if n > 0 {
			return name[:n]
		}
		text = after
	}
}
