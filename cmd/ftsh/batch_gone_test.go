package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestJobsGone: a job that was killed together with its runner does not run for ever: `--jobs` asks the batch system.
// What that does not have any more is gone; if it does not answer, or says that the job runs, that is how it is
// listed. A job of a shell that lives is its own to judge; one whose number another process has by now is dead, and
// whether one of another host lives cannot be seen: its job stays.
func TestJobsGone(t *testing.T) {
	s := newFake(t)
	const script = "on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end"
	s.killed(script, "it runs", func() bool { return s.lines("ran") == 1 })
	list := func(want, says string) func() bool {
		return func() bool {
			p := s.beginShell("--jobs").end().ends("0")
			row := strings.Fields(p.stdout.String()[strings.Index(p.stdout.String(), "\n")+1:])
			return row[2] == want && strings.Contains(p.stdout.String()+p.stderr.String(), says)
		}
	}
	s.within(patience, "it is listed", list("running", ""))
	orders, err := filepath.Glob(s.away + "/on/" + fakeCluster + "/*/job")
	if err != nil || len(orders) != 1 {
		t.Fatal(orders, err)
	}
	order, err := os.ReadFile(orders[0])
	s.must(err)
	shell := regexp.MustCompile(`("process":"[^/]+/)\d+/`)
	taken := shell.ReplaceAllString(string(order), fmt.Sprintf("${1}%d/", os.Getpid()))
	if taken == string(order) {
		t.Fatalf("no shell is named: %s", order)
	}
	s.must(os.WriteFile(orders[0], []byte(taken), 0o600))
	s.kill("fake/job-1/pid")
	s.kill("ran")
	s.within(patience, "it is dead", func() bool { return !s.lives("ran") && !s.lives("fake/job-1/pid") })
	s.program(s.away+"/bin/squeue", "echo slurm_load_jobs error: Unable to contact slurm controller >&2; exit 1\n")
	s.must(os.RemoveAll(s.away + "/on/" + fakeCluster + "/.list-" + hostOf(t)))
	s.within(patience, "the batch system is asked",
		list("running", "the batch system does not answer: what is running is listed as it was last seen\n"))
	s.program(s.away+"/bin/squeue", fakeSqueue)
	s.file("fake/job-1/state", "CANCELLED\n")
	s.within(patience, "it answers again", list("gone", ""))
	p := s.beginShell("--jobs", "failed").end().ends("0")
	if !strings.Contains(p.stdout.String(), "; it has left no status\n") {
		t.Errorf("why is not said: %s", &p.stdout)
	}
	s.beginShell("--jobs", "clean").end().ends("0").says("removed 0\n" + strings.Fields(s.row("sh-"))[0] +
		": the script's next run finds out what became of it\n")
	alone := strings.Replace(string(order), `"outlives":true,`, "", 1)
	elsewhere := strings.Replace(alone, `"host":"`+hostOf(t), `"host":"elsewhere`, 1)
	if len(alone) == len(order) || elsewhere == alone {
		t.Fatalf("no host, or no journal, is named: %s", order)
	}
	s.must(os.WriteFile(orders[0], []byte(elsewhere), 0o600))
	s.beginShell("--jobs", "clean").end().ends("0").says("removed 0\n" + strings.Fields(s.row("sh-"))[0] +
		": its shell ran on elsewhere, and cannot be seen from here\n")
	s.must(os.WriteFile(orders[0], []byte(alone), 0o600))
	s.beginShell("--jobs", "clean").end().ends("0").says("removed 1\n")
	p = s.beginShell("-c", script)
	s.within(patience, "another runs, and is guarded", func() bool {
		if s.lines("ran") < 2 {
			return false
		}
		runner, err := strconv.Atoi(strings.TrimSpace(s.read("fake/job-2/pid")))
		return err == nil && guardianOf(runner) != 0
	})
	s.kill("fake/job-2/pid")
	p.end().ends("1") // it is lost
}

// TestJobsEnding: a job that was cancelled as its shell died, and does not end at once, is listed as ending; then as
// cancelled, though it has left no status. Its runner has as much time as the shell had left to its programs.
func TestJobsEnding(t *testing.T) {
	s := newFake(t)
	p := s.beginShell("-t", "10", "-c",
		"on slurm; sh -c 'trap \"\" TERM; echo $$ >> ran; while :; do sleep 0.02; done'; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	state := func() string { return strings.Fields(s.row("sh-"))[2] }
	s.within(patience, "its guardian has told it to end", func() bool { return state() == "ending" })
	s.within(patience, "the batch system was asked to cancel it", func() bool { return s.exists("fake/job-1/state") })
	s.kill("fake/job-1/pid")
	s.kill("ran")
	s.within(patience, "it has ended", func() bool { return state() == "cancelled" })
}

func hostOf(t *testing.T) string {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return host
}
