package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

var (
	// ErrNobody tells that there is nobody to submit jobs.
	ErrNobody = errors.New("there is nobody to submit jobs")
	// ErrElsewhere tells that a job is of another cluster, or that its folder cannot be seen at all.
	ErrElsewhere = errors.New("the job cannot be reached from here")
	// ErrGone tells that the folder of a job was removed: nobody knows what became of the job.
	ErrGone = errors.New("the folder of the job is gone")
)

// Elsewhere is where programs run as jobs.
type Elsewhere interface {
	// On opens where the programs of an `on` run; around is the site of the `on` around it, nil: there is none. It waits
	// for the batch system until ctx ends.
	On(ctx context.Context, around Site, line Line) (Site, error)
	// Crowd is the branches of a forall, whose jobs may go in together.
	Crowd() Crowd
	// Attempts has the jobs of a structure that tries again, within that of the structure around; nil: there is none.
	Attempts(around Attempts) Attempts
}

// Line is that of an `on`.
type Line struct {
	Engine  string
	Options []string
	Limit   int              // how many of its jobs may be under way; 0: any number
	Awaited int              // how many jobs go on from an earlier run of the script
	Environ []string         // what its programs see
	Waits   func(why string) // is told each time that the batch system gives no answer
}

// A Site runs the programs of an `on`.
type Site interface {
	// IsHere reports whether programs run here, and no jobs.
	IsHere() bool
	// Engine is the name of the batch system, as the script calls it; Options are those of the jobs.
	Engine() string
	Options() []string
	// Run runs a job to its end.
	Run(ctx context.Context, j *Job) (Result, error)
	// Engage has pilots run the programs, jobs like that one.
	Engage(n int, like *Job)
	// Close ends the pilots.
	Close()
}

// A Job is a program or a pipeline of programs that a script wants to be run elsewhere.
type Job struct {
	// Script is a command of the language, each of its words a parameter: "${1}" > "${2}". Inputs and outputs are files
	// of the job's folder, whose name is $0: "${0}/in.0", "${0}/out.0".
	Script  string
	Words   []string // the parameters; the first is the program's name
	Shown   []string // the parameters as people may see them; nil: as they are
	Options []string // those of the site as people may see them; nil: as they are
	Inputs  []string // what in.0, in.1 … hold
	Outputs int      // how many files out.0, out.1 … there are
	Joined  bool     // what is written to both streams comes in order, to stdout
	Test    bool     // it decides a condition: status 1 is an answer, and no failure
	Origin  Origin
	Dir     string   // where it runs; absolute
	Environ []string // what its programs see, besides what the batch system says of the job

	Crowd    Crowd    // of the jobs that may go in together with it; nil: it goes in by itself
	Attempts Attempts // are told of it if it fails, or could not be ended; nil: nobody is

	// Outlives tells that the journal of a durable script knows the job: it goes on when the shell ends, and a later
	// one waits for it.
	Outlives bool
	Place    string       // of pilots that outlive the shell: where their programs are, in the journal
	Folder   string       // of a job that was made before; "": it is to be made
	Within   uint64       // the inode of the folder that this lies in
	Resumed  bool         // by an earlier shell, which may have submitted it
	Begin    func() error // notes that it begins, by its Folder, before it is submitted; nil: nobody wants to know
	Left     func() bool  // asked when it was cut off: whether it is to be left alone; nil: it is cancelled

	// Output is given what the job writes, in order: to standard output (1) and error (2), also while it runs, and to
	// its outputs (3, 4 …). ctx ends some time after that of the job. Not called concurrently.
	Output func(ctx context.Context, stream int, text []byte) error
	// Patience is the time that it gets to end once it was cancelled.
	Patience func() time.Duration
	// Until is when the first time limit around the job passes, on the clock; 0: there is none.
	Until time.Duration
	// Tell is told what becomes of the job.
	Tell func(Progress)
}

// AddWord adds a word to the script, as a parameter.
func (j *Job) AddWord(word string) {
	j.Words = append(j.Words, word)
	j.Script += fmt.Sprintf(`"${%d}" `, len(j.Words))
}

// AddInput has the script read a text, after an operator.
func (j *Job) AddInput(text string) {
	j.Script += fmt.Sprintf(`"${0}/in.%d" `, len(j.Inputs))
	j.Inputs = append(j.Inputs, text)
}

// AddOutput has the script write to an output, after an operator.
func (j *Job) AddOutput() {
	j.Script += fmt.Sprintf(`"${0}/out.%d" `, j.Outputs)
	j.Outputs++
}

// Origin says where in a script a job comes from, for people. Item can be shown as it is.
type Origin struct {
	Script  string   `json:"script,omitempty"`
	Line    int      `json:"line,omitempty"`
	Item    string   `json:"item,omitempty"`    // of the innermost loop around the command
	Number  int      `json:"number,omitempty"`  // of the item in its list, from 1; 0: there is no loop
	Targets []string `json:"targets,omitempty"` // the files that it replaces once it has succeeded
}

// String is "align.ftsh:12 s17", as far as that is known.
func (o Origin) String() (place string) {
	if o.Script != "" {
		place = filepath.Base(o.Script)
		if o.Line != 0 {
			place += ":" + strconv.Itoa(o.Line)
		}
	}
	if o.Item != "" {
		place += " " + o.Item
	}
	return place
}

// Progress says how far a job has come.
type Progress struct {
	Ticket, State string
	Text          string // all that is known, for people
	Limit         int    // of jobs at a time, which has been reached; 0: it has not
	// Of a job that has ended: what it has used; 0: that is not known.
	Elapsed, CPU time.Duration
	Memory       int64 // bytes
}

// A Result says how a job ended.
type Result struct {
	Kind      string // of a failure; "": it succeeded
	Status    int
	Command   string // which of a pipeline's programs failed; "": that is not known
	Early     bool   // it was not the last of them
	Message   string
	Explained string // the message with all that is known besides
	Stderr    string // the end of what it wrote
	Torn      bool   // it wrote more
	// Forget removes the folder of a job that outlives the shell, once its result is on disk; nil: it stays, or is gone.
	Forget func()
}

// A Crowd is the branches of a forall. It is safe for concurrent use.
type Crowd interface {
	// Add tells of branches that begin or go on, or with a negative number of some that have ended or can have no job
	// before something else has ended.
	Add(branches int)
}

// Attempts has the jobs of a structure that tries again: a try, or a forany with its alternatives. It is safe for
// concurrent use.
type Attempts interface {
	// Begin notes that an attempt begins.
	Begin(attempt int)
	// MadeGood tells that the attempt under way has succeeded: nobody has to look at jobs that failed before.
	MadeGood()
	// Settle waits until the jobs that may still be running are gone, or ctx ends.
	Settle(ctx context.Context)
	// Save gives what a later shell needs, for Restore; nil: nothing.
	Save() json.RawMessage
	Restore(saved json.RawMessage)
}

// NoJobs is the Elsewhere of a world without batch systems.
type NoJobs struct{}

// On implements [Elsewhere].
func (NoJobs) On(_ context.Context, _ Site, line Line) (Site, error) {
	if line.Engine == "here" {
		return here{}, nil
	}
	return nil, ErrNobody
}

// Crowd implements [Elsewhere].
func (NoJobs) Crowd() Crowd { return here{} }

// Attempts implements [Elsewhere].
func (NoJobs) Attempts(Attempts) Attempts { return here{} }

// here is a site without jobs, and what else has none.
type here struct{}

func (here) IsHere() bool                              { return true }
func (here) Engine() string                            { return "here" }
func (here) Options() []string                         { return nil }
func (here) Run(context.Context, *Job) (Result, error) { return Result{}, ErrNobody }
func (here) Engage(int, *Job)                          {}
func (here) Close()                                    {}
func (here) Add(int)                                   {}
func (here) Begin(int)                                 {}
func (here) MadeGood()                                 {}
func (here) Settle(context.Context)                    {}
func (here) Save() json.RawMessage                     { return nil }
func (here) Restore(json.RawMessage)                   {}
