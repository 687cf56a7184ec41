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

// endedPrograms are run by the jobs. They end with 0 if a process of theirs is killed, and their output tells
// whether all of it was done.
var endedPrograms = map[string]string{
	"wrapper": `echo $1 $NUMBER >> $RAN; echo header; for i in 1 2 3 4 5 6 7 8; do sleep 0.4; echo part; done; echo ` +
		`footer`,
	"timed": `echo $1 $NUMBER >> $RAN; echo header
for i in 1 2 3 4 5 6 7 8; do sleep 4.5; echo part; done; echo footer`,
	"trap": `echo $1 $NUMBER >> $RAN; trap "exit 0" TERM; echo header
for i in 1 2 3 4 5 6 7 8; do sleep 0.4; echo part; done; echo footer`,
	"memory": `echo header; for i in 1 2 3 4 5 6 7; do sleep 0.2; echo part; done
sh -c "head -c 200M /dev/zero | tail -c 200M > /dev/null" && echo part; echo footer`,
}

// ends are the kinds of failures of jobs whose output is not whole.
var ends = map[string]string{
	"trap": "cancelled", "wrapper": "cancelled", "memory": "memory", "limit": "timeout", "timed": "timeout"}

// ownNumber says how a job finds its number: of an array that of the task.
const ownNumber = `NUMBER=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
[ "$NUMBER" ] || NUMBER=$JOB_ID$([ "$SGE_TASK_ID" = undefined ] || echo .$SGE_TASK_ID)
`

const wholeOutput = "header\npart\npart\npart\npart\npart\npart\npart\npart\nfooter\n"

// ending is a storm in which jobs are being ended.
type ending struct {
	*scene
	ran    string              // where the jobs write their names and numbers
	kinds  []string            // what the jobs are, in turn
	script func(string) string // for the batch system
	cancel func(number string)
	expire func(number string) // has the job's own time be over
	idle   func()
	pilots bool // run the programs: who ends one of these ends whatever it runs then
}

// TestOnSlurmEnded: whatever ends a job, scancel, Slurm's own time, a limit, a kill of the shell, want of memory, and
// whatever the program makes of it, no half output is put in place, and no such job is a success; those that are left
// alone succeed.
//
//	FTSH_SLURM_SEEDS=20 FTSH_TEST=long go test ./cmd/ftsh -run TestOnSlurmEnded -timeout 2h
//
// testdata/slurm/figures.md has what was counted.
func TestOnSlurmEnded(t *testing.T) {
	s := newKilling(t)
	e := &ending{scene: s.scene, ran: s.ran, idle: s.idle,
		kinds:  []string{"alone", "trap", "wrapper", "memory", "alone", "trap", "wrapper", "limit", "alone", "timed"},
		script: func(text string) string { return text },
		cancel: func(number string) { s.ask("scancel", number) },
		expire: func(number string) { // Slurm looks every 30 s who has reached the end of its time
			s.ask("scontrol", "update", "JobId="+number, "EndTime="+time.Now().Format("2006-01-02T15:04:05"))
		}}
	for _, seed := range seeds() {
		t.Run(fmt.Sprint("alive ", seed), func(t *testing.T) { e.run(t, seed, false) })
		t.Run(fmt.Sprint("killed ", seed), func(t *testing.T) { e.run(t, seed, true) })
	}
	e.pilots, e.kinds = true, []string{"alone", "trap", "wrapper", "alone", "limit"}
	e.script = func(text string) string {
		return "on slurm .pilots. 40" + strings.NewReplacer("on slurm --mem=$mem --time=60", "on slurm",
			"printf %s $n | tr -d 0-9 -> kind", "on here; printf %s $n | tr -d 0-9 -> kind; end").Replace(text) + "end\n"
	}
	for _, seed := range seeds() {
		t.Run(fmt.Sprint("pilots ", seed), func(t *testing.T) { e.run(t, seed, false) })
	}
}

// TestOnGridEngineEnded: the same on Grid Engine, which kills: by qdel, and at the end of a job's time. Want of
// memory shows as a failure of the program there.
func TestOnGridEngineEnded(t *testing.T) {
	s := newGridEngine(t)
	e := &ending{scene: s.scene, ran: s.away + "/ran", idle: s.idle,
		kinds: []string{"alone", "trap", "wrapper", "limit"},
		script: func(text string) string {
			return strings.Replace(text, "on slurm --mem=$mem --time=60", "on gridengine", 1)
		},
		cancel: func(number string) { s.ask(s.root+"/bin/qdel", number) },
	}
	for _, seed := range seeds() {
		t.Run(fmt.Sprint("alive ", seed), func(t *testing.T) { e.run(t, seed, false) })
		t.Run(fmt.Sprint("killed ", seed), func(t *testing.T) { e.run(t, seed, true) })
	}
}

// run runs the jobs of a storm and ends them at random moments.
func (s *ending) run(t *testing.T, seed uint64, killed bool) {
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
		s.file(name, ownNumber+text)
	}
	var names []string
	for i := range endedJobs {
		names = append(names, fmt.Sprint(s.kinds[i%len(s.kinds)], i))
	}
	s.set("KEYS=" + strings.Join(names, " "))
	p := s.beginFor(6*patience, "-c", s.script(endedScript))
	var wg sync.WaitGroup
	for _, name := range names {
		pause := time.Duration(random.Int64N(int64(3 * time.Second)))
		if !killed { // else that is what ends the jobs
			wg.Go(func() { s.endAfter(name, pause) })
		}
	}
	if killed {
		s.within(2*patience, "jobs run", func() bool { return len(s.numbers()) > endedJobs/2 })
		time.Sleep(time.Duration(random.Int64N(int64(2 * time.Second))))
		s.must(p.cmd.Process.Kill())
		p.end().ends("KILL")
	} else {
		p.end().ends("0")
	}
	wg.Wait()
	s.within(2*patience, "the guardian has cancelled its jobs", func() bool { return !s.guarded() })
	s.idle()
	s.judgeEnds(t, names, killed)
}

// numbers are those of the jobs that have begun, by their names.
func (s *ending) numbers() map[string]string {
	text, _ := os.ReadFile(s.ran)
	numbers := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		numbers[name] = number
	}
	return numbers
}

// endAfter ends a job some time after it has begun, as its name says.
func (s *ending) endAfter(name string, pause time.Duration) {
	number := ""
	for end := time.Now().Add(2 * patience); number == ""; time.Sleep(20 * time.Millisecond) {
		if number = s.numbers()[name]; time.Now().After(end) {
			return // it was ended before it began, or says nothing
		}
	}
	time.Sleep(pause)
	switch strings.TrimRight(name, "0123456789") {
	case "trap", "wrapper":
		s.cancel(number)
	case "timed":
		s.expire(number)
	}
}

// judgeEnds compares what the jobs have put in place with what is said of them.
func (s *ending) judgeEnds(t *testing.T, names []string, killed bool) {
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
		case kind == "alone" && !success && !killed && !s.pilots:
			t.Errorf("%s was left alone and failed: %s", name, failed[name])
		case ends[kind] != "" && !killed && !whole && !s.pilots && failed[name] != ends[kind]:
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
