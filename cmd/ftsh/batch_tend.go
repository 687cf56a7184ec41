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
	var left []*jobs.Left
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
	failed := slices.DeleteFunc(slices.Clone(left), func(l *jobs.Left) bool { return !l.Failed() })
	table, failures, one := jobTable, failedTable, jobText
	if options.Format == "json" {
		table, failures, one = jobsAsJSON, jobsAsJSON, jobAsJSON
	}
	switch {
	case verb == "list" && len(args) == 0:
		return showAnswer(table(left))
	case verb == "failed" && len(args) == 0:
		return showAnswer(failures(byOrigin(failed)))
	case verb == "clean" && len(args) == 0:
		return cleanJobs(failed)
	case len(args) == 0 || !slices.Contains([]string{"show", "cancel", "redo"}, verb):
		return refuseToRun(errors.New("--jobs "+verb+": "+jobsUsage), "")
	}
	chosen, err := findJobs(left, args)
	switch {
	case err != nil:
		return refuseToRun(err, "ftsh --jobs lists them")
	case verb == "cancel":
		return cancelChosen(chosen)
	case verb == "redo":
		return redoJobs(chosen)
	}
	text := ""
	for _, job := range chosen {
		text += one(job)
	}
	return showAnswer(text)
}

// findJobs finds jobs by their tickets, by the beginnings of those if they are no other's, or by their numbers.
func findJobs(left []*jobs.Left, names []string) (chosen []*jobs.Left, err error) {
	for _, name := range names {
		var found []*jobs.Left
		for _, l := range left {
			if l.Ticket == name {
				found = []*jobs.Left{l}
				break
			}
			if strings.HasPrefix(l.Ticket, name) || l.Number == name && l.By == "" {
				found = append(found, l)
			}
		}
		switch {
		case len(found) == 0:
			return nil, fmt.Errorf("there is no job %s", name)
		case len(found) > 1:
			return nil, fmt.Errorf("%s could be %d jobs; write more of the ticket", name, len(found))
		case !slices.Contains(chosen, found[0]):
			chosen = append(chosen, found[0])
		}
	}
	return chosen, nil
}

// cleanJobs removes the folders of jobs that failed.
func cleanJobs(failed []*jobs.Left) int {
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
func shellEnded(l *jobs.Left) bool {
	host, err := os.Hostname()
	return err == nil && host == l.Host && l.Shell.Life() == procfs.Dead
}

// findGone finds which of the jobs that seem to run are gone. Those of a shell that is seen to live are its own to
// judge. If the batch system does not answer soon they are listed as they were last seen, and that is said.
func findGone(left []*jobs.Left) {
	const patience, asSeen = 5 * time.Second, "what is running is listed as it was last seen"
	running := slices.DeleteFunc(slices.Clone(left), func(l *jobs.Left) bool {
		return !l.SeemsToRun() || l.Shell.Life() == procfs.Alive
	})
	err := eachCluster(running, func(cluster *jobs.Cluster, same []*jobs.Left) error {
		ctx, stop := backoff.WithDeadline(context.Background(), cluster.Clock, cluster.Clock.Now()+patience,
			context.DeadlineExceeded)
		defer stop()
		if err := checkCluster(ctx, cluster, same); err != nil {
			return err
		}
		if !cluster.FindGone(ctx, same) {
			printWarning("the batch system does not answer: " + asSeen)
		}
		return nil
	})
	if err != nil {
		printWarning(asSeen + ": " + err.Error())
	}
}
