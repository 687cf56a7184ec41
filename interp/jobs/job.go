package jobs

import (
	"context"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// A Job is a program or a pipeline of programs that a shell wants to be run.
type Job struct {
	// Script is a command of the language, each of its words a parameter: "${1}" > "${2}".
	// Inputs and outputs are files of the job's folder, whose name is $0: "${0}/in.0", "${0}/out.0".
	Script  string
	Words   []string // the parameters; the first is the program's name
	Shown   []string // the parameters as people may see them; nil: as they are
	Options []string // for the batch system, as they were written
	Crowd   *Crowd   // of the jobs that may go in together with it; nil: it goes in by itself
	Test    bool     // it decides a condition: status 1 is an answer, and no failure
	Pilot   bool     // it runs what it is handed, and no script
	Site    string   // of a pilot that outlives the shell: where in the script its programs are; with its Journal
	pilots  *Pilots  // that run it; nil: it is a job of its own
	Requeue bool     // set by Run: it may begin again, if the batch system starts it again

	Origin  Origin
	Dir     string   // where it runs; absolute
	Umask   int      //
	Environ []string // what its programs see, besides what the batch system says of the job

	Joined  bool     // both streams go to one place: what is written to them comes in order, as "stdout"
	Inputs  []string // what in.0, in.1 … hold
	Outputs int      // how many files out.0, out.1 … there are

	// ShownOptions are the options as people may see them; nil: as they are.
	ShownOptions []string

	Outliving // of a durable script

	// Output is given what the job writes, in order: to a file "stdout", "stderr", "out.0" …
	// The first two also while it runs. Not called concurrently.
	Output func(name string, text []byte) error
	// Patience is the time that it gets to end once it was cancelled.
	Patience func() time.Duration
	// Tell is told what becomes of the job; may be nil.
	Tell func(Progress)
}

// Progress says how far a job has come. Reason is the batch system's for waiting.
type Progress struct {
	Ticket, Number, State, Reason, Node string
	Used                                Usage // of a job that has ended
}

// The states of a Progress, as people read them. The last three end it.
const (
	StateWaiting = "waiting to submit"
	StateQueued  = "queued"
	StateRunning = "running"
	StateDone    = "done"
	StateFailed  = "failed"
	StateLeft    = "left" // cancelled, or left to a later shell
)

// Kinds of failures on this side: signalled is that of what writes to a pipe without a reader, shortage that of a
// machine that has no room or descriptor left.
const (
	signalled batch.Kind = "signal"
	shortage  batch.Kind = "system"
)

// A Result says how a job ended.
type Result struct {
	Kind    batch.Kind
	Status  int
	Message string
	Command string // which of a pipeline's programs failed; "" if that is not known
	Early   bool   // it was not the last of them
	Ticket  string
	Number  string
	Node    string
	Stderr  string // the end of it
	Used    Usage
	// Forget removes the folder of a job that outlives the shell, once its result is on disk; nil: it
	// stays, or is gone.
	Forget func()
	// Discard removes the folder of a job that failed, once that is of no interest any more; nil: it did not fail.
	Discard func()
	// Unsettled is not nil if the job was cancelled and may run all the same: it
	// returns when it is known to be gone, or ctx ends.
	Unsettled func(ctx context.Context) (gone bool)
}

// The names of the outputs that every job has.
const (
	stdoutName = "stdout"
	stderrName = "stderr"
)

// within returns a context that is cancelled some time after ctx, and at the latest after most: a
// request that is under way when its job is cancelled is not cut short, as that would leave it
// in doubt.
func within(ctx context.Context, clock backoff.Clock, grace, most time.Duration) (context.Context, func()) {
	inner, cancel := backoff.WithDeadline(context.WithoutCancel(ctx), clock, clock.Now()+most, errSlow)
	late, cancelLate := context.WithCancelCause(inner)
	stop := context.AfterFunc(ctx, func() {
		timer := clock.AfterFunc(clock.Now()+grace, func() { cancelLate(errSlow) })
		<-late.Done()
		timer.Stop()
	})
	return late, func() {
		stop()
		cancelLate(nil)
		cancel()
	}
}

// slow is why a request was cut off.
type slow struct{}

func (slow) Error() string { return "the batch system did not answer in time" }

var errSlow = slow{}
