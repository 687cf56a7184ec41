package check

import (
	"fmt"
	"regexp/syntax"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// conditions looks at what is written out in the conditions of tries, and at patterns.
func conditions(s *script) {
	for _, t := range s.tries {
		for _, list := range []*ast.Conditions{t.node.On, t.node.Unknown} {
			if list == nil {
				continue
			}
			for _, c := range list.List {
				s.condition(c)
			}
		}
	}
	for _, x := range s.exprs {
		if n, ok := x.node.(*ast.Binary); ok && n.Op == ast.Matches {
			if text, written := literalText(n.Right); written {
				s.checkPattern(n.Right.At(), text)
			}
		}
	}
}

// condition looks at one condition of a list.
func (s *script) condition(c ast.Condition) {
	if c.Matching != nil {
		if text, written := c.Matching.Literal(); written {
			s.checkPattern(c.Matching.Pos, text)
		}
		return
	}
	from, to := c.Value, c.Value
	if r, ok := c.Value.(*ast.Range); ok {
		from, to = r.From, r.To
	}
	low, written := constant.Values(nil).Integer(from)
	high, both := constant.Values(nil).Integer(to)
	if low, high = min(low, high), max(low, high); written && both && (high < 1 || low > 255) {
		s.addFinding(c.Value.At(), "no failure has this status", "write a status from 1 to 255")
	}
}

// checkPattern reports what is no pattern.
func (s *script) checkPattern(pos ast.Pos, text string) {
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		s.addFinding(pos, fmt.Sprintf("%q is no pattern: %s", text, err.(*syntax.Error).Code),
			`write a pattern of RE2; \ before a character takes it as it is`)
	}
}
