package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs"
	"ftsh/interp/process/clock"
	"ftsh/interp/process/procfs"
)

const jobsUsage = "ftsh --jobs [list | failed | show TICKET… | redo TICKET… | cancel TICKET… | clean] " +
	"[--format text|json]"

// tendJobs shows and tends what is in the folder of jobs.
func tendJobs(args []string) int {
	var options struct {
		Format string `long:"format" choice:"text" choice:"json" default:"text"`
	}
	args, err := parseTool(&options, args)
	if err != nil {
		return refuseToRun(err, jobsUsage)
	}
	folder, err := jobsFolder(os.Environ())
	var left []jobs.Left
	if err == nil {
		left, err = jobs.Folders(folder).List()
	}
	if err != nil {
		return refuseToRun(err, "")
	}
	findGone(left)
	verb := "list"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	table, failed, one := jobTable, failedTable, jobText
	if options.Format == "json" {
		table, failed, one = jobsAsJSON, jobsAsJSON, jobAsJSON
	}
	switch {
	case verb == "list" && len(args) == 0:
		return showAnswer(table(left, time.Now()))
	case verb == "failed" && len(args) == 0:
		return showAnswer(failed(byOrigin(failedOf(left)), time.Now()))
	case verb == "clean" && len(args) == 0:
		return cleanJobs(failedOf(left))
	case len(args) == 0:
		return refuseToRun(errors.New("--jobs "+verb+": "+jobsUsage), "")
	}
	return tendThese(left, verb, args, one)
}

// tendThese does to jobs what a verb says. Nothing is done if one of them cannot be found.
func tendThese(left []jobs.Left, verb string, names []string, text func(jobs.Left) string) int {
	var chosen []jobs.Left
	for _, name := range names {
		job, err := findJob(left, name)
		if err != nil {
			return refuseToRun(err, "ftsh --jobs lists them")
		}
		if !slices.ContainsFunc(chosen, func(l jobs.Left) bool { return l.Path == job.Path }) {
			chosen = append(chosen, job)
		}
	}
	status := statusSuccess
	switch verb {
	case "show":
		for _, job := range chosen {
			status = max(status, showAnswer(text(job)))
		}
	case "cancel":
		for _, job := range chosen {
			status = max(status, cancelJob(job))
		}
	case "redo":
		return redoJobs(chosen)
	default:
		return refuseToRun(errors.New("--jobs "+verb+": "+jobsUsage), "")
	}
	return status
}

func failedOf(left []jobs.Left) (failed []jobs.Left) {
	for _, l := range left {
		if l.Failed() {
			failed = append(failed, l)
		}
	}
	return failed
}

// findJob finds a job by its ticket, by the beginning of that if it is no other's, or by its number.
func findJob(left []jobs.Left, name string) (found jobs.Left, err error) {
	matches := 0
	for _, l := range left {
		if l.Ticket == name {
			return l, nil
		}
		if strings.HasPrefix(l.Ticket, name) || l.Number == name && l.By == "" {
			found = l
			matches++
		}
	}
	switch matches {
	case 0:
		return found, fmt.Errorf("there is no job %s", name)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("%s could be %d jobs; write more of the ticket", name, matches)
}

// cleanJobs removes the folders of jobs that failed.
func cleanJobs(failed []jobs.Left) int {
	removed, rest := 0, ""
	for _, l := range failed {
		switch {
		case l.Ends && l.Journal != "":
			rest += l.Ticket + ": it was cancelled, and may still be running; the script's next run waits for that\n"
			continue
		case l.IsGone() && l.Outlives:
			rest += l.Ticket + ": the script's next run finds out what became of it\n"
			continue
		case l.IsGone() && !shellEnded(l):
			rest += fmt.Sprintf("%s: its shell ran on %s, and cannot be seen from here\n", l.Ticket, l.Host)
			continue
		}
		if err := l.Remove(); err != nil {
			return refuseToRun(fmt.Errorf("cannot remove %s: %w", l.Path, unwrapped(err)), "")
		}
		removed++
	}
	return showAnswer(fmt.Sprintf("removed %d\n", removed) + rest)
}

// shellEnded reports whether the shell of a job is known to have ended: what is to become of that is its matter before.
func shellEnded(l jobs.Left) bool {
	host, err := os.Hostname()
	return err == nil && host == l.Host && l.Shell.Life() == procfs.Dead
}

// findGone finds which of the jobs that seem to run are gone. Those of a shell that is seen to live are its own to
// judge. If the batch system does not answer soon they are listed as they were last seen, and that is said.
func findGone(left []jobs.Left) {
	var running []jobs.Left
	of := map[string]*jobs.Left{}
	for i, l := range left {
		if l.SeemsToRun() && l.Shell.Life() != procfs.Alive {
			running = append(running, l)
			of[l.Path] = &left[i]
		}
	}
	if len(running) == 0 {
		return
	}
	err := eachCluster(running, func(c *clock.Clock, cluster *jobs.Cluster, same []jobs.Left) error {
		const patience = 5 * time.Second
		ctx, stop := backoff.WithDeadline(context.Background(), c, c.Now()+patience, context.DeadlineExceeded)
		defer stop()
		if err := checkCluster(ctx, cluster, same); err != nil {
			return err
		}
		var these []*jobs.Left
		for _, job := range same {
			these = append(these, of[job.Path])
		}
		if !cluster.FindGone(ctx, these) {
			printWarning("the batch system does not answer: what is running is listed as it was last seen")
		}
		return nil
	})
	if err != nil {
		printWarning("what is running is listed as it was last seen: " + err.Error())
	}
}
