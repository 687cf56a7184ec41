// Package batch says what a batch system must be able to do for the shell to run jobs there: five
// operations (submit, list, cancel, classify a state in the list, and tell of limits: [Full]). All else,
// claims, statuses, the shared list, pilots and crowds, is the room jobs's, and the same for all.
//
// A submission is no promise: it may be repeated when its answer was lost, and arrive twice. The
// name is what finds a job again; numbers are for people, as some systems give them out twice.
//
// # Other batch systems
//
// Slurm and Grid Engine are built. How the operations would be done elsewhere, from the documents of these
// systems and not measured; KEY is the name of a [Submission]:
//
//	HTCondor      submit    condor_submit -terse -append '+FtshKey="KEY"'; "Failed to commit job
//	                        submission" without a reason in the next line is in doubt
//	              list      condor_q -constraint 'FtshKey=!=undefined' -af ClusterId FtshKey JobStatus
//	                        HoldReasonCode, then condor_history -limit for those that have left
//	              cancel    condor_rm -constraint 'FtshKey=="KEY"'
//	              classify  1 idle and 5 held are queued (HoldReasonCode 34: memory), 2 running,
//	                        3 removed, 4 completed; evicted jobs start again, as with --requeue
//	              limits    MAX_JOBS_PER_OWNER, told as a refusal: Full
//	              missing   nothing; the vanilla universe needs a folder that all nodes see
//	PBS           submit    qsub -N KEY (15 characters in old ones: the key goes to -v FTSH_KEY=KEY),
//	                        prints the number; exit 15xxx codes tell refusals
//	              list      qstat -x -f -F json, once for all; -x only where history is kept
//	              cancel    qdel NUMBER: after a list, as it takes no names
//	              classify  Q H W queued, R E running, F with Exit_status (137: memory or killed; the
//	                        comment tells), -rn keeps it from starting again
//	              limits    max_queued, told as "would exceed": Full
//	              missing   a list by name, the reason why a job was ended
//	Kubernetes    submit    create of a Job named KEY, backoffLimit 0: the name makes it exactly once by
//	                        itself (409: it is there)
//	              list      get jobs,pods -l ftsh=SESSION -o json
//	              cancel    delete job KEY --cascade=foreground
//	              classify  a pod's phase and reasons: OOMKilled memory, DeadlineExceeded timeout,
//	                        Evicted, NodeLost lost, ErrImagePull never
//	              limits    ResourceQuota, told by status 403 "exceeded quota": Full
//	              missing   a shared folder (a ReadWriteMany volume) and an image with the programs
//
// So the interface holds, with one thing to add for PBS: a cancel by numbers. What is named in
// [System] beyond the five (Requeues, Array, Owns, Left, Here, Exit) is a table for each; a system
// that sends no signals, or never gives up a job, says so. The second
// engine has shown three things that the first did not need: tasks whose numbers begin with 1, arrays that count
// as one job (both in [Array]), and exit statuses that mean something to the batch system ([System.Exit]).
package batch

import (
	"cmp"
	"context"
	"strconv"
	"syscall"
	"time"
)

// A Kind says how a job fares. Besides these there are the kinds of failures of programs, as the runner
// says them: exit, signal, missing, redirect and others.
type Kind string

// The kinds that a batch system knows. A job of the first two is under way.
const (
	Queued    Kind = "queued"
	Running   Kind = "running" // or about to, or just ending
	Succeeded Kind = ""
	Lost      Kind = "lost"
	Memory    Kind = "memory"
	Timeout   Kind = "timeout"
	Cancelled Kind = "cancelled"
	Mistake   Kind = "error" // it will never start
)

// Unanswered is the failure of a request that the batch system may answer another time.
type Unanswered struct {
	Said string // "": nothing was said for as long as somebody wanted to know
}

func (u *Unanswered) Error() string { return cmp.Or(u.Said, "the batch system said nothing") }

// System is a batch system: what a second one needs besides what this package has.
// Implementations are safe for concurrent use.
type System interface {
	// Address names the cluster and where its controller is, for a folder's name. It fails if jobs cannot run there; with
	// [Unanswered] where that may be another matter soon.
	Address(ctx context.Context) (string, error)
	// Submit hands over a script of /bin/sh under a name, once.
	Submit(ctx context.Context, s Submission) Answer
	// List lists the jobs of this user, those that have ended lately among them.
	List(ctx context.Context) ([]Entry, error)
	// Cancel ends all jobs with these names, whatever their numbers.
	Cancel(ctx context.Context, names []string) error

	// Signals reports whether a signal can be sent to the first process of a job alone, which then ends the others.
	Signals() bool
	// Signal sends one to the runners of all jobs with these names.
	Signal(ctx context.Context, names []string, signal syscall.Signal) error
	// GaveUp reports whether the batch system has cancelled a job by itself, as it could not start it. It is asked of
	// jobs that were not to be requeued, are listed as cancelled and have not begun. Where there is no answer, somebody
	// has cancelled the job.
	GaveUp(ctx context.Context, e Entry) bool

	// Requeues reports whether options let a job begin again.
	Requeues(options []string) bool
	// Array says how arrays are done.
	Array() Array
	// Owns reports whether a variable is one that the batch system sets for each job, and whether nobody else may set it.
	Owns(name string) (owned, reserved bool)
	// Left tells a job, by its number, how long it may still run; known is false where there is no limit.
	Left(ctx context.Context, number string) (left time.Duration, known bool)
	// Here tells a job of itself, by its variables; group is what its own control group is called: a component of that
	// one's path; "": it has none.
	Here(lookup func(string) string) (number, node, group string)
	// Exit is the exit status of a job whose programs ended with a status: some mean something to a batch system.
	Exit(status int) int
}

// A Submission is handed to the batch system.
type Submission struct {
	Name    string // unique; letters, digits, and . _ -
	Script  string
	Log     string // where the batch system writes what goes wrong before the script runs
	Options []string
	Comment string // where the job comes from; the list of the batch system shows it
	Dir     string // what that shows as its working directory
	Tasks   int    // more than 1: an array of so many
}

// Array says how arrays are done.
type Array struct {
	Most     int    // tasks of one where the site has not said otherwise; less than 2: there are none
	Variable string // of the environment of a task, that holds its number
	First    int    // the number of the first task there
	AsOne    bool   // it counts as one job where a site limits these, so that a smaller one gets in no sooner
	Number   func(array string, task int) string
}

// Name is the name of an entry, and of what is to be cancelled, that is a task of an array; the first one is 0.
func (Array) Name(array string, task int) string { return array + "/" + strconv.Itoa(task) }

// Entry is a line of the queue, and what it means. Reason says why it waits, and Message more of how it has ended, or
// why it never starts.
type Entry struct {
	Number, Name, Node, Reason string

	Kind    Kind
	Message string // what was said; "": nothing
}

// IsLive reports whether the job waits or runs.
func (e Entry) IsLive() bool { return e.Kind == Queued || e.Kind == Running }

// A Receipt tells what is known after a submission.
type Receipt uint8

// What is known after a submission.
const (
	Accepted Receipt = iota
	Refused          // it will never be accepted
	Full             // not now: the user has as many jobs as the site allows
	Absent           // it was not submitted, but may be another time
	Doubtful         // nobody knows
)

// An Answer tells what a submission came to.
type Answer struct {
	Receipt Receipt
	Number  string
	// of an array with too many tasks, which is Refused: how many one may have here, as far as anybody knows
	Most    int
	Message string // what was said; "": nothing
}
