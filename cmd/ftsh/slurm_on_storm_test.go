package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ftsh/testdata/shelltest"
)

// onStorms lists what may happen to the 40 jobs of a forall, besides a controller that freezes and restarts.
var onStorms = map[string]struct {
	crash   bool   // the controller is killed
	twice   string // see storm
	killed  bool   // the shell is killed
	journal bool   // it has a journal, and goes on
	pilots  bool   // run the programs
}{
	"controller": {},
	"crash":      {crash: true},
	"node":       {twice: "node"},
	"forget":     {twice: "forget"},
	"full":       {twice: "full"},
	"killed":     {killed: true},
	"journal":    {killed: true, journal: true},
	"everything": {killed: true, journal: true, crash: true, twice: "node"},
	"pilots":     {killed: true, journal: true, pilots: true},
	"pilots off": {twice: "node", pilots: true},
}

// TestOnSlurmStorm: each branch of a forall runs its job exactly once, and succeeds. What is lost with its node or
// the controller's memory is reported as lost, though it may have done its work in its last moment: a verify
// finds out, and none runs to its end twice. The jobs take from 0 to 8 s, so that some run whatever happens when. When
// the shell is killed nothing is left, or, with a journal, nothing is doubled.
//
//	FTSH_SLURM_SEEDS=20 FTSH_TEST=long go test ./cmd/ftsh -run TestOnSlurmStorm -timeout 6h
//
// testdata/slurm/figures.md has what was counted. Without FTSH_SLURM_SEEDS one seed of each is run.
func TestOnSlurmStorm(t *testing.T) {
	for name := range onStorms {
		for _, seed := range seeds() {
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) { onStorm(t, name, seed) })
		}
	}
}

func onStorm(t *testing.T, name string, seed uint64) {
	kind := onStorms[name]
	s := newStorm(t, "", seed)
	s.crash, s.twice = kind.crash, kind.twice
	if kind.twice == "full" {
		s.disk = s.small(64 << 20)
	}
	s.set("FTSH_JOBS="+s.away+"/on", "FTSH_QUEUE_INTERVAL=2", "KEYS="+numbered(keys))
	around := "on here"
	if kind.pilots {
		around = "on slurm .pilots. 8"
	}
	s.file("storm.ftsh", around+`
forall key in $KEYS .keepgoing.
    try for 3 minutes
        if ${try.attempt} .gt. 1
            echo "$key ${last.kind}" >> again
        end
        on slurm
            sh -c 'echo "begin $0" >> $RAN; n=${0#key-}; n=${n%?}.${n#?}; sleep $n $n; echo "end $0" >> $RAN' $key
        end
    verify
        if try grep -qx "end $key" $RAN
            echo "$key" >> verified
        else
            absent
        end
    catch
        echo "$key ${error.kind}" >> reported
    end
end
end
`)
	s.file("reported", "")
	s.file("again", "")
	s.file("verified", "")
	if kind.killed && !kind.journal { // in the middle
		s.ready = func() bool { return len(s.runs()) > keys/2 }
	}
	s.do("freeze")
	s.submitAll(kind.killed, kind.journal)
	s.pause(time.Second, 4*time.Second)
	s.do("thaw")
	s.rage(15 * time.Second)
	s.finish()
	s.within(2*time.Minute, "the guardian of a shell that was killed has cancelled its jobs",
		func() bool { return !s.guarded() })
	disturbed := kind.crash || kind.twice != ""
	if kind.crash {
		s.quiet()
	} else {
		s.idle()
	}
	s.judge(kind.killed && !kind.journal, disturbed)
	t.Logf("%s, seed %d: %d keys ran, %v, %d kills, again %q, verified %q, reported %q", name, seed, len(s.runs())/2,
		s.faults, s.kills, s.read("again"), s.read("verified"), s.read("reported"))
}

// judge compares the ledger with what the script says.
func (s *storm) judge(partly, disturbed bool) {
	s.Helper()
	runs, again, reported := s.runs(), s.read("again"), s.read("reported")
	for n := range keys {
		key := key(n)
		begun, ended := runs["begin "+key], runs["end "+key]
		told := strings.Contains(reported, key+" ")
		switch {
		case ended > 1:
			s.Errorf("%s ran to its end %d times", key, ended)
		case partly && begun <= 1:
		case ended == 0 && !(disturbed && told):
			s.Errorf("%s did not run to its end, and was not reported", key)
		case begun > 1 && !(disturbed && strings.Contains(again, key+" ")):
			s.Errorf("%s began %d times, and no failure was seen", key, begun)
		case told && !disturbed:
			s.Errorf("%s was reported as failed", key)
		}
	}
}

// quiet waits until nothing can begin any more, and nothing runs. After a crash the controller may show jobs as
// running for ever that it has never started, or that have ended, so it is their processes that count.
func (s *storm) quiet() {
	s.Helper()
	s.within(2*time.Minute, "no job waits in the queue, and no runner lives", func() bool {
		s.repair()
		active, known := s.active()
		waits := func(job string) bool { return strings.Contains(job, "|PENDING|") }
		return known && !slices.ContainsFunc(active, waits) && !s.runners()
	})
}

// runners reports whether the process of a job lives.
func (s *storm) runners() bool {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.ContainsFunc(lines, func(path string) bool {
		text, _ := os.ReadFile(path) // it may have ended since
		return bytes.Contains(text, []byte("\x00--job\x00"+s.away+"/on/"))
	})
}

// guarded reports whether a guardian lives.
func (s *scene) guarded() bool {
	for _, command := range shelltest.Carriers(s.mark) {
		if strings.HasPrefix(command, "ftsh-guardian ") {
			return true
		}
	}
	return false
}

// numbered is so many keys.
func numbered(n int) string {
	var list []string
	for i := range n {
		list = append(list, key(i))
	}
	return strings.Join(list, " ")
}

// submitAll runs the script; with a journal again whenever its shell was killed.
func (s *storm) submitAll(killed, journal bool) {
	args := []string{"-l", "30", "storm.ftsh"}
	if journal {
		args = append([]string{"--journal", s.dir + "/storm"}, args...)
	}
	s.wg.Go(func() {
		for s.runShell(args, killed) == "KILL" && journal && len(s.hung) == 0 {
		}
	})
}

// runShell runs a shell to its end, and is its status.
func (s *storm) runShell(args []string, killed bool) string {
	var out bytes.Buffer
	cmd := exec.Command("ftsh", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &out, &out
	cmd.WaitDelay = 10 * time.Second
	began := time.Now()
	s.mu.Lock()
	err := cmd.Start()
	if killed {
		s.living[cmd] = "storm"
	}
	s.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	s.mu.Lock()
	delete(s.living, cmd)
	s.mu.Unlock()
	status := shelltest.StatusOf(err)
	text := out.Bytes()
	if status == "KILL" {
		text = nil
	}
	s.Logf("a shell ended after %v, status %s\n%s", time.Since(began), status, text[max(0, len(text)-4000):])
	return status
}
