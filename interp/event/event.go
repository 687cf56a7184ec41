package event

import (
	"syscall"
	"time"

	"ftsh/ast"
)

// The levels: what a log of that level shows, besides all of the lower ones.
const (
	Nothing    = 0
	Summary    = 5  // how the script failed, once it has, and what was left behind; the default
	Failures   = 10 // every failed command, and the ends of structures that add something to it
	Commands   = 20 // commands and their statuses
	Structures = 30 // attempts, waits, branches, turns of loops
	Processes  = 40 // processes and signals
)

// Event is one thing that happened. Only Kind must be set; the other fields are
// filled where they mean something, and their zero values stand for "none".
type Event struct {
	Kind Kind      // what happened
	Time time.Time // when; zero means when the observer sees it
	Pos  ast.Pos   // of the statement; the zero Pos where the whole shell is meant

	// ID numbers the execution of a statement (a command, a try, a loop, a call)
	// within the shell, from 1: all events of that execution carry it. Parent is
	// the ID of the execution that it is part of, 0 at the top.
	ID, Parent uint64
	// Branch numbers what runs beside others (a branch of a forall, a hedged alternative, a stage of
	// a pipeline) within the shell, from 1; 0: the script itself.
	Branch uint64

	Command []string // the words of a command, or of a call and its arguments, after expansion
	Name    string   // the variable of a loop or an assignment, the function called
	Value   string   // the item of a loop, the value assigned, the truth of a condition
	PID     int      // the process started, ended or signalled

	Status  int            // exit status, 128+signal for death by a signal
	Signal  syscall.Signal // what a process died of, what was sent, what the shell received
	Core    bool           // it dumped core
	Failure string         // the kind of failure: exit, signal, missing, timeout …
	Reason  string         // why a try stopped: attempts, deadline, giveup …
	Message string         // what went wrong, in words
	Stderr  string         // the last line that a failed command wrote to standard error; of a job, the last three

	// Of a forall that kept going, and of the script that failed with it: the first items that failed, and how many
	// of Count; 0 unless there were several, and the others succeeded.
	Items []string
	Left  int

	Job *Job // of a job that has ended; nil: nothing is known of that

	Passed bool // of the end of a structure: it only passes a failure on that was told of; its level is Structures
	terse  bool // a log tells it that does not tell structures: their begin and end are not around it

	Attempt int // of a try: the attempt meant, from 1; when it ends, how many were made (0: there was no try)
	Limit   int // how many attempts, or branches at a time, are allowed; 0 means any number
	Count   int // how many items or branches there are; how many lines were lost

	Wait      time.Duration // until the next attempt
	Elapsed   time.Duration // since the start of what ended (of a try: at an attempt, too)
	Remaining time.Duration // until the time limit; 0 without one
}

// Job holds what was asked for a job of a batch system, and what it has used besides the time.
type Job struct {
	Asked  []string      // options, as they were written
	CPU    time.Duration // of all its processes
	Memory int64         // in bytes, of the process that had the most
}

// Level is the level from which on a log shows an event: that of its kind, unless it was Passed.
func (e *Event) Level() int {
	level := e.Kind.row().level
	if e.Passed {
		return max(level, Structures)
	}
	return level
}

// Observer is told what happens. Both methods are called from many goroutines
// at the same time.
type Observer interface {
	// Enabled reports whether events of that level are wanted. It must be cheap:
	// it is asked before the event is put together.
	Enabled(level int) bool
	// Observe is called while the script waits: it must not take long. It does not
	// keep Command.
	Observe(e Event)
}
