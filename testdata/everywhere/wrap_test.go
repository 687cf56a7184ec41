package everywhere

import (
	"strings"

	"ftsh/ast"
)

// divide takes the functions and resources, which may stand at the top level only, out of a
// script. What remains keeps its lines.
func divide(text string) (body, declarations string) {
	file, err := parseText(text)
	if err != nil {
		return text, ""
	}
	var b strings.Builder
	list := file.Body.List
	for i := range list {
		from, to := int32(0), int32(len(text))
		if i > 0 {
			from = list[i].Pos.Offset
		}
		if i+1 < len(list) {
			to = list[i+1].Pos.Offset
		}
		part := text[from:to]
		switch list[i].Node.(type) {
		case *ast.Function, *ast.Resource:
			declarations += "\n" + part
			part = strings.Repeat("\n", strings.Count(part, "\n"))
		}
		b.WriteString(part)
	}
	return b.String(), declarations
}

// within returns the change that puts a script between two texts, its functions and resources
// behind them. Lines keep their numbers.
func within(before, after string) func(*script) string {
	return func(s *script) string {
		body, declarations := divide(s.text)
		return before + body + "\n" + after + "\n" + declarations
	}
}

// called returns the change that makes a script a function, and calls it.
func called(how string) func(*script) string { return within("function whole; ", "end\n"+how) }

// The changes that situations make. The text of the script begins on the first line.
var (
	inFunction = called(`whole "$@"`)
	firstStage = called(`whole "$@" | cat`)
	lastStage  = called(`cat | whole "$@"`)
	toFile     = called(`whole "$@" > $SAID`)
	captured   = called("try; whole \"$@\" -> whole_said\nfinally; cat -< whole_said\nend")
	inForall   = within("forall whole in 1; ", "end")
	inForany   = within("forany whole in 1; ", "end")
	inFor      = within("for whole in 1; ", "end")
	inHedge    = within("forany whole in 1 .hedge. 60 s; ", "end")
	inTry      = within("try; ", "end")
	inCatch    = within("try; true; sh -c 'exit 99'; catch; ", "end")
	inFinally  = within("try; true; finally; ", "end")
	inOn       = within("on here; ", "end")
	inSlurm    = within("on slurm; ", "end")
	inPilots   = within("on slurm .pilots. 3; ", "end")
	inStart    = within("on start; ", "end")
	inSlot     = within("resource everywhere; slots 1; end; try for 1 hour or 1 time via everywhere; ", "end")
	inLimits   = within("try for 1 hour each 30 minutes except on 0 .to. 255 error missing timeout; ", "end")
	// a job beside the script's first one makes an array of both
	inArray = within("on slurm; forall whole in 1 2 .keepgoing.; if $whole .eql. 1; ",
		"else; sh -c 'sleep 0.1'; end; end; end")
	inAlternated = within("if false; true; else; ", "end")
)
