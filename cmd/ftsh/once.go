package main

import (
	"errors"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/parser"
)

// statusNoAttempt is the status of --try if the command did not run, as of timeout(1)
// and nohup(1): other numbers are the command's own.
const statusNoAttempt = 125

// runOnce runs one command under a try with the clauses of --try.
func runOnce(o *options) int {
	if len(o.args) == 0 {
		complain(errors.New("--try "+*o.try+": name a command to run"), "ftsh --manual retry")
		return statusNoAttempt
	}
	file, err := parser.Parse(&ast.Source{Name: "--try", Text: "try " + *o.try + "\n\"$@\"\nend\n"}, parser.Config{})
	if err != nil {
		report(err)
		return statusNoAttempt
	}
	if !isOneTry(file) {
		err := errors.New("--try " + *o.try + ": wanted the clauses of one try, such as 'for 1 hour each 30 s'")
		complain(err, "ftsh --manual try")
		return statusNoAttempt
	}
	return execute(o, file, append([]string{"ftsh"}, o.args...))
}

// isOneTry reports whether a file is a try around one command and nothing else, whatever
// stands in the clauses.
func isOneTry(file *ast.File) bool {
	if len(file.Body.List) != 1 {
		return false
	}
	n, ok := file.Body.List[0].Node.(*ast.Try)
	return ok && len(n.Body.List) == 1 && n.Catch == nil && n.Verify == nil && n.Finally == nil
}

// onceStatus is the status of --try after the command has failed: the last attempt's.
func onceStatus(failure *interp.Failure) int {
	switch failure.Kind {
	case interp.KindExit, interp.KindSignal, interp.KindTimeout, interp.KindMissing:
		return failure.Status
	}
	return statusNoAttempt
}
