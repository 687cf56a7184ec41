package interp

import (
	"context"
	"math/rand/v2"

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
