package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// checkNumbers looks at operands that must be integers.
func checkNumbers(s *script) {
	known := s.variables()
	for _, x := range s.exprs {
		switch n := x.node.(type) {
		case *ast.Binary:
			if isArithmetic(n.Op) {
				s.checkInteger(n.Left, n.Op.String(), known)
				s.checkInteger(n.Right, n.Op.String(), known)
			}
		case *ast.Range:
			s.checkInteger(n.From, ".to.", known)
			s.checkInteger(n.To, ".to.", known)
			if n.Step != nil {
				s.checkInteger(n.Step, ".step.", known)
			}
		}
	}
	s.checkCounted()
	for _, x := range s.loops {
		if x.node.Limit != nil {
			s.checkInteger(x.node.Limit, ".limit.", known)
		}
	}
	for _, x := range s.commands {
		if c := x.node; s.isCommand(c, "exit") && len(c.Words) == 2 {
			s.checkInteger(&ast.Operand{Word: c.Words[1]}, "exit", known)
		}
	}
}

// checkCounted looks for arguments that are no integers, where the function that gets them counts with them.
func (s *script) checkCounted() {
	counts := map[string]map[int]ast.Op{} // by function and number of the argument
	for _, x := range s.exprs {
		n, ok := x.node.(*ast.Binary)
		f, _ := nearestAround[*ast.Function](x.in)
		if !ok || f == nil || !isArithmetic(n.Op) {
			continue
		}
		for _, side := range []ast.Expr{n.Left, n.Right} {
			if index := argumentNumber(side); index > 0 && !shiftsArguments(&f.Body) {
				if counts[f.Name] == nil {
					counts[f.Name] = map[int]ast.Op{}
				}
				counts[f.Name][index] = n.Op
			}
		}
	}
	for _, c := range s.commands {
		for index, op := range counts[c.node.Name()] {
			if index < len(c.node.Words) && isLiteralWord(c.node.Words[1:index+1]) {
				s.checkInteger(&ast.Operand{Word: c.node.Words[index]}, op.String(), nil)
			}
		}
	}
	for _, c := range s.calls {
		for index, op := range counts[c.node.Name] {
			if index <= len(c.node.Args) {
				if _, written := literalText(c.node.Args[index-1]); written {
					s.checkInteger(c.node.Args[index-1], op.String(), nil)
				}
			}
		}
	}
}

// argumentNumber returns the number of the argument that an expression consists of; 0 if it is none.
func argumentNumber(e ast.Expr) int {
	ref := onlyRef(e)
	if ref == nil || ref.Kind != ast.Positional || ref.Default != nil || ref.Portion != ast.Whole {
		return 0
	}
	return ref.Index
}

// shiftsArguments reports whether a group changes the arguments of its function.
func shiftsArguments(g *ast.Group) bool {
	return holds(g, func(*ast.Shift) bool { return true }) ||
		holds(g, func(c *ast.Command) bool { return c.Name() == "set" })
}

// isLiteralWord reports whether words are written out, so that each is one argument.
func isLiteralWord(list []*ast.Word) bool {
	return !slices.ContainsFunc(list, func(w *ast.Word) bool { _, literal := w.Literal(); return !literal })
}

func isArithmetic(op ast.Op) bool {
	return op >= ast.Eql && op <= ast.Ge || op >= ast.Add && op <= ast.Pow
}

// checkInteger reports an operand that surely is none.
func (s *script) checkInteger(e ast.Expr, of string, known map[string]*constant.Variable) {
	var message string
	if text, written := literalText(e); written {
		if isInteger(text) {
			return
		}
		message = fmt.Sprintf("%q is no integer, and %s wants one", text, of)
	} else {
		ref := onlyRef(e)
		if ref == nil || ref.Kind != ast.Variable || ref.Default != nil || isEnvironment(ref.Name) {
			return
		}
		v := known[ref.Name]
		if v == nil || v.Other || slices.ContainsFunc(v.Texts, isInteger) {
			return
		}
		message = fmt.Sprintf("%s is %q, no integer, and %s wants one", ref.Name, v.Texts[0], of)
	}
	instead := "write an integer, such as 7"
	if of == ast.Eql.String() || of == ast.Neql.String() {
		instead = "write .eq. or .ne. to compare text"
	}
	s.addFinding(e.At(), message, instead)
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return err == nil
}

// onlyRef returns the reference that an expression consists of; nil if it is anything else.
func onlyRef(e ast.Expr) *ast.Ref {
	o, ok := e.(*ast.Operand)
	if !ok || len(o.Word.Parts) != 1 {
		return nil
	}
	ref, _ := o.Word.Parts[0].(*ast.Ref)
	return ref
}
