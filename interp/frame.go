package interp

import (
	"context"
	"math/rand/v2"
	"slices"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/expand"
	"ftsh/interp/files"
	"ftsh/interp/jobs"
)

// closed stands in a stream table where a descriptor is not open.
const closed = -1

// streams maps descriptors 0 to 9 of a program to ours, or to closed.
type streams [10]int

// upToLastOpen is the table up to the last stream that is open.
func (s *streams) upToLastOpen() []int {
	n := len(s)
	for n > 0 && s[n-1] == closed {
		n--
	}
	return s[:n]
}

// A frame holds what a statement sees: variables, parameters, directory, streams and limits. A function
// call changes its frame and changes it back; what runs beside the rest (a branch of forall, a hedged
// alternative, a stage of a pipeline) gets a fork. A frame belongs to one goroutine.
type frame struct {
	run      *Runner // shared by all frames of a script
	scope    *scope
	try      *try           // the innermost one
	site     *site          // where programs run; nil: here
	crowd    *jobs.Crowd    // of the branches of a forall, for jobs that go in together; nil: outside
	item     expand.Value   // of the innermost forall or forany
	attempts *jobs.Attempts // of the structures that try again around it; nil: there are none
	atItem   loopItem       // of the innermost loop over items
	failed   *Failure       // what ${error.…} tells of, nil after a success
	variables
	dir files.Directory // where it stands
	descriptors
	dice *rand.Rand
	forked
	recorded
}

// variables gives names their values in a frame.
type variables struct {
	vars     []variable
	locals   []variable // of the function that is running
	params   parameters
	function *ast.Function // that is running, nil outside
	depth    int           // of function calls
	hidden   []string      // what unset took out of the environment, of names that the script does not mention
	environ  []string      // of programs; nil: to be made again
}

// descriptors holds what a frame's programs are given, and who needs what they write.
type descriptors struct {
	files       streams
	stderr      int       // the script's standard error, or what stands for it in a branch whose output is kept
	sharedInput int       // of a fork: standard input as those around it have it, too
	ends        *pipeEnds // of the stage that this is, or is part of; nil: of none
	owed        int32     // how many redirections around have to keep what is written
	piped       bool      // a stage whose reader may have enough: ending for that is no failure
}

// forked tells a frame apart from the others of its script.
type forked struct {
	branch uint64 // the number of a fork, for events; exit, cd and exec concern it alone. 0: the script
	id     uint64 // of the execution that is under way, for events
}

// recorded holds the further state of a durable script's frame. Without a journal all of it is zero.
type recorded struct {
	place   *durable.Place    // nil: nothing is recorded, as within a unit
	said    *durable.LastLine // of the unit that this runs in; nil: outside
	kept    *kept             // the state that the journal has
	secret  bool              // in a group on start: what it sets is not written
	writing []*redirection    // of the blocks around that write to files
}

// variable is the state of one variable.
type variable struct {
	value    expand.Value
	set      bool
	exported bool
	declared bool // of a local: its `local` has run
	secret   bool // what it holds is never shown
}

// parameters is $1 …
type parameters struct {
	words  []string       // what they expand to
	lost   bool           // a word may be one that no journal has
	values []expand.Value // as a call in an expression gave them: a copy of one has its newlines; nil: they are words
}

// fork makes the frame for something that runs beside the rest. It sees what the
// original sees; nothing that it changes comes back, unless adopt is called. Whoever
// makes it calls close when it has ended.
func (f *frame) fork(ctx context.Context) *frame {
	f.putAside()
	branch := *f
	branch.dir, branch.sharedInput = f.dir.Share(), f.files[0]
	branch.vars, branch.locals = copyVariables(f.vars), copyVariables(f.locals)
	branch.scope = &scope{parent: f.scope, ctx: ctx, depth: f.scope.depth + 1, until: f.scope.until}
	branch.dice = rand.New(rand.NewPCG(f.dice.Uint64(), f.dice.Uint64()))
	branch.branch, branch.crowd = f.run.branches.Add(1), nil
	return &branch
}

// leaveFork ends a fork.
func (f *frame) leaveFork() { f.standInDirectory(files.Directory{}) }

// adoptFork takes over what a fork that was chosen has changed.
func (f *frame) adoptFork(branch *frame) {
	f.vars, f.locals, f.params = branch.vars, branch.locals, branch.params
	f.environ, f.hidden, f.failed = branch.environ, branch.hidden, branch.failed
	f.standInDirectory(branch.dir.Share())
}

// variableOf returns the variable that a mention means: the function's own once its
// `local` has run, else the global one.
func (f *frame) variableOf(v *ast.Var) *variable {
	if v.Local > 0 && v.Local <= len(f.locals) && f.locals[v.Local-1].declared {
		return &f.locals[v.Local-1]
	}
	if v.Number >= len(f.vars) {
		f.growVariables()
	}
	return &f.vars[v.Number]
}

// growVariables makes room for variables that were mentioned since the frame was made,
// as happens at the prompt.
func (f *frame) growVariables() {
	f.vars = slices.Grow(f.vars, f.run.names.Len()-len(f.vars))
	for n := len(f.vars); n < f.run.names.Len(); n++ {
		value, inherited := f.run.inherited(f.run.names.Name(n))
		f.vars = append(f.vars, variable{value: expand.String(value), set: inherited, exported: inherited})
	}
}

// assign gives a variable its value and keeps the environment in step.
func (f *frame) assign(v *ast.Var, value expand.Value) {
	if f.secret {
		f.run.secret.add(v.Name, value)
	}
	variable := f.variableOf(v)
	variable.dropValue()
	variable.value, variable.set = value, true
	if variable.secret {
		f.keepSecret(variable)
	}
	if variable.exported {
		f.environ = nil
	}
}

// The methods below answer the room expand; see expand.Env.

// Variable returns a variable's value; false if it was never set.
func (f *frame) Variable(v *ast.Var) (expand.Value, bool) {
	variable := f.variableOf(v)
	return variable.value, variable.set
}

// Lookup finds a variable by its name, also one that the script does not mention.
func (f *frame) Lookup(name string) (expand.Value, bool) {
	if number, known := f.run.names.Lookup(name); known {
		return f.Variable(&ast.Var{Name: name, Number: number, Local: f.localNumber(name)})
	}
	value, inherited := f.run.inherited(name)
	return expand.String(value), inherited && !slices.Contains(f.hidden, name)
}

// localNumber returns the number of a local of the running function, 0 if it has none of that name.
func (f *frame) localNumber(name string) int {
	if f.function == nil {
		return 0
	}
	return slices.Index(f.function.Locals, name) + 1
}

// Parameter returns $n.
func (f *frame) Parameter(n int) (expand.Value, bool) {
	switch {
	case n == 0:
		return expand.String(f.run.Name), true
	case n > len(f.params.words):
		return expand.Value{}, false
	case f.params.values != nil:
		return f.params.values[n-1], true
	case f.params.lost && f.params.words[n-1] == lostName:
		return expand.Lost(errLostSecret), true
	}
	return expand.String(f.params.words[n-1]), true
}

// Parameters returns $1, $2 …
func (f *frame) Parameters() ([]string, error) {
	if f.params.lost && slices.Contains(f.params.words, lostName) {
		return f.params.words, errLostSecret
	}
	return f.params.words, nil
}

// PID returns $$.
func (f *frame) PID() int { return f.run.pid }

// At gives a name as the system calls that end in "at" want it.
func (f *frame) At(name string) (dirFD int, relative string) { return f.dir.At(name) }

// Lenient reports whether undefined variables are empty.
func (f *frame) Lenient() bool { return f.run.Config.Lenient }

// Patterns keeps compiled patterns for the whole script.
func (f *frame) Patterns() *expand.Patterns { return &f.run.patterns }

// Call runs a function for its value.
func (f *frame) Call(ctx context.Context, call *ast.Call, args []expand.Value) (expand.Value, error) {
	return f.callForValue(ctx, call, args)
}
