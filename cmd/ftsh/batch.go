package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ftsh/backoff"
	"ftsh/backoff/shared"
	"ftsh/backoff/shared/locked"
	"ftsh/interp/expand"
	"ftsh/interp/jobs"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/world"
)

// batchEngines are the batch systems that a script has used, by what chooses the cluster.
type batchEngines struct {
	shell *shell
	known sync.Map // of *jobs.Door
}

// opened lists the clusters that are open.
func (b *batchEngines) opened() (clusters []*jobs.Cluster) {
	b.known.Range(func(_, door any) bool {
		if cluster := door.(*jobs.Door).Cluster(); cluster != nil {
			clusters = append(clusters, cluster)
		}
		return true
	})
	return clusters
}

// signalJobs hands a signal on to the jobs that run.
func (b *batchEngines) signalJobs(sig syscall.Signal) {
	for _, cluster := range b.opened() {
		go cluster.SignalJobs(sig)
	}
}

// openEngine opens the cluster of an engine; see [jobs.Clusters].
func (b *batchEngines) openEngine(ctx context.Context, name string, environ []string, waits func(string)) (
	*jobs.Cluster, error) {
	folder, err := jobsFolder(environ)
	if err != nil {
		return nil, err
	}
	system := newSystem(name, programs.Config{
		Run: func(ctx context.Context, c *world.Command) (world.Status, error) {
			return b.shell.config.World.Run(ctx, c)
		},
		Environ: environ,
	})
	interval, err := queueInterval(environ)
	if err != nil {
		return nil, err
	}
	s := b.shell
	door, _ := b.known.LoadOrStore(folder+"\x00"+whichCluster(name, environ), &jobs.Door{})
	return door.(*jobs.Door).Open(ctx, jobs.Config{
		System: system, Folder: folder, Marker: s.host.Left().Marker,
		Environ: os.Environ(), Clock: s.clock, Interval: interval, Admission: s.admission, Waits: waits,
		Journal: s.journal, Under: s.watchJob,
	})
}

// leftAlone counts the jobs that go on without this shell.
func (b *batchEngines) leftAlone() (jobs int) {
	for _, cluster := range b.opened() {
		jobs += cluster.LeftAlone()
	}
	return jobs
}

// watchJob has the guardian cancel a job if the shell is killed meanwhile, unless it outlives the shell.
func (s *shell) watchJob(outlives bool) (ended func()) {
	s.engine.countProgram(true)
	uncount := func() { s.engine.countProgram(false) }
	if outlives {
		return uncount
	}
	leave := s.host.Watch()
	return func() {
		leave()
		uncount()
	}
}

// submissions limits all shells of a user on a machine: 240 a second did no harm to a
// controller, but those that froze together wake together.
var submissions = shared.Rules{Slots: 4, Failures: 5, Within: time.Minute, Probe: 5 * time.Second}

// admission lets in the submissions to a cluster.
func (s *shell) admission(cluster string) (func(context.Context) (func(bool), error), error) {
	folder, err := locked.Open(locked.Path(os.Getenv("FTSH_STATE_DIR"), os.Getenv("XDG_RUNTIME_DIR")), s.clock)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(cluster))
	resource, err := folder.Resource("submissions_"+strconv.FormatUint(h.Sum64(), 36), s.local.Keep)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (func(bool), error) {
		pass, err := resource.Enter(ctx, shared.Visit{Rules: submissions, Deadline: backoff.Never})
		if err != nil {
			return nil, err
		}
		return func(answered bool) {
			ending := shared.Failed
			if answered {
				ending = shared.Succeeded
			}
			pass.Leave(ending, 0)
		}, nil
	}, nil
}

// queueInterval reads FTSH_QUEUE_INTERVAL, the least time between two lists of the queue.
func queueInterval(environ []string) (time.Duration, error) {
	text := lookupVariable(environ, "FTSH_QUEUE_INTERVAL")
	if text == "" {
		return 0, nil
	}
	interval, err := expand.ParseSeconds(text)
	if err != nil || interval <= 0 {
		return 0, fmt.Errorf("FTSH_QUEUE_INTERVAL %q: wanted seconds, or a time such as 1m", text)
	}
	return interval, nil
}

// jobsFolder returns the folder that holds those of jobs.
func jobsFolder(environ []string) (string, error) {
	if said := lookupVariable(environ, "FTSH_JOBS"); said != "" {
		return said, nil
	}
	home := lookupVariable(environ, "HOME")
	state := cmp.Or(lookupVariable(environ, "XDG_STATE_HOME"), filepath.Join(home, ".local/state"))
	if home == "" && !filepath.IsAbs(state) {
		return "", errors.New("set FTSH_JOBS to a folder that all nodes see, as there is no HOME")
	}
	return filepath.Join(state, "ftsh/jobs"), nil
}

// lookupVariable is a variable's value in a list as os.Environ gives it.
func lookupVariable(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
