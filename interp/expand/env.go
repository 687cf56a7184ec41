package expand

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/value"
)

// Env answers what expansion has to know of the running script.
type Env interface {
	// Variable is the value of a variable; false if it was never set, nor came
	// with the environment.
	Variable(v *ast.Var) (value.Value, bool)
	// Lookup is Variable by name, for HOME and .defined.
	Lookup(name string) (value.Value, bool)
	// Parameter is $0, $1 …; false if it was not given.
	Parameter(n int) (value.Value, bool)
	// Parameters is $1 … as a slice that is only read.
	Parameters() ([]string, error)
	// Shell is one of the shell's own values; false if it is not defined now.
	Shell(d ast.Dotted) (string, bool)
	// ScriptDir is the folder of a file of the script.
	ScriptDir(file *ast.Source) (string, error)
	// List is one of the shell's own values that is a list; nil: it is empty now.
	List(d ast.Dotted) *value.Sequence
	// PID is $$.
	PID() int
	// Call runs a function for its value. The arguments are values as they are
	// ([Value.Text] makes parameters of them). Its error is passed on unchanged.
	Call(ctx context.Context, c *ast.Call, args []value.Value) (value.Value, error)
	// Output runs a ${ command } and returns what it wrote, without the newlines at its end. Its error is passed on
	// unchanged.
	Output(o *ast.Output) (string, error)
	// At gives a name as the system calls that end in "at" want it: relative names begin
	// where the script stands.
	At(name string) (dirFD int, relative string)
	// Stream gives the descriptor that the name of a file means, such as /dev/stdout, or -1 if it is not open; false:
	// the name means a file.
	Stream(name string) (fd int, ok bool)
	// Lenient tells that what is undefined counts as empty (--undefined=empty).
	Lenient() bool
	// Patterns keeps compiled .matches. patterns; nil keeps none.
	Patterns() *Patterns
}
