package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
	"ftsh/testdata/skip"
)

// The acceptance test of submission: 40 keys at once, while the controller freezes
// and restarts and submitters are killed.
//
//	FTSH_SLURM_SEEDS=20 go test ./cmd/ftsh -run TestSlurmStorm -timeout 2h -update
//
// writes the figures of twenty seeds to testdata/slurm/figures.md.

const keys = 40

// storm is one run of it.
type storm struct {
	*slurm
	*rand.Rand
	script string
	crash  bool          // the controller is killed, too
	ready  func() bool   // submitters may be killed; nil: they may
	twice  string        // a fault that comes twice at most: node, forget, full; "": none
	disk   smallDisk     // of the folder of jobs, which may be full
	single bool          // one shell for each key
	arrays bool          // some are arrays
	spread time.Duration // between the keys
	wg     sync.WaitGroup

	mu      sync.Mutex
	living  map[*exec.Cmd]string // submitters, by key
	over    bool                 // nobody is killed any more
	kills   int
	faults  map[string]int
	failed  []string
	hung    []string            // keys of submitters that had to be ended
	numbers map[string][]string // that submitters have printed, by key
}

func newStorm(t *testing.T, script string, seed uint64) *storm {
	s := &storm{slurm: newSlurm(t, "CLUSTER_MEMORY=5", "CLUSTER_LIMIT=60"), Rand: rand.New(rand.NewPCG(seed, 1)),
		script: script}
	s.living, s.faults, s.numbers = map[*exec.Cmd]string{}, map[string]int{}, map[string][]string{}
	s.program(s.dir+"/job.sh", "#SBATCH --output=/dev/null\n"+`
key=$SLURM_JOB_NAME${SLURM_ARRAY_TASK_ID:+.$SLURM_ARRAY_TASK_ID}
trap 'echo "signal $key" >> $RAN' USR1
echo "begin $key" >> $RAN
sleep ${SECONDS_OF_WORK:-0.3} || exec sleep 60 # all are killed, one by one
echo "end $key" >> $RAN
exit ${SLURM_ARRAY_TASK_ID:-0}
`)
	return s
}

func key(n int) string { return fmt.Sprintf("key-%02d", n) }

// array tells whether a key is an array of two tasks, of which the second fails.
func (s *storm) array(key string) bool { return s.arrays && strings.HasSuffix(key, "3") }

// units returns what runs for the n-th key: one job, or the tasks of an array.
func (s *storm) units(n int) []string {
	if s.array(key(n)) {
		return []string{key(n) + ".0", key(n) + ".1"}
	}
	return []string{key(n)}
}

// submit starts a shell for a key, and starts it again whenever it was killed.
func (s *storm) submit(key string, delay time.Duration) {
	s.wg.Go(func() {
		time.Sleep(delay)
		for s.attempt(key) {
		}
	})
}

// attempt runs a submitter once, and tells whether it was killed.
func (s *storm) attempt(key string) bool {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("ftsh", s.script, key, s.dir+"/job.sh")
	if s.array(key) {
		cmd.Args = append(cmd.Args, "--array=0-1")
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	s.mu.Lock()
	err := cmd.Start()
	s.living[cmd] = key
	s.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.living, cmd)
	status := shelltest.StatusOf(err)
	if status == "KILL" {
		return len(s.hung) == 0
	}
	s.numbers[key] = append(s.numbers[key], strings.TrimSpace(stdout.String()))
	if status != "0" {
		s.failed = append(s.failed, fmt.Sprintf("%s: status %s: %s", key, status, &stderr))
	}
	return false
}

// finish waits for all submitters. None takes so long, unless it hangs.
func (s *storm) finish() {
	s.Helper()
	limit := time.AfterFunc(6*time.Minute, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for cmd, key := range s.living {
			s.hung = append(s.hung, key)
			_ = cmd.Process.Kill()
		}
	})
	defer limit.Stop()
	ended := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			s.finished()
			return
		case <-time.After(time.Second):
			s.repair()
		}
	}
}

// finished tells of submitters that hung.
func (s *storm) finished() {
	s.Helper()
	if len(s.hung) > 0 && s.crash {
		skip.Test(s.T, "the controller shows jobs as running that it has never started: %q", s.queue())
	}
	if len(s.hung) > 0 {
		s.Fatalf("after 6 minutes there were still submitters of %q; the queue: %q", s.hung, s.queue())
	}
}

// seeds are those asked for, as in 20 or 11-20; 1 by default.
func seeds() []uint64 {
	first, last := 1, 1
	if text := os.Getenv("FTSH_SLURM_SEEDS"); strings.Contains(text, "-") {
		_, _ = fmt.Sscanf(text, "%d-%d", &first, &last)
	} else {
		_, _ = fmt.Sscan(text, &last)
	}
	var list []uint64
	for seed := first; seed <= last; seed++ {
		list = append(list, uint64(seed))
	}
	return list
}

// TestSlurmStorm: with submit.ftsh every key runs exactly once, also when it is
// submitted once more after its job has ended and was forgotten.
func TestSlurmStorm(t *testing.T) {
	var results []result
	for _, seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newStorm(t, example("slurm/submit.ftsh"), seed)
			s.arrays = true
			r := s.weather(seed)
			if results = append(results, r); r.lost+r.repeated+r.cut > 0 {
				t.Errorf("%+v: %v", r, s.runs())
			}
			s.again(seed)
			writeDown(t, "submit.ftsh", results)
		})
	}
}

// again submits keys once more, whose jobs have been forgotten, and waits for arrays.
func (s *storm) again(seed uint64) {
	s.within(2*time.Minute, "the controller forgets", func() bool {
		return !slices.ContainsFunc(s.queue(), func(job string) bool { return !strings.HasSuffix(job, "eld") })
	})
	clear(s.numbers)
	for n := 0; n < keys; n += 5 {
		s.submit(key(n), 0)
	}
	s.finish()
	s.idle()
	if r := s.count(seed); r.lost+r.repeated+r.cut > 0 {
		s.Errorf("after all was forgotten: %+v", r)
	}
	for key, numbers := range s.numbers {
		if claim, _ := os.Readlink(s.records(key + "/claim")); len(numbers) != 1 ||
			!strings.HasPrefix(claim, numbers[0]+".") {
			s.Errorf("%s is job %q, and was claimed by %q", key, numbers, claim)
		}
	}
	for n := range keys {
		if s.array(key(n)) {
			s.run("slurm/wait.ftsh", key(n)).ends("1")
		}
	}
}

// TestSlurmStormPlain: the same storm doubles jobs where sbatch is just repeated.
// Else the test above would show nothing.
func TestSlurmStormPlain(t *testing.T) {
	var results []result
	for _, seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newStorm(t, "", seed)
			s.script = s.file("plain.ftsh", "try for 5 minutes\n    sbatch --parsable --job-name=$1 $2\nend\n")
			s.single = true // two shells for a key double it without any storm
			r := s.weather(seed)
			if results = append(results, r); r.repeated == 0 {
				t.Errorf("%+v: nothing was doubled", r)
			}
			writeDown(t, "plain try", results)
		})
	}
}

// TestSlurmStormCrash: when the controller is killed it forgets what it has said,
// and begins what had begun. With ensure.ftsh no job runs to its end twice, and
// all do.
func TestSlurmStormCrash(t *testing.T) {
	var results []result
	for _, seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newStorm(t, example("slurm/ensure.ftsh"), seed)
			s.crash, s.spread = true, time.Second/3
			s.set("SECONDS_OF_WORK=3", "SLURM_GRACE=15") // in which a job that was forgotten ends, also under load
			r := s.weather(seed)
			if results = append(results, r); r.lost+r.repeated > 0 {
				t.Errorf("%+v: %v", r, s.runs())
			}
			writeDown(t, "ensure.ftsh", results)
		})
	}
}
