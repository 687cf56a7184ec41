package interp

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/files"
	"ftsh/interp/value"
	"ftsh/interp/world"
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

// at returns the descriptor of a number; closed: it is not open.
func (s *streams) at(number int) int {
	if number < 0 || number >= len(s) {
		return closed
	}
	return s[number]
}

// A frame is where a statement stands. It is made for that place, from the one around it, and is never switched: what
// runs further inside is given another frame, and this one stays as it is. What statements change lies behind it, in
// the state of the branch and in the call. A frame belongs to one goroutine.
type frame struct {
	run      *Runner // shared by all frames of a script
	state    *state  // of the branch
	call     *call   // of the function that is running
	scope    *scope
	try      *try         // the innermost one
	loop     *loopItem    // of the innermost loop over items; nil: outside of any
	io       *descriptors // what programs are given
	jobs     onJobs
	reaction *reaction // of the innermost group that reacts to a failure; nil: outside of any
	id       uint64    // of the execution that is under way, for events
	secret   bool      // in a group on start of a durable script: what it sets is not written
	// Without a journal, and within a unit, what follows is zero.
	place *durable.Place
	said  *durable.LastLine // of the unit that this runs in
}

// state holds the values that the statements of a branch change.
type state struct {
	vars    []variable
	hidden  []string        // what unset took out of the environment, of names that the script does not mention
	environ []string        // of programs; nil: to be made again
	umask   int             // one more than what the script has set; 0: it has not
	dir     files.Directory // where it stands
	failed  *Failure        // what ${error.…} tells of where nothing reacts to a failure; nil after a success
	dice    *rand.Rand
	branch  uint64 // the number of a fork, for events; exit, cd and exec concern it alone. 0: the script
	kept    *kept  // what the journal has of this; nil: there is none
	spare   *frame // of a call that has returned, for the next one
}

// call is the function that is running; outside of all it has the arguments of the script.
type call struct {
	up        *call // of the caller, in the same branch; nil: there is none
	function  *ast.Function
	commanded bool // it was called as a command, not for its value
	depth     int  // how many calls this is within
	locals    []variable
	params    parameters
	kept      *keptCall // what the journal has of this; nil: there is none
}

// reaction is the failure that a catch, finally or verify group reacts to; nil: a finally group, to a success.
type reaction struct{ failure *Failure }

// inside is another frame like this one, for whoever makes it to say what is different there.
func (f *frame) inside() *frame {
	g := *f
	return &g
}

// beginCall is the frame of a call. It may have the memory of one that has returned: calls that each had new memory
// took half as long again.
func (f *frame) beginCall(c call) *frame {
	g := f.state.spare
	if g == nil {
		b := &struct {
			frame
			call call
		}{}
		g, b.frame.call = &b.frame, &b.call
	}
	own := g.call
	*g, *own = *f, c
	g.call, g.state.spare = own, nil
	return g
}

// under is the frame for what runs within an execution that was announced.
func (f *frame) under(o observed) *frame {
	if o.id == 0 {
		return f
	}
	g := f.inside()
	g.id = o.id
	return g
}

// at is the frame for what stands at a place of the journal.
func (f *frame) at(place *durable.Place) *frame {
	if place == f.place {
		return f
	}
	g := f.inside()
	g.place = place
	return g
}

// keep returns the state that a structure keeps of the statement under way, see [durable.Keep]: own is where it stands
// without a journal, and within a unit, so that none is made on the heap.
func keep[T durable.Kept](f *frame, own *T) *T {
	if f.place == nil {
		return own
	}
	return durable.Keep[T](f.place)
}

// withDescriptors is another frame like this one, with descriptors of its own.
func (f *frame) withDescriptors() *frame {
	b := &struct { // one piece of memory
		frame
		descriptors descriptors
	}{*f, *f.io}
	b.io = &b.descriptors
	return &b.frame
}

// failure returns the failure that ${error.…} describes; nil after a success.
func (f *frame) failure() *Failure {
	if f.reaction != nil {
		return f.reaction.failure
	}
	return f.state.failed
}

// variable is the state of one variable.
type variable struct {
	value    value.Value
	set      bool
	exported bool
	declared bool // of a local: its `local` has run
	secret   bool // what it holds is never shown
}

// parameters is $1 …
type parameters struct {
	words  []string      // what they expand to
	lost   bool          // a word may be one that no journal has
	values []value.Value // as a call in an expression gave them: a copy of one has its newlines; nil: they are words
}

// returns makes the error by which the function that is running returns a value, or none.
func (f *frame) returns(v value.Value, given bool) *returned {
	return &returned{value: v, given: given, refused: given && f.call.commanded}
}

// copyVariables is the variables for another frame. What they hold is shared then.
func copyVariables(list []variable) []variable {
	for i := range list {
		list[i].shareValue()
	}
	return append([]variable(nil), list...)
}

// shareValue sees to it that a large value which something else refers to, too, is not closed with the variable.
func (v *variable) shareValue() {
	if blob, large := v.value.Blob(); large {
		blob.Share()
	}
}

// onJobs tells how programs run as jobs. Here, and outside of all structures, it is zero.
type onJobs struct {
	site     *site          // where programs run; nil: here
	crowd    world.Crowd    // of the branches of a forall, for jobs that go in together; nil: outside
	attempts world.Attempts // of the structures that try again around it; nil: there are none
}

// A site runs the programs of an `on`. Nil runs them here.
type site struct {
	world.Site
	try *try // the innermost one around the statement
}

// scope is a stretch of the script that can be cut off as a whole: a try with a
// time limit, one attempt of a try with `each`, a forall, a pipeline. Scopes
// nest; the outermost is the script, which a signal cuts off.
type scope struct {
	parent *scope
	ctx    context.Context
	depth  int   // of the script's own scope: 0
	limit  *cut  // the cause with which its own time limit cuts it off; nil: it has none
	until  bound // by the first of the time limits here
}

// bound is when the first of the time limits around passes, the kill timeout of a group that cleans up included.
type bound struct {
	at  time.Duration // on the clock, at the latest; if there is none: 0
	cut *cut          // with which it cuts off; nil: there is none
}

// descriptors holds what a frame's programs are given, and who needs what they write.
type descriptors struct {
	files       streams
	stderr      int                  // the script's standard error, or what stands for it in a branch whose output is kept
	sharedInput int                  // of a fork: standard input as those around it have it, too
	opener      *redirection         // the innermost one that is open, and that no other frame shares; nil: none is
	writing     []*redirection       // of a durable script: those around that write to files
	ends        *pipeEnds            // of the stage that this is, or is part of; nil: of none
	expanded    map[*ast.Word]string // words of redirections with a ${ command } that has run already
	owed        int32                // how many redirections around have to keep what is written
	piped       bool                 // a stage whose reader may have enough: ending for that is no failure
}

// invocation is a simple command with its words expanded, or a call of a function.
type invocation struct {
	node   *ast.Command // as it is written; nil: a call in an expression
	pos    ast.Pos
	args   []string      // the words; the first is the name
	values []value.Value // of a call in an expression: what the words after the name were
	test   bool          // it decides an if or while: status 1 means no
}

// A role says what else a command decides or feeds.
type role struct {
	test    bool           // see invocation
	words   []string       // the command's words, if they are expanded; else nil
	outputs *[]world.Draft // of a stage: where atomic output waits for the end of its pipeline
}

// pipeEnds are the shell's own ends of the pipes around a stage.
type pipeEnds struct {
	stage *ast.Command
	close func()
}

func newPipeEnds(r *Runner, stage *ast.Command, ends []int) *pipeEnds {
	return &pipeEnds{stage, sync.OnceFunc(func() { r.World.Close(ends) })}
}

// letGoFor is called once the program of a command runs: if that is the stage itself it needs the shell's ends
// no more. With them the stage behind would not see the end of its input as long as the shell is stopped.
func (e *pipeEnds) letGoFor(c *ast.Command) func() {
	if e == nil || c != e.stage {
		return nil
	}
	return e.close
}

// A loopItem is the item that a loop has come to. The loop alone changes it, from turn to turn.
type loopItem struct {
	items *value.Sequence
	at    int         // its index in them
	item  value.Value // of the innermost forall or forany
}

// number counts the items up to that one; 0: there is no loop.
func (l *loopItem) number() int {
	if l == nil {
		return 0
	}
	return l.at + 1
}

// item is that of the innermost forall or forany.
func (f *frame) item() (item value.Value) {
	if f.loop != nil {
		item = f.loop.item
	}
	return item
}

// fork makes the frame for something that runs beside the rest. It sees what the
// original sees; nothing that it changes comes back, unless adoptFork is called. Whoever
// makes it calls leaveFork when it has ended.
func (f *frame) fork(ctx context.Context) *frame {
	f.putAside()
	b := &struct { // one piece of memory
		frame
		state       state
		call        call
		scope       scope
		descriptors descriptors
	}{*f, *f.state, *f.call, scope{parent: f.scope, ctx: ctx, depth: f.scope.depth + 1, until: f.scope.until}, *f.io}
	branch := &b.frame
	branch.state, branch.call, branch.scope, branch.io = &b.state, &b.call, &b.scope, &b.descriptors
	b.state.vars, b.state.dir, b.state.branch = copyVariables(f.state.vars), f.state.dir.Share(), f.run.branches.Add(1)
	b.state.spare = nil
	b.state.dice = rand.New(rand.NewPCG(f.state.dice.Uint64(), f.state.dice.Uint64()))
	b.call.locals, b.call.up = copyVariables(f.call.locals), nil
	b.descriptors.sharedInput, b.descriptors.opener = f.io.files[0], nil
	branch.jobs.crowd = nil
	return branch
}

// leaveFork ends a fork.
func (f *frame) leaveFork() { f.standInDirectory(files.Directory{}) }

// adoptFork takes over what a fork that was chosen has changed.
func (f *frame) adoptFork(branch *frame) {
	from, to := branch.state, f.state
	to.vars, to.environ, to.hidden, to.failed = from.vars, from.environ, from.hidden, from.failed
	f.call.locals, f.call.params = branch.call.locals, branch.call.params
	f.standInDirectory(from.dir.Share())
}

// standInDirectory has the frame stand in another directory, which it then owns.
func (f *frame) standInDirectory(d files.Directory) {
	f.state.dir.Leave()
	f.state.dir = d
}

// copyForFork returns a copy of what Fork needs of a frame.
func (f *frame) copyForFork() *frame {
	if f == nil {
		return nil
	}
	return &frame{
		state: &state{vars: copyVariables(f.state.vars), hidden: f.state.hidden, dir: f.state.dir.Share(),
			failed: f.failure(), dice: rand.New(rand.NewPCG(f.state.dice.Uint64(), f.state.dice.Uint64()))},
		call: &call{params: f.call.params, function: f.call.function},
	}
}

// putAside keeps a copy of the script's own frame for Fork: what is about to run may be stopped, and be
// cut off by a limit while it is.
func (f *frame) putAside() {
	if f.run.Mode.Aside && f.state.branch == 0 {
		f.run.aside.put(f.copyForFork())
	}
}

// aside is the script's own frame as it was when a program began last, or a function, with Config.Aside.
type aside struct {
	mu    sync.Mutex
	frame *frame
}

// put replaces it; nil: there is none.
func (a *aside) put(f *frame) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.frame != nil {
		if f != nil && f.call.function != nil {
			f.call.params = a.frame.call.params // the script's own, as when it called the function
		}
		a.frame.leaveFork()
	}
	a.frame = f
}

// get returns a copy with a share of its own in the directory; nil: there is none.
func (a *aside) get() *frame {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.frame == nil {
		return nil
	}
	return a.frame.copyForFork()
}
