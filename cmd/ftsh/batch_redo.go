package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ftsh/interp/jobs"
)

// redoJobs runs jobs once more, all at the same time, and removes the old ones of those that succeed. Those with the
// same options go in together. Its status is that of the first that fails.
func redoJobs(list []*jobs.Left) int {
	var again []*jobs.Job
	for _, l := range list {
		if l.Pilot {
			return refuseToRun(fmt.Errorf("%s is a pilot, which runs what its shell hands it: it cannot be run by itself",
				l.Ticket),
				"redo a program that it has run; ftsh --jobs failed lists those that failed")
		}
		job, err := l.Again()
		if err != nil {
			return refuseToRun(err, "")
		}
		again = append(again, job)
	}
	s, err := openShell(&options{killTimeout: defaultKillTimeout, progress: "never"})
	if err != nil {
		return refuseToRun(err, "")
	}
	defer s.closeShell()
	ctx, signals := newSignals(s.log, s.host)
	signals.catchSignals()
	var output sync.Mutex
	crowd := &jobs.Crowd{}
	crowd.Add(len(list))
	statuses := make([]int, len(list))
	var running sync.WaitGroup
	for i, job := range again {
		job.Crowd = crowd
		job.Asked.Patience = func() time.Duration { return defaultKillTimeout }
		job.Asked.Output = func(_ context.Context, stream int, text []byte) error {
			output.Lock()
			defer output.Unlock()
			if stream == syscall.Stderr {
				_, err := os.Stderr.Write(text)
				return err
			}
			_, err := os.Stdout.Write(text)
			return err
		}
		running.Go(func() {
			defer crowd.Add(-1)
			statuses[i] = s.redoJob(ctx, list[i], job, &output)
		})
	}
	running.Wait()
	_ = s.host.Close()
	for _, status := range statuses {
		if status != statusSuccess {
			return status
		}
	}
	return statusSuccess
}

// redoJob runs a job, which may not write while output is locked.
func (s *shell) redoJob(ctx context.Context, l *jobs.Left, job *jobs.Job, output sync.Locker) int {
	folder, _ := jobsFolder(os.Environ())
	environ := append([]string{"FTSH_JOBS=" + folder}, l.Environ...)
	waits := func(why string) { printWarning("waiting: " + why) }
	engine, err := s.batch.openEngine(ctx, engineOf(l), environ, waits)
	if err != nil {
		return refuseToRun(err, "")
	}
	result, err := engine.Run(ctx, job)
	switch {
	case err != nil:
		return statusFailed
	case result.Kind != "":
		output.Lock()
		defer output.Unlock()
		refuseToRun(fmt.Errorf("%s: %s; %s is there, too", result.Kind, result.Message, result.Ticket), "")
		return result.Status
	}
	_ = l.Remove()
	return statusSuccess
}
