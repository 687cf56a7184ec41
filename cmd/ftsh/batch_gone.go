package main

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/jobs"
	"ftsh/interp/process/clock"
)

// findGone finds which of the jobs that seem to run are gone. Those of a shell that lives are its own to judge. If the
// batch system does not answer soon they are listed as they were last seen, and that is said.
func findGone(left []jobs.Left) {
	var running []jobs.Left
	of := map[string]*jobs.Left{}
	host, _ := os.Hostname()
	for i, l := range left {
		if l.SeemsToRun() && (l.Host != host || unix.Kill(l.Shell, 0) != nil) {
			running = append(running, l)
			of[l.Path] = &left[i]
		}
	}
	if len(running) == 0 {
		return
	}
	err := eachSystem(running, func(c *clock.Clock, system batchSystem, same []jobs.Left) error {
		if err := sameCluster(c, system, same); err != nil {
			return err
		}
		cluster, err := openClusterOf(c, system, same)
		if err != nil {
			return err
		}
		var these []*jobs.Left
		for _, job := range same {
			these = append(these, of[job.Path])
		}
		const patience = 5 * time.Second
		ctx, stop := backoff.WithDeadline(context.Background(), c, c.Now()+patience, context.DeadlineExceeded)
		defer stop()
		if !cluster.FindGone(ctx, these) {
			printWarning("the batch system does not answer: what is running is listed as it was last seen")
		}
		return nil
	})
	if err != nil {
		printWarning("what is running is listed as it was last seen: " + err.Error())
	}
}
