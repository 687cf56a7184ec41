package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

func numberRules() []Rule {
	return []Rule{{
		Code: "F104", Level: Error, Page: "expressions", look: checkNumbers,
		Title: "text where a number is wanted",
		Finds: `state=ready
if $state .eql. 1
    echo yes
end`,
		Passes: `state=ready
if $state .eq. ready .and. 1 .lt. 2
    echo yes
end`,
	}}
}

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
			if index := argumentNumber(side); index > 0 && !shiftsArguments(f) {
				if counts[f.Name] == nil {
					counts[f.Name] = map[int]ast.Op{}
				}
				counts[f.Name][index] = n.Op
			}
		}
	}
	for _, c := range s.commands {
		for index, op := range counts[programName(c.node)] {
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
	o, ok := e.(*ast.Operand)
	if !ok || len(o.Word.Parts) != 1 {
		return 0
	}
	ref, ok := o.Word.Parts[0].(*ast.Ref)
	if !ok || ref.Kind != ast.Positional || ref.Default != nil || ref.Portion != ast.Whole {
		return 0
	}
	return ref.Index
}

// shiftsArguments reports whether a function changes its arguments.
func shiftsArguments(f *ast.Function) bool {
	return holds(&f.Body, func(*ast.Shift) bool { return true }) ||
		holds(&f.Body, func(c *ast.Command) bool { return programName(c) == "set" })
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
	text, written := literalText(e)
	if written {
		if !isInteger(text) {
			s.notInteger(e, fmt.Sprintf("%q is no integer, and %s wants one", text, of), of)
		}
		return
	}
	name, only := onlyVariable(e)
	v := known[name]
	if !only || v == nil || v.Other || isEnvironment(name) {
		return
	}
	if slices.ContainsFunc(v.Texts, isInteger) {
		return
	}
	s.notInteger(e, fmt.Sprintf("%s is %q, no integer, and %s wants one", name, v.Texts[0], of), of)
}

func (s *script) notInteger(e ast.Expr, message, of string) {
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

// onlyVariable returns the name of the variable that an expression consists of.
func onlyVariable(e ast.Expr) (name string, only bool) {
	o, ok := e.(*ast.Operand)
	if !ok || len(o.Word.Parts) != 1 {
		return "", false
	}
	ref, ok := o.Word.Parts[0].(*ast.Ref)
	if !ok || ref.Kind != ast.Variable || ref.Default != nil {
		return "", false
	}
	return ref.Name, true
}
