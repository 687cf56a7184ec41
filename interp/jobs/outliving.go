package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// makeAhead makes the folder of a job, for Run to submit it: so its name can be on disk before that.
func (c *Cluster) makeAhead(j *Job) error {
	t, err := c.ticket(j)
	j.Asked.Folder, j.Asked.Within = string(t.folder), inode(string(c.folder))
	return err
}

// inode is that of a file; 0: it cannot be seen.
func inode(path string) uint64 {
	var info unix.Stat_t
	if unix.Lstat(path, &info) != nil {
		return 0
	}
	return info.Ino
}

// isGone reports whether somebody has removed the folder. Where a disk is not mounted there may be a folder
// like the one that it lies in, but that is another.
func (j *Job) isGone() bool {
	_, err := os.Lstat(j.Asked.Folder)
	return errors.Is(err, fs.ErrNotExist) && inode(filepath.Dir(j.Asked.Folder)) == j.Asked.Within
}

// made is the ticket of a job that was made before.
func (c *Cluster) made(j *Job) (t ticket, err error) {
	if !j.Asked.Resumed {
		return ticketAt(j.Asked.Folder), nil
	}
	cluster := filepath.Dir(j.Asked.Folder)
	if here := filepath.Base(string(c.folder)); filepath.Base(cluster) != here {
		return t, fmt.Errorf("%w: it is of the cluster %s, and this is %s", world.ErrElsewhere, filepath.Base(cluster), here)
	}
	if err := trusted(cluster, unix.S_IFDIR); err != nil {
		return t, fmt.Errorf("%w: %w", world.ErrElsewhere, err)
	}
	t, o, err := openTicket(j.Asked.Folder)
	switch {
	case err != nil && j.isGone():
		return t, fmt.Errorf("%w: %s", world.ErrGone, j.Asked.Folder)
	case err != nil:
		return t, fmt.Errorf("%w: %w", world.ErrElsewhere, err)
	}
	j.order = o
	return t, nil
}

// resume goes to the submission that an earlier shell was at.
func (r *running) resume() (generation int) {
	r.output.goOn(r.job.Outputs)
	for generation = 1; generation <= 1+repeats; generation++ {
		if held, made := r.ticket.claimed(generation); !made || !held.Shell {
			break
		}
	}
	r.sought = generation
	return generation
}

// cutOff ends the job, which was cut off for that reason, or leaves it to a later shell. If it has ended by then that
// is its outcome: the error is nil.
func (r *running) cutOff(why error) (finding, error) {
	if r.job.Asked.Left != nil && r.job.Asked.Left() {
		held, _ := r.ticket.claimed(r.current.generation)
		r.current.number = cmp.Or(r.current.number, held.Number)
		if r.job.pilots == nil && (r.current.number != "" || r.current.generation == r.sought) {
			r.cluster.left.Add(1)
		}
		return endedAs(Result{Ending: Ending{Number: r.current.number}}), why
	}
	if found := r.hasEndedMeanwhile(); found.state == hasEnded {
		return found, nil
	}
	silent := r.silence()
	result := r.cancel()
	result.Message = joined(silent, result.Message)
	return endedAs(result), why
}

// hasEndedMeanwhile looks for the status once more. If that is there its output is waited for, as long as for a job
// that is being ended.
func (r *running) hasEndedMeanwhile() (found finding) {
	until := r.clock().Now() + r.job.Asked.Patience()
	_ = ofBegin.await(context.Background(), r.clock(), func() (done bool) {
		s, there, missing := r.ticket.ended(r.current.generation)
		if there && missing == "" {
			found = endedAs(r.finish(s))
		}
		return !there || missing == "" || r.clock().Now() > until
	})
	return found
}

// noted is the result of a job that was given up, and never begins.
func (r *running) noted() Result {
	result := r.lost("the job was given up before it had begun")
	var noted failureNote
	if r.ticket.readJSON(resultName, &noted) == nil && noted.Result != batch.Succeeded {
		result = failed(noted.Result, noted.Number, noted.Why)
	}
	return result
}

// drop removes the folder, if no later shell may need it.
func (r *running) drop() {
	if !r.job.Outlives || r.forgotten {
		_ = r.ticket.remove()
	}
}

// The names of what the shell notes in the folder of a job.
const (
	takenName  = "taken"  // how much output it has handed on
	resultName = "result" // of a job that failed
)
