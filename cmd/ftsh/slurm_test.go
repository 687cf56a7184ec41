package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// slurm is a scene with a private Slurm cluster (testdata/slurm/cluster).
type slurm struct {
	cluster
	ran string // to which jobs append
}

// newSlurm starts a cluster, and two at a time on a machine. Where Slurm is not
// installed the test is skipped, unless FTSH_SLURM=required. The race detector
// finds nothing in other programs, and makes the shells slow: skipped, too.
func newSlurm(t *testing.T, settings ...string) *slurm {
	t.Helper()
	skip.UnlessLong(t, "it starts a Slurm cluster")
	if why := noSlurm(t); why != "" {
		skip.Test(t, "this test %s", why)
	}
	among(t, 2, "slurm")
	s := &slurm{cluster: cluster{scene: openScene(t)}}
	s.ran = s.file(s.away+"/ran", "")
	s.start(settings)
	return s
}

// noSlurm tells why there can be no cluster here, or nothing.
func noSlurm(t *testing.T) string {
	if skip.UnderRace {
		return "is for a shell without the race detector"
	}
	for _, program := range []string{"sbatch", "slurmctld", "slurmd", "munged", "python3"} {
		_, err := exec.LookPath(program)
		for _, dir := range []string{"/usr/sbin/", "/sbin/"} {
			if err != nil {
				_, err = exec.LookPath(dir + program)
			}
		}
		switch {
		case err != nil && os.Getenv("FTSH_SLURM") == "required":
			t.Fatalf("this test needs %s: run testdata/slurm/install", program)
		case err != nil:
			return "needs " + program + ": run testdata/slurm/install"
		}
	}
	return ""
}

// joinCluster begins a cluster for a page of the manual; false where there can be none.
func (s *session) joinCluster() bool {
	if s.cluster != nil {
		return true
	}
	why := "needs a Slurm cluster, which FTSH_TEST=long starts"
	if skip.Long() {
		why = noSlurm(s.t)
	}
	if why != "" {
		if !s.told {
			skip.Say(s.t, "a part of this page %s", why)
		}
		s.told = true
		return false
	}
	among(s.t, 2, "slurm")
	s.cluster = &slurm{cluster: cluster{scene: openScene(s.t)}}
	s.cluster.start(nil)
	examples, err := filepath.Abs("../../examples")
	must(s.t, err)
	must(s.t, os.Symlink(examples, s.home+"/examples"))
	s.environ = append(s.environ, "SLURM_CONF="+s.cluster.conf(), "SLURM_INTERVAL=1", "SLURM_GRACE=1s")
	return true
}

// conf is the path of slurm.conf.
func (s *slurm) conf() string {
	for _, entry := range s.env {
		if path, found := strings.CutPrefix(entry, "SLURM_CONF="); found {
			return path
		}
	}
	return ""
}

// among waits until fewer than most tests on this machine have a cluster of that engine. Who has one listens under a
// name that is gone with it, and leaves nothing.
func among(t *testing.T, most int, engine string) {
	for {
		for place := range most {
			if lock, err := net.Listen("unix", fmt.Sprint("@ftsh-test-", engine, place)); err == nil {
				t.Cleanup(func() { _ = lock.Close() })
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (s *slurm) start(settings []string) {
	s.Helper()
	s.set("SLURM_CONF="+s.serve("../../testdata/slurm/cluster", settings), "SLURM_JOBS="+s.away+"/jobs",
		"FTSH_STATE_DIR="+s.away+"/state", "SLURM_INTERVAL=1", "SLURM_GRACE=3", "RAN="+s.ran, "FTSH_EXPMIN=0.2",
		"FTSH_EXPMAX=3")
	s.Cleanup(s.showLogs) // while the cluster still has its folder
}

// showLogs shows how the logs of the daemons end, if the test has failed.
func (s *slurm) showLogs() {
	if !s.Failed() {
		return
	}
	for _, daemon := range []string{"slurmctld", "slurmd"} {
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(s.conf()), daemon+".log"))
		lines := strings.SplitAfter(string(text), "\n")
		s.Logf("the log of %s:\n%s", daemon, strings.Join(lines[max(0, len(lines)-40):], ""))
	}
}

// queue lists the jobs as KEY|STATE|REASON.
func (s *slurm) queue() []string {
	return strings.Fields(strings.ReplaceAll(s.ask("squeue", "-h", "-t", "all", "-o", "%j|%T|%r"), " ", "_"))
}

// within waits for a condition.
func (s *scene) within(limit time.Duration, what string, condition func() bool) {
	s.Helper()
	for end := time.Now().Add(limit); !condition(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// idle waits until no job can run any more: those there are have ended, or are on hold.
func (s *slurm) idle() {
	s.Helper()
	s.within(2*time.Minute, "all jobs have ended", func() bool {
		active, known := s.active()
		return known && len(active) == 0
	})
}

// active lists the jobs that run, or can; known is false if the controller does not answer.
func (s *slurm) active() (active []string, known bool) {
	for _, job := range s.queue() {
		held := strings.HasSuffix(job, "eld") || strings.HasSuffix(job, "HeldUser")
		if strings.Contains(job, "|RUNNING|") || strings.Contains(job, "|COMPLETING|") ||
			strings.Contains(job, "|PENDING|") && !held {
			active = append(active, job)
		}
	}
	return active, s.ask("sinfo", "-h", "-o", "%T") != ""
}

// runs counts the lines that jobs have written: which have begun to run how often.
func (s *slurm) runs() map[string]int {
	text, _ := os.ReadFile(s.ran)
	count := map[string]int{}
	for line := range strings.Lines(string(text)) {
		count[strings.TrimSpace(line)]++
	}
	return count
}
