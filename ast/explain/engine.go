package explain

import (
	"fmt"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// on explains where the programs of a group run.
func (s *script) on(out *strings.Builder, n *ast.On, in *ast.Place) {
	s.assumed, s.unknown = nil, nil
	stmt := in.Node.(*ast.Stmt)
	title(out, stmt)
	switch n.Engine {
	case ast.Start:
		line(out, "runs", "here, and again whenever the script is continued")
	case "here":
		line(out, "runs", "its programs here, none as a job")
	default:
		line(out, "runs", "programs and pipelines of programs as jobs of "+n.Engine)
		if outer := around(in, n.Engine); outer != nil {
			line(out, "around it", fmt.Sprintf("the options of line %d hold, too", outer.Pos.Line))
		}
	}
	if n.Limit != nil {
		line(out, "at a time", s.count(n.Limit)+" jobs, queued or running")
	}
	if n.Pilots != nil {
		line(out, "pilots", s.count(n.Pilots)+" jobs, which take the programs one after another")
	}
	if len(s.assumed) > 0 {
		line(out, "assumed", "the defaults of "+strings.Join(s.assumed, " "))
	}
	out.WriteString("\n")
}

// around is the nearest `on` of the same engine around a place.
func around(in *ast.Place, engine string) *ast.Stmt {
	for in = in.Outer; in != nil; in = in.Outer {
		if stmt, ok := in.Node.(*ast.Stmt); ok {
			if n, ok := stmt.Node.(*ast.On); ok && n.Engine == engine {
				return stmt
			}
		}
	}
	return nil
}

// count is the number that an expression stands for, or the variables that say it.
func (s *script) count(e ast.Expr) string {
	if n, known := constant.Values(s.value).Integer(e); known {
		return fmt.Sprintf("at most %d", n)
	}
	return strings.Join(s.unknown, " ")
}
