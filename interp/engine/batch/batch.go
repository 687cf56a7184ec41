// Package batch is what a batch system must be able to do for the shell to run jobs there: five
// operations (submit, list, cancel, classify a state, and tell of limits: [Full]). All else,
// claims, statuses, the shared list, pilots and crowds, is the room engine's, and the same for all.
//
// A submission is no promise: it may be repeated when its answer was lost, and arrive twice. The
// name is what finds a job again; numbers are for people, as some systems give them out twice.
package batch

import "context"

// Kind is how a job ended. Besides these there are the kinds of failures of programs, as the runner
// says them: exit, signal, missing, redirect and others.
type Kind string

// The kinds that a batch system knows.
const (
	Succeeded Kind = ""
	Lost      Kind = "lost"
	Memory    Kind = "memory"
	Timeout   Kind = "timeout"
	Cancelled Kind = "cancelled"
	Mistake   Kind = "error"
)

// System is a batch system: what a second one needs besides what this package has.
// Implementations are safe for concurrent use.
type System interface {
	// Submit hands over a script of /bin/sh under a name, once.
	Submit(ctx context.Context, s Submission) Answer
	// List lists the jobs of this user, those that have ended lately among them.
	List(ctx context.Context) ([]Entry, error)
	// Cancel ends all jobs with these names, whatever their numbers.
	Cancel(ctx context.Context, names []string) error
	// Classify says what an entry's state means.
	Classify(e Entry) Verdict

	// Requeues reports whether options let a job begin again.
	Requeues(options []string) bool
	// Owns reports whether a variable is one that the batch system sets for each job.
	Owns(name string) bool
	// Here tells a job of itself, by its variables.
	Here(lookup func(string) string) (number, node string)
}

// Submission is what is handed to the batch system.
type Submission struct {
	Name    string // unique; letters, digits, and . _ -
	Script  string
	Log     string // where the batch system writes what goes wrong before the script runs
	Options []string
}

// Entry is a line of the queue.
type Entry struct{ Number, Name, State, Reason, Node string }

// Stage is where a job is.
type Stage uint8

// The stages of a job.
const (
	Queued  Stage = iota
	Running       // or about to, or just ending
	Ended
	Never // it will never start
)

// Verdict is what a state means; Kind and Message are of a job that has ended or never starts.
type Verdict struct {
	Stage   Stage
	Kind    Kind
	Message string
}

// Receipt is what is known after a submission.
type Receipt uint8

// What is known after a submission.
const (
	Accepted Receipt = iota
	Refused          // it will never be accepted
	Full             // not now: the user has as many jobs as the site allows
	Absent           // it was not submitted, but may be another time
	Doubtful         // nobody knows
)

// Answer is what a submission came to.
type Answer struct {
	Receipt Receipt
	Number  string
	Message string
}
