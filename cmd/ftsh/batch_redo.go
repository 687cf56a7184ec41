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

// redoJobs runs jobs once more, all at the same time, and removes the old ones of those that succeed. Its status is
// that of the first that fails.
func redoJobs(list []jobs.Left) int {
	again := make([]*jobs.Job, 0, len(list))
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
	redo := &redo{shell: s, crowd: &jobs.Crowd{}}
	redo.crowd.Add(len(list))
	statuses := make([]int, len(list))
	var running sync.WaitGroup
	for i, l := range list {
		running.Go(func() {
			defer redo.crowd.Add(-1)
			statuses[i] = redo.run(ctx, l, again[i])
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

// redo is jobs that run once more. Those with the same options go in together.
type redo struct {
	shell  *shell
	crowd  *jobs.Crowd
	output sync.Mutex
}

// run runs a job.
func (r *redo) run(ctx context.Context, l jobs.Left, job *jobs.Job) int {
	folder, _ := jobsFolder(os.Environ())
	environ := append([]string{"FTSH_JOBS=" + folder}, l.Environ...)
	waits := func(why string) { printWarning("waiting: " + why) }
	engine, err := r.shell.batch.openEngine(ctx, engineOf(l), environ, waits)
	if err != nil {
		return refuseToRun(err, "")
	}
	job.Crowd = r.crowd
	job.Patience = func() time.Duration { return defaultKillTimeout }
	job.Output = r.write
	result, err := engine.Run(ctx, job)
	switch {
	case err != nil:
		return statusFailed
	case result.Kind != "":
		r.output.Lock()
		defer r.output.Unlock()
		refuseToRun(fmt.Errorf("%s: %s; %s is there, too", result.Kind, result.Message, result.Ticket), "")
		return result.Status
	}
	_ = l.Remove()
	return statusSuccess
}

// write hands on what a job has written.
func (r *redo) write(_ context.Context, stream int, text []byte) error {
	r.output.Lock()
	defer r.output.Unlock()
	out := os.Stdout
	if stream == syscall.Stderr {
		out = os.Stderr
	}
	_, err := out.Write(text)
	return err
}
