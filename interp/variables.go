package interp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/output"
	"ftsh/interp/value"
)

// variableOf returns the variable that a mention means: the function's own once its
// `local` has run, else the global one.
func (f *frame) variableOf(v *ast.Var) *variable {
	if v.Local > 0 && v.Local <= len(f.call.locals) && f.call.locals[v.Local-1].declared {
		return &f.call.locals[v.Local-1]
	}
	if v.Number >= len(f.state.vars) {
		f.growVariables()
	}
	return &f.state.vars[v.Number]
}

// growVariables makes room for variables that were mentioned since the frame was made,
// as happens at the prompt.
func (f *frame) growVariables() {
	f.state.vars = slices.Grow(f.state.vars, f.run.names.Len()-len(f.state.vars))
	for n := len(f.state.vars); n < f.run.names.Len(); n++ {
		text, inherited := f.run.inherited(f.run.names.Name(n))
		f.state.vars = append(f.state.vars, variable{value: value.String(text), set: inherited, exported: inherited})
	}
}

// assign gives a variable its value and keeps the environment in step.
func (f *frame) assign(v *ast.Var, value value.Value) {
	if f.secret {
		f.run.secret.add(v.Name, value)
	}
	variable := f.variableOf(v)
	output.Drop(variable.value)
	variable.value, variable.set = value, true
	if variable.secret {
		f.keepSecret(variable)
	}
	if variable.exported {
		f.state.environ = nil
	}
}

// temporaryDir returns the directory of temporary files.
func (f *frame) temporaryDir() string {
	if value, set := f.Lookup("TMPDIR"); set {
		if dir, err := value.Text(); err == nil && dir != "" {
			return dir
		}
	}
	return "/tmp"
}

// The methods below answer the room expand; see expand.Env.

// Variable returns a variable's value; false if it was never set.
func (f *frame) Variable(v *ast.Var) (value.Value, bool) {
	variable := f.variableOf(v)
	return variable.value, variable.set
}

// Lookup finds a variable by its name, also one that the script does not mention.
func (f *frame) Lookup(name string) (value.Value, bool) {
	if number, known := f.run.names.Lookup(name); known {
		return f.Variable(&ast.Var{Name: name, Number: number, Local: f.localNumber(name)})
	}
	text, inherited := f.run.inherited(name)
	return value.String(text), inherited && !slices.Contains(f.state.hidden, name)
}

// localNumber returns the number of a local of the running function, 0 if it has none of that name.
func (f *frame) localNumber(name string) int {
	if f.call.function == nil {
		return 0
	}
	return slices.Index(f.call.function.Locals, name) + 1
}

// Parameter returns $n.
func (f *frame) Parameter(n int) (value.Value, bool) {
	switch {
	case n == 0:
		return value.String(f.run.Script.Name), true
	case n > len(f.call.params.words):
		return value.Value{}, false
	case f.call.params.values != nil:
		return f.call.params.values[n-1], true
	case f.call.params.lost && f.call.params.words[n-1] == lostName:
		return value.Lost(errLostSecret), true
	}
	return value.String(f.call.params.words[n-1]), true
}

// Parameters returns $1, $2 …
func (f *frame) Parameters() ([]string, error) {
	if f.call.params.lost && slices.Contains(f.call.params.words, lostName) {
		return f.call.params.words, errLostSecret
	}
	return f.call.params.words, nil
}

// PID returns $$.
func (f *frame) PID() int { return f.run.Script.PID }

// ScriptDir returns the folder of a file of the script, with the links to it resolved; that in which the script began,
// of what was read from no file.
func (f *frame) ScriptDir(file *ast.Source) (string, error) {
	dir := f.run.Script.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return "", err
		}
	}
	if file.Typed {
		return dir, nil
	}
	path := file.Name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.EvalSymlinks(path)
	return filepath.Dir(path), err
}

// At gives a name as the system calls that end in "at" want it.
func (f *frame) At(name string) (dirFD int, relative string) { return f.state.dir.At(name) }

// Stream gives the descriptor that the name of a file means here.
func (f *frame) Stream(name string) (fd int, ok bool) {
	number, ok := f.run.World.Named(f.state.dir, name)
	return f.io.files.at(number), ok
}

// Lenient reports whether undefined variables are empty.
func (f *frame) Lenient() bool { return f.run.Mode.Lenient }

// Patterns keeps compiled patterns for the whole script.
func (f *frame) Patterns() *expand.Patterns { return &f.run.patterns }

// List returns ${error.items}; nil: nothing is left to do.
func (f *frame) List(ast.Dotted) *value.Sequence {
	if f.failure() == nil {
		return nil
	}
	return f.failure().left
}

// toldValue is a value of the failure that ${error.…} tells of. What the shell says of it shows no secrets; what
// the failed command wrote, and what a branch was given, is as it was; of a continued script the latter may not be
// known.
func (f *frame) toldValue(d ast.Dotted) (text string, known bool) {
	switch d {
	case ast.ErrorCommand, ast.ErrorMessage, ast.ErrorSummary:
		return f.failure().maskedBy(f.run.Secrets).value(d), true
	case ast.ErrorItem:
		known = f.failure() == nil || !f.failure().item.IsLost()
		return f.failure().value(d), known
	}
	return f.failure().value(d), true
}

// declareSecrets makes the variables of these names secret, with what they hold now.
func (f *frame) declareSecrets(names []string) {
	for _, name := range names {
		if f.run.secretNames == nil {
			f.run.secretNames = map[string]bool{}
		}
		f.run.secretNames[name] = true
		if number, known := f.run.names.Lookup(name); known {
			variable := &f.state.vars[number]
			variable.secret = true
			f.keepSecret(variable)
		}
	}
}

// keepSecret has the value of a secret variable masked from now on.
func (f *frame) keepSecret(v *variable) {
	if !v.set {
		return
	}
	if text, err := v.value.Exact(); err == nil {
		f.run.addSecret(text)
	}
}

// addSecret makes a value one of a secret: it is masked from now on, and taken out of the journal.
func (r *Runner) addSecret(text string) {
	if r.Secrets.Add(strings.TrimRight(text, "\n")) && r.durable != nil {
		r.durable.LeaveOut()
	}
}

// localVariable makes the variable of a `local`.
func (f *frame) localVariable(name string, value value.Value, set bool) variable {
	v := variable{value: value, set: set, declared: true, secret: f.run.isSecret(name)}
	if v.secret {
		f.keepSecret(&v)
	}
	return v
}

// isSecret reports whether the variables of a name are secret.
func (r *Runner) isSecret(name string) bool { return r.secretNames[name] }
