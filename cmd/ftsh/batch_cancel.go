package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ftsh/backoff"
	"ftsh/interp/durable"
	"ftsh/interp/jobs"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/journal"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
)

// cancelJob ends a job, if it has not ended by itself.
func cancelJob(l jobs.Left) int {
	if l.Ended {
		how := l.State
		if !l.Failed() {
			how = "its shell has not taken the outcome"
		}
		return showAnswer(fmt.Sprintf("%s: it has ended already (%s)\n", l.Ticket, how))
	}
	if err := cancelJobs([]jobs.Left{l}); err != nil {
		return refuseToRun(err, "")
	}
	return statusSuccess
}

// cancelJobs ends jobs: those that have not begun never will, and the runners of the others end all that they have
// started; the batch system ends what then still runs.
func cancelJobs(left []jobs.Left) error {
	begun, err := abandonJobs(left)
	return errors.Join(err, endRunners(begun), cancelNames(begun))
}

// abandonJobs sees to it that jobs which have not begun never will, and takes them out of the queue. The others are
// returned.
func abandonJobs(left []jobs.Left) (begun []jobs.Left, err error) {
	var waiting []jobs.Left
	for _, l := range left {
		has, failed := l.Abandon()
		if has {
			begun = append(begun, l)
		} else {
			waiting = append(waiting, l)
		}
		err = errors.Join(err, failed)
	}
	return begun, errors.Join(err, cancelNames(waiting))
}

// cancelNames has the batch system cancel jobs.
func cancelNames(left []jobs.Left) error {
	return eachSystem(left, func(c *clock.Clock, system batch.System, of []jobs.Left) error {
		var names []string
		for _, l := range of {
			names = append(names, l.Names()...)
		}
		return repeatRequest(c, func(ctx context.Context) error { return system.Cancel(ctx, names) })
	})
}

// endRunners has the runners of jobs end all that they have started, for half of the kill timeout: what the batch
// system itself cancels gets its signals one process after another, and may go on with another command.
func endRunners(begun []jobs.Left) error {
	return eachSystem(begun, func(c *clock.Clock, system batch.System, of []jobs.Left) error {
		cluster, err := openClusterOf(c, system, of)
		if err != nil {
			return err
		}
		patience := runnersPatience(of)
		ctx, stop := backoff.WithDeadline(context.Background(), c, c.Now()+patience, context.DeadlineExceeded)
		defer stop()
		_ = cluster.AwaitEnds(ctx, of, 2*patience) // what has not ended by then is cancelled
		return nil
	})
}

// runnersPatience limits the time that the runners of jobs take to end them: half of the kill timeout, or what the
// shell that has made a job had told the programs that it started, if that is less.
func runnersPatience(of []jobs.Left) (longest time.Duration) {
	for _, l := range of {
		patience := defaultKillTimeout / 2
		if told := lookupVariable(l.Environ, "FTSH_KILL_TIMEOUT"); told != "" {
			if limit, err := (setting{"FTSH_KILL_TIMEOUT", told}).asSeconds(); err == nil {
				patience = min(patience, limit)
			}
		}
		longest = max(longest, patience)
	}
	return longest
}

// eachSystem does something to the jobs of each cluster.
func eachSystem(left []jobs.Left, do func(*clock.Clock, batch.System, []jobs.Left) error) (err error) {
	of := map[string][]jobs.Left{} // by what chooses the cluster
	for _, l := range left {
		which := whichCluster(engineOf(l), l.Environ) + "\x00" + l.Cluster
		of[which] = append(of[which], l)
	}
	if len(of) == 0 {
		return nil
	}
	c := clock.New()
	defer c.Close()
	host, err := process.Open(process.Config{Clock: c})
	if err != nil {
		return err
	}
	defer host.Close()
	for _, jobs := range of {
		system := newSystem(engineOf(jobs[0]), programs.Config{Run: host.Run, Environ: jobs[0].Environ})
		err = errors.Join(err, do(c, system, jobs))
	}
	return err
}

// repeatRequest repeats a request until it succeeds, for half a minute.
func repeatRequest(c *clock.Clock, request func(context.Context) error) (err error) {
	const most = 30 * time.Second
	ctx, stop := backoff.WithDeadline(context.Background(), c, c.Now()+most, context.DeadlineExceeded)
	defer stop()
	for {
		if err = request(ctx); err == nil || backoff.Sleep(ctx, c, c.Now()+time.Second) != nil {
			return err
		}
	}
}

// cancelLeft cancels the jobs of a shell that was killed, in the guardian's program.
func cancelLeft(marker string) {
	folder, err := jobsFolder(os.Environ())
	if err != nil {
		return
	}
	left, _ := jobs.Folders(folder).OfShell(marker)
	var own []jobs.Left
	for _, l := range left {
		if !l.Failed() && !l.Outlives {
			own = append(own, l)
		}
	}
	if len(own) > 0 {
		_ = cancelJobs(own)
	}
}

// endUnawaited ends the jobs that earlier shells with a journal have left, and that none will wait for:
// those of a unit that was under way, or of a script that was begun anew. It returns when they are gone,
// so that none runs beside what does its work again. The pilots of an `on` that goes on are used again.
func endUnawaited(path string, image *journal.Image) error {
	folder, err := jobsFolder(os.Environ())
	if err != nil {
		return nil // there are no jobs
	}
	left, err := jobs.Folders(folder).Unsettled(path)
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	awaited := durable.Awaited(image)
	var unawaited []jobs.Left
	for _, l := range left {
		switch {
		case l.Host != host || slices.Contains(awaited, l.Path):
		case l.Failed() && !l.Ends:
		case l.State == "ended": // its end is in the journal
			_ = l.Remove()
		case l.Pilot && durable.Resumes(image, l.Site):
		default:
			unawaited = append(unawaited, l)
		}
	}
	if len(unawaited) == 0 {
		return nil
	}
	err = eachSystem(unawaited, func(c *clock.Clock, system batch.System, of []jobs.Left) error {
		return checkCluster(context.Background(), c, system, of)
	})
	if err != nil {
		return err
	}
	begun, err := abandonJobs(unawaited)
	if err != nil {
		return fmt.Errorf("jobs that the shell before has left cannot be cancelled: %w; ftsh --jobs lists them", err)
	}
	return awaitEnds(begun)
}

// checkCluster returns an error if a system is not the cluster any more that has the jobs: another would say that there
// are none.
func checkCluster(ctx context.Context, c *clock.Clock, system batch.System, of []jobs.Left) error {
	address, err := new(jobs.Door).Locate(ctx, jobs.Config{System: system, Clock: c,
		Waits: func(why string) { printWarning("waiting: " + why) }})
	if err == nil && !of[0].IsOf(address) {
		err = fmt.Errorf("the shell before has left jobs on the cluster %s, and this is %s", of[0].Cluster, address)
	}
	return err
}

// openClusterOf opens the cluster that has jobs, by its system.
func openClusterOf(c *clock.Clock, system batch.System, of []jobs.Left) (*jobs.Cluster, error) {
	interval, err := queueInterval(os.Environ())
	if err != nil {
		return nil, err
	}
	return new(jobs.Door).Open(context.Background(), jobs.Config{System: system, Cluster: of[0].Cluster,
		Folder: filepath.Dir(filepath.Dir(of[0].Path)), Clock: c, Interval: interval})
}

// awaitEnds waits until jobs that were cancelled are gone.
func awaitEnds(left []jobs.Left) error {
	return eachSystem(left, func(c *clock.Clock, system batch.System, of []jobs.Left) error {
		cluster, err := openClusterOf(c, system, of)
		if err != nil {
			return err
		}
		const silence = 5 * time.Second
		told := c.AfterFunc(c.Now()+silence, func() {
			printWarning("waiting: jobs that the shell before has left were cancelled, and are still ending; ftsh --jobs " +
				"lists them")
		})
		defer told.Stop()
		return cluster.AwaitEnds(context.Background(), of, defaultKillTimeout)
	})
}
