package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// TestOnSlurmCost measures what `on slurm` costs beside Slurm's own ways, in one run. The seconds mean something on a
// quiet machine only; so they are written down and not judged, and the requests are.
//
//	FTSH_TEST=long FTSH_SLURM_COST=1 go test ./cmd/ftsh -run TestOnSlurmCost -update
func TestOnSlurmCost(t *testing.T) {
	if os.Getenv("FTSH_SLURM_COST") == "" {
		skip.Test(t, "set FTSH_SLURM_COST to have it measure for a minute")
	}
	s := newOn(t, "CLUSTER_TIMEOUT=30") // on a busy machine the node answers late, and its jobs would be cancelled
	s.set("N="+strings.TrimSpace(strings.Join(numbersTo(1000), " ")), "H="+strings.Join(numbersTo(100), " "))
	s.jobfile("")
	table := "\n## cost of on slurm\n\n| what | s | requests | beside | s | times |\n" +
		"| --- | --- | --- | --- | --- | --- |\n"
	row := func(what, text, beside, other string, most float64, commands int) {
		var owns, others []time.Duration
		n := 0
		for range rounds { // in turn, as a busy machine is not always as busy
			s.requests()
			owns = append(owns, s.shell(text))
			requests := s.requests()
			n += requests["SUBMIT_BATCH_JOB"] + requests["JOB_INFO"] + requests["KILL_JOB"]
			others = append(others, s.shell(other))
		}
		own, slurms := middle(owns), middle(others)
		each := float64(n) / float64(commands*rounds)
		table += fmt.Sprintf("| %s | %.2f | %.2f for a command | %s | %.2f | %.2f (%.1f wanted) |\n",
			what, own.Seconds(), each, beside, slurms.Seconds(), own.Seconds()/slurms.Seconds(), most)
		if each > 2.2 {
			t.Errorf("%s: %.2f requests for a command", what, each)
		}
	}
	row("a command alone", "ftsh -c 'on slurm; /bin/true; end'", "`sbatch --wait`",
		"sbatch --wait --output=/dev/null --wrap=/bin/true", 1.3, 1)
	row("a forall of 100", "ftsh -c 'on slurm; forall n in $H; /bin/true; end; end'", "`sbatch --wait --array=0-99`",
		"sbatch --wait --array=0-99 --output=/dev/null --wrap=/bin/true", 1.3, 100)
	row("the same", "ftsh -c 'on slurm; forall n in $H; /bin/true; end; end'",
		"an array of `sbatch` whose tasks write a line each, until all are there",
		`: > done; sbatch -Q --array=0-99 --output=/dev/null --wrap="/bin/true; echo >> $PWD/done"; until [ $(wc -l < `+
			`done) = 100 ]; do sleep 0.05; done`, 1.3, 100)
	row("a forall of 100 with options that differ",
		"ftsh -c 'forall n in $H; on slurm --comment=$n; /bin/true; end; end'", "sbatch in a loop, and `wait`",
		"for n in $H; do sbatch --wait --output=/dev/null --wrap=/bin/true & done; wait", 1.3, 100)
	s.requests()
	var times []time.Duration
	for range rounds {
		times = append(times, s.shell("ftsh -c 'on slurm .pilots. 16; forall n in $N .limit. 16; /bin/true; end; end'"))
	}
	took := middle(times)
	table += fmt.Sprintf("| 1,000 in 16 pilots, 16 at once | %.2f | %.3f for a command | | | %.1f ms for each (5 "+
		"wanted) |\n",
		took.Seconds(), float64(s.requests()["SUBMIT_BATCH_JOB"])/1000/rounds, took.Seconds())
	interval, lists, during := 2*time.Second, 0, 12*time.Second
	lists = s.lists(50, interval, during)
	table += fmt.Sprintf("| 50 shells that wait for %v | | %d lists, one in %v | | | |\n", during, lists, interval)
	if most := int(during/interval) + 2; lists == 0 || lists > most {
		t.Errorf("%d lists, want one at least and at most %d", lists, most)
	}
	table += fmt.Sprintf("\nWritten by `FTSH_TEST=long FTSH_SLURM_COST=1 go test ./cmd/ftsh -run TestOnSlurmCost "+
		"-update`: the middle of %d runs each, in turn\n"+
		"with what they stand beside. `sbatch --wait` looks after 2 s, and then less and less often, so what takes "+
		"just longer looks much dearer with it.\n", rounds)
	t.Log(table)
	replaceTable(t, "cost of on slurm", table)
}

// rounds counts the measurements of each; the middle one counts.
const rounds = 5

// middle is the middle one of some times.
func middle(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func numbersTo(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

// lists counts the lists of the queue that so many shells ask for. They wait for a program: sleep is a builtin, and
// no job.
func (s *slurm) lists(shells int, interval, during time.Duration) int {
	s.set(fmt.Sprintf("FTSH_QUEUE_INTERVAL=%g", interval.Seconds()))
	s.requests()
	var wg sync.WaitGroup
	for range shells {
		wg.Go(func() { s.shell(fmt.Sprintf("ftsh -c 'on slurm; /bin/sleep %g; end'", during.Seconds())) })
	}
	wg.Wait()
	return s.requests()["JOB_INFO"]
}
