package check

import (
	"fmt"

	"ftsh/ast"
	"ftsh/ast/units"
)

const wholeAgain = "runs again as a whole after a crash"

// findLargeUnits finds structures of several commands that are run again as a whole.
func findLargeUnits(s *script) {
	for _, p := range units.List(s.files[0], s.isBuiltin) {
		switch {
		case p.How != units.Unit || !p.Work.Several() || repeatsAnyway(p):
		case p.Output != nil:
			s.addFinding(p.Output.Pos, "this ${ … }"+describeWork(p.Work)+wholeAgain,
				"write > FILE after its call, with which it goes on in the middle, and ${ cat FILE } here")
		case p.Cause != nil:
			s.addFinding(p.Cause.Pos, describeUnit(p)+wholeAgain, withoutUnit(p.Cause))
		case p.Work.Stage.IsValid():
			s.addFinding(p.Work.Stage, "the pipeline of this stage"+describeWork(p.Work)+wholeAgain,
				"write > FILE after it, or < FILE, and let the rest of the pipeline be a command of its own")
		}
	}
}

// repeatsAnyway reports whether a unit is an attempt or alternative that has no loop: the failure of a command that was
// under way would end it, too, if it went on in the middle.
func repeatsAnyway(p units.Part) bool { return p.Of != "" && p.Of != "catch" && !p.Work.Loop }

// describeUnit names a unit and its contents.
func describeUnit(p units.Part) string {
	what := "this block"
	if p.Of != "" {
		what = map[string]string{
			"attempt": "each attempt", "catch": "the catch group", "alternative": "each alternative"}[p.Of]
	}
	return what + describeWork(p.Work)
}

func describeWork(w units.Work) string {
	if w.Loop {
		return ", with a loop of commands, "
	}
	return fmt.Sprintf(", with %d commands, ", w.Commands)
}

// withoutUnit says how a block can do without a redirection that makes it a unit.
func withoutUnit(r *ast.Redirect) string {
	switch r.Op {
	case ast.ToVar, ast.AppendVar:
		return "write > FILE, with which it goes on in the middle, and cat FILE " +
			r.Op.String() + " " + r.Var.Name + " after it"
	case ast.BothVar, ast.AppendBothVar:
		return "write >& FILE, with which it goes on in the middle, and cat FILE to " + r.Var.Name + " after it"
	case ast.Atomic:
		return "write > FILE.new, with which it goes on in the middle, and mv FILE.new FILE after it"
	case ast.FromVar, ast.Here, ast.HereTabs:
		return "write the text to a file before, and < FILE here, with which it goes on in the middle"
	}
	return "redirect the commands within"
}
