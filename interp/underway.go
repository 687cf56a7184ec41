package interp

import (
	"encoding/json"
	"regexp"
	"sync/atomic"
	"time"

	"ftsh/ast"
	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/interp/durable"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

// A header holds what the clauses of a try say, evaluated, and nothing of it changes while the try runs. The
// journal of a durable script keeps it as it is.
type header struct {
	Start      time.Duration `json:"start"`             // in the script's time, in the journal
	Limit      time.Duration `json:"limit,omitempty"`   // 0: none
	Plan       backoff.Plan  `json:"plan"`              // its Deadline is for this run
	Allowed    int           `json:"allowed,omitempty"` // attempts, for events; 0: any number
	Before     int           `json:"before,omitempty"`  // attempts before that in which a unit was taken as done
	Each       time.Duration `json:"each,omitempty"`
	Why        string        `json:"why,omitempty"`     // what the time limit says when it cuts off
	Selects    bool          `json:"selects,omitempty"` // there is an only on or except on
	Except     bool          `json:"except,omitempty"`
	Conditions []condition   `json:"conditions,omitempty"`
	Unknown    []condition   `json:"unknown_on,omitempty"`
	Watches    bool          `json:"watches,omitempty"` // a condition needs what commands write to standard error
	Key        string        `json:"key"`
	Anew       bool          `json:"anew,omitempty"` // what holds a secret was left out, and is evaluated again
	via        *passage      // nil: no resource; it is asked for anew in each run
}

func (*header) JournalKey() string { return durable.KeyTry }

// try is a try that is under way: what the script says of it, and what has come of
// it so far. It belongs to the frame that the try stands in; what runs beside each
// other in its groups sees it too, and changes nothing but the floors.
type try struct {
	frame     *frame
	outer     *try // the one around it; nil: there is none
	pos       ast.Pos
	node      *ast.Try
	header    header
	output    restarted
	execution observed

	depth  int            // of the scope that the try stands in
	calls  int            // how many function calls it stands in
	groups *frame         // of the catch and finally groups
	inside *frame         // of the attempts, which the time limit cuts off
	jobs   world.Attempts // of its attempts
	tryState
}

// A tryState holds all that changes of a try.
type tryState struct {
	phase    phase
	entering phase         // while sensing: what the sense group lets begin, attempting or verifying
	start    time.Duration // on the clock
	number   int           // of the attempt, from 1
	last     *Failure      // how the attempt before failed, or was deferred; nil: there was none
	before   *Failure      // how the attempt before the one under way failed; nil: it is the first
	tried    int           // attempts that failed, with those of tries within
	caught   *Failure      // what the catch group reacts to
	floor    atomic.Int64  // the earliest start of the next attempt on the clock, from retryafter; 0: none
	began    time.Duration // the attempt under way, in a durable script; 0: now
	past     *tryProgress  // how far an earlier run has come; nil: it has not
	granted  bool          // a person allows one attempt more
	watching bool          // somebody wants what failing commands write to standard error
	late     bool          // the finally group began after a limit around the try had passed
}

// A tryProgress tells how far a try has come. Its moments are in the script's time.
type tryProgress struct {
	durable.Try
	State  backoff.State   `json:"state"`
	Began  time.Duration   `json:"began,omitempty"` // the attempt under way
	Last   *savedFailure   `json:"last,omitempty"`
	Before *savedFailure   `json:"before,omitempty"`
	Tried  int             `json:"tried,omitempty"`
	Jobs   json.RawMessage `json:"jobs,omitempty"`   // that failed in its attempts
	Ended  *savedEnding    `json:"ended,omitempty"`  // how the attempts ended, or the catch group
	Caught *savedFailure   `json:"caught,omitempty"` // what the catch group reacted to
	Late   bool            `json:"late,omitempty"`   // the finally group began after a limit around the try had passed
}

func (*tryProgress) JournalKey() string { return new(durable.Try).JournalKey() }

// phase is the part of a try that is running.
type phase uint8

const (
	attempting phase = iota // its group
	sensing                 // the sense group of its resource, before an attempt or a verify
	verifying               // its verify group
	decided                 // none: no further attempt will be made
	catching                // its catch group
	cleaning                // its finally group
)

// servedPhase returns the phase that is under way; of a sense group the one that it lets begin.
func (t *tryState) servedPhase() phase {
	if t.phase == sensing {
		return t.entering
	}
	return t.phase
}

// passage is what a try knows of the resource that its attempts go by.
type passage struct {
	name  string
	rules shared.Rules
	sense *ast.Sense // nil: there is none
	gate  world.Gate // nil: its state could not be opened yet

	inside bool         // an attempt is under way, or its sense group
	floor  atomic.Int64 // what retryafter said in it, on the clock; 0: nothing
}

// condition is one condition of only on, except on or unknown on.
type condition struct {
	From     int64          `json:"from,omitempty"` // exit statuses, if Kind and Pattern are not set
	To       int64          `json:"to,omitempty"`
	Kind     Kind           `json:"kind,omitempty"`    // of a failure
	Pattern  string         `json:"pattern,omitempty"` // sought in standard error
	compiled *regexp.Regexp // of the pattern; nil: it is none
}

// redirection is the redirections of one statement. What open has opened ends with
// finish, which keeps what was written, or discard, which drops it.
type redirection struct {
	frame   *frame           // in which it stands
	inside  *frame           // of what runs with it, made by open
	list    []*ast.Redirect  // at least one
	words   []string         // of the command that they stand on
	from    *files.Directory // where relative names begin; nil: where the frame stands
	hedged  bool             // of a hedged alternative: what it writes goes to files apart until it has won
	waiting *[]world.Draft   // of a stage: where atomic output waits for the end of its pipeline

	opened   []int         // our descriptors, to be closed
	captures []capture     // into variables
	outputs  []world.Draft // written beside their targets
	aparts   []world.Apart // of hedged alternatives
	inputs   []*durable.Input
	carries  bool       // of a block: what it has read is kept if it fails
	kept     *keptNames // of a durable script: the names of files; nil: it is none
	parked   *parked    // what an earlier run has written; nil: nothing
	node     string     // of the try or forany of which what was written is parked; "": it is not
}

// capture is output on its way into a variable.
type capture struct {
	world.Capture
	target *ast.Var
}

// restarted is the redirections of a try or forany, which begin afresh with each
// attempt, so that only what counted remains.
type restarted struct {
	frame   *frame
	list    []*ast.Redirect
	hedged  bool
	current *redirection
	single  bool             // one group runs, once
	from    *files.Directory // where relative names begin: where the try or forany did; nil: where the frame stands
	around  around
	kept    *keptNames // of a durable script; nil: it is none
	parked  bool       // the journal has what was written
}

// around is the standard input and output that a try or forany has from around it, as they were when its first attempt
// or alternative began: each further one begins there, and so does the catch group. Branches and stages share what they
// have from around, and leave it as it is.
type around struct {
	known  bool
	input  int64 // the offset; -1: it cannot be set back
	output cutPoint
}

// A cutPoint is a place in output that a redirection around has opened.
type cutPoint struct {
	capture world.Capture // of ->; nil: it is a file
	fd      int
	at      int64 // -1: there is none
}

// What the journal has of redirections.
const (
	keyParked = "parked" // of a try or forany: [parked]
	keyFiles  = "files"  // of a block: the names of those that it writes to
)

// keptNames is the names of the files that a block reads and writes to.
type keptNames struct {
	names []durable.Text
	past  []durable.Text // as an earlier run has opened them
}

// fileNames are those of a block, as the journal has them.
type fileNames []durable.Text

func (*fileNames) JournalKey() string { return keyFiles }

// parked holds the output of an attempt or alternative that has ended, which reaches its target when the whole try or
// forany ends: to variables, and to files that replace others. Its end in the journal must not be without that.
type parked struct {
	Captured []durable.Value `json:"captured,omitempty"` // in the order of the redirections, as the files
	Files    []parkedFile    `json:"files,omitempty"`
}

func (*parked) JournalKey() string { return keyParked }

// parkedFile is atomic output that has a name beside its target, and is on disk.
type parkedFile struct {
	Name   durable.Text `json:"name"`
	Target durable.Text `json:"target"`
	Inode  uint64       `json:"inode"`
}

// kept is the state of a frame that the journal has: variables, directory and the last
// failure stand at the node of its script or branch.
type kept struct {
	path   string
	vars   []variable
	dir    string
	stands savedDirectory
	failed *Failure
	told   toldFailure
	hidden int // names in hidden
	umask  int
}

// A keptCall is the journal's copy of a running call, or of the script outside of all calls.
type keptCall struct {
	path    string
	locals  []variable
	params  parameters
	settled bool // of a caller: it was compared since it waits for the function that it has called
}
