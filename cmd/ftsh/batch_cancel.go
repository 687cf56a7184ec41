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
	"ftsh/interp/jobs/programs"
	"ftsh/interp/journal"
	"ftsh/interp/process"
	"ftsh/interp/process/clock"
)

// cancelChosen ends the jobs that have not ended by themselves.
func cancelChosen(chosen []*jobs.Left) int {
	var under []*jobs.Left
	for _, l := range chosen {
		how := "its shell has not taken the outcome"
		if l.Failed() {
			how = l.State
		}
		if !l.Ended {
			under = append(under, l)
			continue
		}
		if err := printText(fmt.Sprintf("%s: it has ended already (%s)\n", l.Ticket, how)); err != nil {
			return refuseToRun(err, "")
		}
	}
	if err := cancelJobs(under); err != nil {
		return refuseToRun(err, "")
	}
	return statusSuccess
}

// cancelJobs ends jobs, or has the next shell cancel them that reaches the batch system. Their runners get half of the
// kill timeout to end them, or what the shells that have made them had told the programs that they started, if that is
// less.
func cancelJobs(left []*jobs.Left) error {
	return eachCluster(left, func(cluster *jobs.Cluster, of []*jobs.Left) error {
		const answers = 30 * time.Second // of the batch system
		runners := time.Duration(0)
		for _, l := range of {
			patience := defaultKillTimeout / 2
			told := setting{"FTSH_KILL_TIMEOUT", lookupVariable(l.Environ, "FTSH_KILL_TIMEOUT")}
			if limit, err := told.asSeconds(); err == nil {
				patience = min(patience, limit)
			}
			runners = max(runners, patience)
		}
		clock := cluster.Clock
		ctx, stop := backoff.WithDeadline(context.Background(), clock, clock.Now()+2*runners+answers, errNotCancelled)
		defer stop()
		return cluster.End(ctx, of, 2*runners)
	})
}

var errNotCancelled = errors.New("it is not known to have ended: it is cancelled by the next shell that reaches the " +
	"batch system; ftsh --jobs lists it")

// eachCluster does something to the jobs of each cluster.
func eachCluster(left []*jobs.Left, do func(*jobs.Cluster, []*jobs.Left) error) (err error) {
	of := map[string][]*jobs.Left{} // by what chooses the cluster
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
	interval, err := queueInterval(os.Environ())
	if err != nil {
		return err
	}
	for _, same := range of {
		cluster, failed := new(jobs.Door).Open(context.Background(), jobs.Config{
			System:  newSystem(engineOf(same[0]), programs.Config{Run: host.Run, Environ: same[0].Environ}),
			Cluster: same[0].Cluster, Folder: filepath.Dir(filepath.Dir(same[0].Path)), Clock: c, Interval: interval,
			Waits: func(why string) { printWarning(why) }})
		if failed == nil {
			failed = do(cluster, same)
		}
		err = errors.Join(err, failed)
	}
	return err
}

// cancelLeft cancels the jobs of a shell that was killed, in the guardian's program.
func cancelLeft(marker string) {
	folder, err := jobsFolder(os.Environ())
	if err != nil {
		return
	}
	left, _ := jobs.Folders(folder).OfShell(marker)
	var own []*jobs.Left
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
	var unawaited []*jobs.Left
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
	return eachCluster(unawaited, func(cluster *jobs.Cluster, of []*jobs.Left) error {
		if err := checkCluster(context.Background(), cluster, of); err != nil {
			return err
		}
		const silence = 5 * time.Second
		told := cluster.Clock.AfterFunc(cluster.Clock.Now()+silence, func() {
			printWarning("waiting: jobs that the shell before has left were cancelled, and are still ending; ftsh --jobs " +
				"lists them")
		})
		defer told.Stop()
		if err := cluster.End(context.Background(), of, defaultKillTimeout); err != nil {
			return fmt.Errorf("jobs that the shell before has left cannot be cancelled: %w; ftsh --jobs lists them", err)
		}
		return nil
	})
}

// checkCluster returns an error if the jobs are of another cluster than the one that is chosen now, which would say
// that there are none.
func checkCluster(ctx context.Context, cluster *jobs.Cluster, of []*jobs.Left) error {
	address, err := new(jobs.Door).Locate(ctx, cluster.Config)
	if err == nil && !of[0].IsOf(address) {
		err = fmt.Errorf("the shell before has left jobs on the cluster %s, and this is %s", of[0].Cluster, address)
	}
	return err
}
