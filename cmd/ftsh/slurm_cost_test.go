package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// ways are ways to submit jobs: each a text for a shell, of N jobs whose names begin with P.
var ways = []struct{ name, text string }{
	{"sbatch in a loop", `for i in $(seq $N); do sbatch --job-name=$P$i job.sh; done`},
	{"`submit.ftsh`, a shell for each", `for i in $(seq $N); do ftsh $EXAMPLES/submit.ftsh $P$i job.sh; done`},
	{"`submit.ftsh --list`, options differ", `for i in $(seq $N); do echo $P$i job.sh --comment=$i; done > list
		ftsh $EXAMPLES/submit.ftsh --list list`},
	{"the same list again", `ftsh $EXAMPLES/submit.ftsh --list list`},
	{"`submit.ftsh --list`, one array", `for i in $(seq $N); do echo $P$i job.sh; done > list
		ftsh $EXAMPLES/submit.ftsh --list list`},
}

// TestSlurmCost measures what it costs to submit many jobs, beside sbatch in a loop, with an empty
// queue and with thousands of jobs in it. The numbers mean something on a quiet machine only; so they
// are written down and not judged.
//
//	FTSH_TEST=long FTSH_SLURM_COST=5000 go test ./cmd/ftsh -run TestSlurmCost -timeout 1h -update
func TestSlurmCost(t *testing.T) {
	most, jobs := 0, 200
	if n, _ := fmt.Sscan(os.Getenv("FTSH_SLURM_COST"), &most, &jobs); n == 0 {
		skip.Test(t, "set FTSH_SLURM_COST to how many jobs shall be queued, and how many submitted (200)")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n## cost\n\n| jobs in the queue | %d jobs by | s | requests | times sbatch in a loop |\n"+
		"| --- | --- | --- | --- | --- |\n", jobs)
	s := newSlurm(t)
	for _, queued := range []int{0, most} {
		s.jobfile("")
		s.set("EXAMPLES="+example("slurm"), fmt.Sprintf("N=%d", jobs))
		s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
		for left := queued; left > 0; left -= 1000 {
			s.ask("sbatch", "--hold", fmt.Sprintf("--array=1-%d", min(left, 1000)), "--wrap=true")
		}
		s.run("slurm/list.ftsh", "none").ends("1") // the cluster's name is known from now on
		var loop time.Duration
		for i, way := range ways {
			s.requests()
			s.set(fmt.Sprintf("P=k%d-%d-", i, queued))
			took := s.shell(way.text)
			if i == 0 {
				loop = took
			}
			requests := s.requests()
			fmt.Fprintf(&table, "| %d | %s | %.1f | %d sbatch, %d squeue | %.2f |\n", queued, way.name, took.Seconds(),
				requests["SUBMIT_BATCH_JOB"], requests["JOB_INFO"], took.Seconds()/loop.Seconds())
		}
	}
	t.Log(table.String())
	replaceTable(t, "cost", table.String())
}

// shell runs a text in sh, which must succeed, and returns how long that took.
func (s *slurm) shell(text string) time.Duration {
	s.Helper()
	cmd := exec.Command("sh", "-ec", text)
	cmd.Dir, cmd.Env = s.dir, s.env
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	return time.Since(began)
}
