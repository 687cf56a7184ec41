package interp

import (
	"maps"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/interp/files"
)

// What a prompt asks of its Runner, between two runs.

// Functions lists the functions that are defined, sorted.
func (r *Runner) Functions() []string {
	return slices.Sorted(maps.Keys(r.functions))
}

// Resources lists the resources that are described, sorted.
func (r *Runner) Resources() []string {
	return slices.Sorted(maps.Keys(r.resources))
}

// Variables lists the variables that are set, or came with the environment, sorted.
func (r *Runner) Variables() []string {
	set := map[string]bool{}
	for _, entry := range r.Script.Environ {
		name, _, _ := strings.Cut(entry, "=")
		set[name] = r.frame == nil || !slices.Contains(r.frame.state.hidden, name)
	}
	for n := range r.mentioned() {
		name := r.names.Name(n)
		_, set[name] = r.frame.Lookup(name)
	}
	maps.DeleteFunc(set, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(set))
}

// mentioned counts the variables that any script so far has mentioned.
func (r *Runner) mentioned() int {
	if r.frame == nil {
		return 0
	}
	r.frame.growVariables()
	return len(r.frame.state.vars)
}

// Lookup returns the text of a variable; false if it is not set, or has none.
func (r *Runner) Lookup(name string) (string, bool) {
	if r.mentioned() == 0 {
		return r.inherited(name)
	}
	value, set := r.frame.Lookup(name)
	if !set {
		return "", false
	}
	text, err := value.Text()
	return text, err == nil
}

// Directory is the absolute name of the directory that the script is in; "" if
// it cannot be told.
func (r *Runner) Directory() string {
	f := r.frame
	if f == nil {
		f = &frame{state: &state{dir: files.Directory{Name: r.Script.Dir}}}
	}
	dir, err := f.directory()
	if err != nil {
		return ""
	}
	return dir
}

// Finder returns what finds the path of a program that a command would run now. It may be
// called beside a run, and keeps to the PATH and the directory that there are now.
func (r *Runner) Finder() func(name string) (string, error) {
	path, set := r.Lookup("PATH")
	if !set {
		path = usualPath
	}
	dir := r.Directory()
	return func(name string) (string, error) { return r.World.Find(name, path, files.Directory{Name: dir}) }
}

// Names is the numbering of variables that further scripts must be parsed with.
func (r *Runner) Names() *ast.Names {
	if r.names == nil {
		r.names = &ast.Names{}
	}
	return r.names
}

// Fork makes a Runner that goes on from where this one is: with its variables,
// functions and directory as they are now. What either does from then on
// does not concern the other. Change may change the configuration.
//
// Alone of all methods it may be called while Run is under way, with Config.Aside,
// when the processes that it waits for are stopped: it then goes on from where these
// were started. The new one stands outside of the functions and redirections that the other is in.
func (r *Runner) Fork(change func(*Config)) *Runner {
	config := r.Config
	change(&config)
	fork := New(config)
	fork.names, fork.functions = r.Names().Clone(), maps.Clone(r.functions)
	fork.resources = maps.Clone(r.resources)
	f := r.aside.get()
	if f == nil {
		f = r.frame.copyForFork()
	}
	if f != nil {
		fork.frame = &frame{run: fork,
			state: f.state,
			call:  &call{params: f.call.params},
			io:    &descriptors{files: standardStreams(config.Script.Files), stderr: r.frame.io.stderr},
		}
	}
	return fork
}
