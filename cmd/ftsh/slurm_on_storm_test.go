package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestOnSlurmStorm: while the controller freezes and restarts, each branch of a forall runs its job exactly
// once, and succeeds; if the controller is killed, too, none runs twice, and what was lost is reported.
//
//	FTSH_SLURM_SEEDS=20 FTSH_TEST=long go test ./cmd/ftsh -run TestOnSlurmStorm -timeout 2h
func TestOnSlurmStorm(t *testing.T) {
	for _, seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { onStorm(t, seed, false) })
		if seed%4 == 0 {
			t.Run(fmt.Sprint("crash ", seed), func(t *testing.T) { onStorm(t, seed, true) })
		}
	}
}

func onStorm(t *testing.T, seed uint64, crash bool) {
	s := newStorm(t, "", seed)
	s.crash = crash
	s.set("FTSH_JOBS="+s.away+"/on", "FTSH_QUEUE_INTERVAL=2", "KEYS="+numbered(keys))
	s.file("storm.ftsh", `forall key in $KEYS .keepgoing.
    try for 3 minutes
        on slurm
            sh -c 'echo "$0" >> $RAN; sleep 0.3' $key
        end
    catch
        echo "$key ${error.kind}" >> reported
    end
end
`)
	s.file("reported", "")
	s.do("freeze")
	s.submitAll()
	s.pause(time.Second, 4*time.Second)
	s.do("thaw")
	s.rage(15 * time.Second)
	s.finish()
	runs := s.runs()
	for n := range keys {
		if ran := runs[key(n)]; ran != 1 && !(crash && ran == 0 && strings.Contains(s.read("reported"), key(n)+" ")) {
			t.Errorf("seed %d: %s ran %d times", seed, key(n), ran)
		}
	}
	if reported := s.read("reported"); reported != "" && !crash {
		t.Errorf("seed %d: reported %q", seed, reported)
	}
	if !crash {
		s.idle()
	}
	t.Logf("seed %d: %d keys, %v, reported %q", seed, len(runs), s.faults, s.read("reported"))
}

// numbered is so many keys.
func numbered(n int) string {
	var list []string
	for i := range n {
		list = append(list, key(i))
	}
	return strings.Join(list, " ")
}

// submitAll runs the script, which nobody kills.
func (s *storm) submitAll() {
	s.wg.Go(func() {
		cmd := exec.Command("ftsh", "-l", "30", "storm.ftsh")
		cmd.Dir, cmd.Env = s.dir, s.env
		out, err := cmd.CombinedOutput()
		s.Logf("%v\n%s", err, out[max(0, len(out)-4000):])
	})
}
