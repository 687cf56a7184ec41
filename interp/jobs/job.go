package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/interp/brief"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/journal"
	"ftsh/interp/process/procfs"
	"ftsh/interp/world"
)

// An order says what a job has to do. Its folder holds it, in the file job: for the job itself, and for shells that
// look at the folder later.
type order struct {
	// Script is a command of the language, each of its words a parameter: "${1}" > "${2}".
	// Inputs and outputs are files of the job's folder, whose name is $0: "${0}/in.0", "${0}/out.0".
	Script       string       `json:"script"`
	Words        texts        `json:"words"`                   // the parameters; the first is the program's name
	Shown        texts        `json:"shown,omitempty"`         // the parameters as people may see them; nil: as they are
	Options      texts        `json:"options"`                 // for the batch system, as they were written
	ShownOptions texts        `json:"shown_options,omitempty"` // nil: as they are
	Outputs      int          `json:"outputs"`                 // how many files out.0, out.1 … there are
	Joined       bool         `json:"joined,omitempty"`        // what is written to both streams comes in order, to stdout
	Origin       world.Origin `json:"origin,omitzero"`
	Dir          journal.Text `json:"dir"` // where it runs; absolute
	Umask        int          `json:"umask"`
	Pilot        bool         `json:"pilot,omitempty"` // it runs what it is handed, and no script
	Site         string       `json:"site,omitempty"`  // of a pilot that outlives the shell: where its programs are
	// Outlives tells that the journal of a durable script knows the job: it goes on when the shell ends, and a later
	// one waits for it.
	Outlives bool `json:"outlives,omitempty"`

	// What follows is set by Run.
	Requeue bool        `json:"requeue,omitempty"` // it may begin again, if the batch system starts it again
	Quick   bool        `json:"quick,omitempty"`   // see ticket
	Limit   time.Time   `json:"until,omitzero"`    // Until, for other machines
	Host    string      `json:"host"`              // on which its shell runs or ran
	Shell   procfs.Name `json:"ran_by"`            // the process; "shell" was its number
	Since   time.Time   `json:"time"`              // when it was submitted first
	Journal string      `json:"journal,omitempty"` // of its script; "": it has none
}

// A Job is a program or a pipeline of programs that a shell wants to be run.
type Job struct {
	order
	Asked  world.Job // of which the order holds what others have to know, and the fields below what has other types here
	Crowd  *Crowd    // of the jobs that may go in together with it; nil: it goes in by itself
	pilots *pilots   // that run it; nil: it is a job of its own
	// Tell is told what becomes of the job; may be nil.
	Tell func(Progress)
	// Attempts are told of it if it fails, or could not be ended.
	Attempts *Attempts
}

// Progress says how far a job has come. Reason is the batch system's for waiting.
type Progress struct {
	Ticket, Number, State, Reason, Node string
	Used                                usage // of a job that has ended
	Limit                               int   // of jobs at a time, which has been reached; 0: it has not
}

// String tells people besides the state: "job 12, node3, 12.3 s, CPU 40 s, memory 3.9 GB".
func (p Progress) String() string {
	if p.Number == "" {
		return p.Reason
	}
	text := "job " + p.Number
	for _, more := range []string{p.Node, p.Reason, p.Used.String()} {
		if more != "" && more != "None" {
			text += ", " + more
		}
	}
	return text
}

func (j *Job) tell(p Progress) {
	if j.Tell != nil {
		j.Tell(p)
	}
}

// The states of a job, as people read them. A Progress ends with one of the last three.
const (
	stateToCancel = "to cancel" // and the batch system did not answer
	stateGone     = "gone"      // it had begun, left no status, and the batch system has it no more: its runner was killed
	stateEnding   = "ending"    // it was told to end after it had begun, and is not known to have done so
	stateEnded    = "ended"     // and its shell has not taken the outcome
	stateWaiting  = "waiting to submit"
	stateQueued   = "queued"
	stateRunning  = "running"
	stateDone     = "done"
	stateFailed   = "failed"
	stateLeft     = "left" // cancelled, or left to a later shell
)

// Kinds of failures on this side: exit is that of a program's own status, signalled that of what writes to a pipe
// without a reader, shortage that of a machine that has no room or descriptor left.
const (
	exit      batch.Kind = "exit"
	signalled batch.Kind = "signal"
	shortage  batch.Kind = "system"
)

// An Ending says how a job ended, or its programs did.
type Ending struct {
	Kind    batch.Kind `json:"kind"` // of a failure
	Status  int        `json:"status"`
	Message string     `json:"message,omitempty"`
	Command string     `json:"command,omitempty"` // which of a pipeline's programs failed; "" if that is not known
	Early   bool       `json:"early,omitempty"`   // it was not the last of them
	Used    usage      `json:"used,omitzero"`
	Number  string     `json:"number"`
	Node    string     `json:"node"`
}

// usage holds what the programs of a job have used. The zero value: that is not known.
type usage struct {
	Elapsed time.Duration `json:"elapsed"`
	CPU     time.Duration `json:"cpu"`
	Memory  int64         `json:"memory"` // in bytes, of the process that had the most
	// Together tells that Memory is that of all processes together, at the moment when it was most.
	Together bool `json:"together,omitempty"`
	// Grouped tells that the job has a memory group of its own, so that Kills is known: how many of its processes the
	// kernel has killed for want of memory.
	Grouped bool  `json:"grouped,omitempty"`
	Kills   int64 `json:"kills,omitempty"`
}

// IsZero reports whether it is not known.
func (u usage) IsZero() bool { return u == usage{} }

// String is "12.3 s, CPU 40 s, memory 3.9 GB"; "": it is not known.
func (u usage) String() string {
	if u.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s, CPU %s, memory %s", brief.Time(u.Elapsed), brief.Time(u.CPU), brief.Size(u.Memory))
}

// A Result is the ending of a job as the shell has it.
type Result struct {
	Ending
	Ticket string
	Stderr string // the end of it
	// Forget removes the folder of a job that outlives the shell, once its result is on disk; nil: it
	// stays, or is gone.
	Forget    func()
	unsettled *doubt
	vanished  bool // it is not known to have ended
}

// failed is the result of a job that failed by no program of its own.
func failed(kind batch.Kind, number, message string) Result {
	return Result{Ending: Ending{Kind: kind, Status: statusOf(kind), Number: number, Message: message}}
}

// shortOf is the result of a job for which a machine has no room.
func shortOf(doing string, err error) Result {
	return failed(shortage, "", doing+unwrapped(err).Error())
}

// explain is the message with all that is known besides. asked are the options.
func (r Result) explain(asked []string) string {
	text := r.Message
	if r.Kind == batch.Memory && r.Used.Memory > 0 {
		of := "its largest process"
		if r.Used.Together {
			of = "all its processes together"
		}
		text += "; " + of + " had " + brief.Size(r.Used.Memory)
		if options := mentioning("mem", asked); len(options) > 0 {
			text += ", asked for: " + strings.Join(options, " ")
		}
	}
	if r.Number != "" {
		text += " (job " + r.Number
		if r.Node != "" {
			text += " on " + r.Node
		}
		text += ")"
	}
	return text
}

// mentioning are the options that have something in their names or values, each with its value where that is the
// next word.
func mentioning(text string, options []string) (found []string) {
	for i, word := range options {
		if !strings.Contains(word, text) {
			continue
		}
		found = append(found, word)
		if strings.HasPrefix(word, "--") && !strings.Contains(word, "=") && i+1 < len(options) {
			found = append(found, options[i+1])
		}
	}
	return found
}

// The names of the outputs that every job has.
const (
	stdoutName = "stdout"
	stderrName = "stderr"
)

// ofRequest returns a context for a request to the batch system. If that is under way when its job is cancelled it is
// not cut short at once, as that would leave it in doubt.
func ofRequest(ctx context.Context, clock backoff.Clock, grace time.Duration) (inner context.Context, stop func()) {
	late, leave := backoff.WithGrace(ctx, clock, grace, errSlow)
	inner, cancel := backoff.WithDeadline(late, clock, clock.Now()+requestLimit, errSlow)
	return inner, func() {
		leave()
		cancel()
	}
}

// errSlow is why a request was cut off.
var errSlow = errors.New("the batch system did not answer in time")

// readerTime limits the time that a reader of what a job has written may take once the job was cut off.
const readerTime = time.Second

// errUnread is why what a job has written was not handed on.
var errUnread = errors.New("nobody reads it")
