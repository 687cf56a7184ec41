package explain

import (
	"fmt"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// explainOn explains where the programs of a group run.
func (s *script) explainOn(out *strings.Builder, n *ast.On, in *ast.Place) {
	s.assumed, s.unknown = nil, nil
	stmt := in.Node.(*ast.Stmt)
	writeTitle(out, stmt)
	switch n.Engine {
	case ast.Start:
		writeLine(out, "runs", "here, and again whenever the script is continued")
	case "here":
		writeLine(out, "runs", "its programs here, none as a job")
	default:
		writeLine(out, "runs", "programs and pipelines of programs as jobs of "+n.Engine)
		if outer := nearestOn(in, n.Engine); outer != nil {
			writeLine(out, "around it", fmt.Sprintf("the options of line %d hold, too", outer.Pos.Line))
		}
	}
	if n.Limit != nil {
		writeLine(out, "at a time", s.describeNumber(n.Limit)+" jobs, queued or running")
	}
	if n.Pilots != nil {
		writeLine(out, "pilots", s.describeNumber(n.Pilots)+" jobs, which take the programs one after another")
	}
	if len(s.assumed) > 0 {
		writeLine(out, "assumed", "the defaults of "+strings.Join(s.assumed, " "))
	}
	out.WriteString("\n")
}

// nearestOn is the nearest `on` of the same engine around a place.
func nearestOn(in *ast.Place, engine string) *ast.Stmt {
	for in = in.Outer; in != nil; in = in.Outer {
		if stmt, ok := in.Node.(*ast.Stmt); ok {
			if n, ok := stmt.Node.(*ast.On); ok && n.Engine == engine {
				return stmt
			}
		}
	}
	return nil
}

// describeNumber is the number that an expression stands for, or the variables that say it.
func (s *script) describeNumber(e ast.Expr) string {
	if n, known := constant.Values(s.describeReference).Integer(e); known {
		return fmt.Sprintf("at most %d", n)
	}
	return strings.Join(s.unknown, " ")
}
