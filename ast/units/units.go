package units

import "ftsh/ast"

// How says what a continued script does with a part that was under way.
type How uint8

// A Unit is run again as a whole. Within a structure that GoesOn only what was under way is. A Job is awaited. What
// is done Anew leaves no records of its own.
const (
	Unit How = iota
	GoesOn
	Job
	Anew
)

// String returns the word that lists of units use.
func (h How) String() string { return [...]string{"unit", "goes on", "job", "anew"}[h] }

// Runs is the kind of thing that the first word of a command names.
type Runs uint8

// exec counts as a program: it runs one.
const (
	Program Runs = iota
	Builtin
	Function
)

// OfCommand classifies a command with those redirections. A program within `on ENGINE` is a Job instead.
func OfCommand(runs Runs, list []*ast.Redirect) How {
	switch {
	case runs == Function && Cause(list) == nil:
		return GoesOn
	case runs == Builtin && !opensFile(list):
		return Anew
	}
	return Unit
}

// Cause returns the redirection for which a block, or the call of a function, cannot go on in the middle: any but
// files that are read or written. Such a file may turn out to be no regular one, which has the same effect. nil: none.
func Cause(list []*ast.Redirect) *ast.Redirect {
	for _, r := range list {
		switch r.Op {
		case ast.Out, ast.Append, ast.Both, ast.AppendBoth, ast.In:
		default:
			return r
		}
	}
	return nil
}

// opensFile reports whether redirections open a file.
func opensFile(list []*ast.Redirect) bool {
	for _, r := range list {
		switch r.Op {
		case ast.Out, ast.Append, ast.Both, ast.AppendBoth, ast.Atomic, ast.In:
			return true
		}
	}
	return false
}
