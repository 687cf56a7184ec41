package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// endedJobs says how many jobs a storm has whose jobs are being ended.
const endedJobs = 40

// endedScript runs a job for each key, whose output stays only if it is whole; the key says what the job does. Each
// fourth is left alone, and takes as long as others.
const endedScript = `
forall n in $KEYS .keepgoing.
    limit=1h
    mem=500M
    what=wrapper
    printf %s $n | tr -d 0-9 -> kind
    if $kind .eq. trap
        what=trap
    end
    if $kind .eq. timed
        what=timed
    end
    if $kind .eq. limit
        limit=2500ms
    end
    if $kind .eq. memory
        mem=50M
        what=memory
    end
    try for $limit or 1 times
        on slurm --mem=$mem --time=60
            sh $what $n => out.$n
        end
        echo $n >> succeeded
    catch
        echo $n ${error.kind} >> failed
    end
end
`

// endedPrograms are what the jobs run. They end with 0 if a process of theirs is killed, and their output tells
// whether all of it was done.
var endedPrograms = map[string]string{
	"wrapper": `echo $1 ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID} >> $RAN; echo header; for i in 1 2 3 4 5 6 7 8; do sleep 0.4; echo part; done; echo footer`,
	"timed": `echo $1 ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID} >> $RAN; echo header
for i in 1 2 3 4 5 6 7 8; do sleep 4.5; echo part; done; echo footer`,
	"trap": `echo $1 ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID} >> $RAN; trap "exit 0" TERM; echo header
for i in 1 2 3 4 5 6 7 8; do sleep 0.4; echo part; done; echo footer`,
	"memory": `echo header; for i in 1 2 3 4 5 6 7; do sleep 0.2; echo part; done
sh -c "head -c 200M /dev/zero | tail -c 200M > /dev/null" && echo part; echo footer`,
}

// ends are the kinds of failures of jobs whose output is not whole.
var ends = map[string]string{
	"trap": "cancelled", "wrapper": "cancelled", "memory": "memory", "limit": "timeout", "timed": "timeout"}

const wholeOutput = "header\npart\npart\npart\npart\npart\npart\npart\npart\nfooter\n"

// TestOnSlurmEnded: whatever ends a job, scancel, Slurm's own time, a limit, a kill of the shell, want of memory, and
// whatever the program makes of it, no half output is put in place, and no such job is a success; those that are left
// alone succeed.
//
//	FTSH_SLURM_SEEDS=20 FTSH_TEST=long go test ./cmd/ftsh -run TestOnSlurmEnded -timeout 2h
func TestOnSlurmEnded(t *testing.T) {
	s := newKilling(t)
	for _, seed := range seeds() {
		for _, how := range []string{"alive", "killed"} {
			t.Run(fmt.Sprint(how, " ", seed), func(t *testing.T) { s.endJobs(t, seed, how == "killed") })
		}
	}
}

// endJobs runs the jobs of a storm and ends them at random moments.
func (s *slurm) endJobs(t *testing.T, seed uint64, killed bool) {
	random := rand.New(rand.NewPCG(seed, 1))
	s.must(os.Truncate(s.ran, 0))
	for _, old := range []string{"succeeded", "failed"} {
		s.file(old, "")
	}
	left, _ := filepath.Glob(s.dir + "/out.*")
	for _, path := range left {
		s.must(os.Remove(path))
	}
	for name, text := range endedPrograms {
		s.file(name, text)
	}
	kinds := []string{"alone", "trap", "wrapper", "memory", "alone", "trap", "wrapper", "limit", "alone", "timed"}
	var names []string
	for i := range endedJobs {
		names = append(names, fmt.Sprint(kinds[i%len(kinds)], i))
	}
	s.set("KEYS=" + strings.Join(names, " "))
	p := s.beginFor(4*patience, "-c", endedScript)
	var wg sync.WaitGroup
	for _, name := range names {
		pause := time.Duration(random.Int64N(int64(3 * time.Second)))
		wg.Go(func() { s.endAfter(name, pause, killed) })
	}
	if killed {
		s.within(2*patience, "jobs run", func() bool { return len(s.runs()) > endedJobs/2 })
		time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
		s.must(p.cmd.Process.Kill())
		p.end().ends("KILL")
	} else {
		p.end().ends("0")
	}
	wg.Wait()
	s.idle()
	s.judgeEnds(t, names, killed)
}

// endAfter ends a job some time after it has begun, as its name says.
func (s *slurm) endAfter(name string, pause time.Duration, killed bool) {
	kind := strings.TrimRight(name, "0123456789")
	number := ""
	for end := time.Now().Add(patience); number == ""; time.Sleep(20 * time.Millisecond) {
		for line := range s.runs() {
			if key, of, _ := strings.Cut(line, " "); key == name {
				number = of
			}
		}
		if time.Now().After(end) || killed {
			return // the shell was killed before, or its kill is what ends the jobs
		}
	}
	time.Sleep(pause)
	switch kind {
	case "trap", "wrapper":
		s.ask("scancel", number)
	case "timed": // Slurm looks every 30 s who has reached the end of its time, and when it starts another
		s.ask("scontrol", "update", "JobId="+number, "EndTime="+time.Now().Format("2006-01-02T15:04:05"))
	}
}

// judgeEnds compares what the jobs have put in place with what is said of them.
func (s *slurm) judgeEnds(t *testing.T, names []string, killed bool) {
	succeeded := strings.Fields(s.read("succeeded"))
	failed := map[string]string{}
	for line := range strings.Lines(s.read("failed")) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		failed[name] = kind
	}
	count := map[string]int{}
	for _, name := range names {
		text, err := os.ReadFile(s.dir + "/out." + name)
		kind := strings.TrimRight(name, "0123456789")
		there, whole, success := err == nil, string(text) == wholeOutput, slices.Contains(succeeded, name)
		switch {
		case there && !whole:
			t.Errorf("%s: half of its output was put in place: %q", name, text)
		case success && !there:
			t.Errorf("%s: a success without output", name)
		case there && !success && !killed:
			t.Errorf("%s: its output was put in place, and it failed: %s", name, failed[name])
		case kind == "alone" && !success && !killed:
			t.Errorf("%s was left alone and failed: %s", name, failed[name])
		case ends[kind] != "" && !killed && !whole && failed[name] != ends[kind]:
			t.Errorf("%s: %q, want %s", name, failed[name], ends[kind])
		}
		switch {
		case success:
			count[kind+" succeeded"]++
		default:
			count[kind+" "+failed[name]]++
		}
	}
	t.Log(count)
}
