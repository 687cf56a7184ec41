package main

import (
	"strings"
	"syscall"
	"testing"
)

// submitted counts the requests to submit since it was asked last.
func (s *slurm) submitted() int { return s.requests()["SUBMIT_BATCH_JOB"] }

// TestOnSlurmArray: the branches of a forall go in as one array, each runs once, and one that fails is repeated by
// itself.
func TestOnSlurmArray(t *testing.T) {
	s := newOn(t)
	s.submitted()
	s.script("set -- " + numbered(20) + `
on slurm
    forall key in "$@"
        try 2 times every 0s
            sh -c 'echo "$0" >> $RAN; [ $0 != key-07 ] || [ $(grep -cx key-07 $RAN) = 2 ]' $key
        end
    end
end`).end().ends("0")
	if n := s.submitted(); n != 2 {
		t.Errorf("%d submissions, want the array and one", n)
	}
	for n := range 20 {
		want := 1
		if key(n) == "key-07" {
			want = 2
		}
		if ran := s.runs()[key(n)]; ran != want {
			t.Errorf("%s ran %d times, want %d", key(n), ran, want)
		}
	}
	s.idle()
	if left := s.tickets(); len(left) != 0 {
		t.Errorf("folders left: %q, though the second attempt made the failure good", left)
	}
}

// TestOnSlurmArrayLimit: a site that takes smaller arrays gets these.
func TestOnSlurmArrayLimit(t *testing.T) {
	s := newOn(t, "CLUSTER_ARRAY=8")
	s.submitted()
	s.script("set -- " + numbered(20) +
		"\non slurm; forall key in \"$@\"; sh -c 'echo \"$0\" >> $RAN' $key; end; end").end().ends("0")
	if n := s.submitted(); n != 4 {
		t.Errorf("%d submissions, want a refusal and three", n)
	}
	for n := range 20 {
		s.once(key(n))
	}
}

// TestOnSlurmArraySubmitLimit: where a user may have few jobs, those that are too many wait for the others.
func TestOnSlurmArraySubmitLimit(t *testing.T) {
	s := newOn(t, "CLUSTER_LIMIT=3")
	s.ask("sbatch", "--hold", "--job-name=others", "--output=/dev/null", "--array=1-2", "--wrap=true")
	s.script("set -- " + numbered(6) +
		"\non slurm; forall key in \"$@\"; sh -c 'echo \"$0\" >> $RAN' $key; end; end").end().ends("0")
	for n := range 6 {
		s.once(key(n))
	}
}

// TestOnSlurmArrayCancelled: one task of an array that somebody cancels is its branch's failure alone.
func TestOnSlurmArrayCancelled(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script(`on slurm; forall n in 1 2 3 .keepgoing.; try
sh -c 'echo $0 ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID >> began; until [ -e go ]; do sleep 0.1; done' $n
catch; echo $n ${error.kind}; end; end; end`)
	s.within(patience, "they run", func() bool { return strings.Count(s.read("began"), "\n") == 3 })
	for line := range strings.Lines(s.read("began")) {
		if number, second := strings.CutPrefix(strings.TrimSpace(line), "2 "); second {
			s.ask("scancel", number)
		}
	}
	s.within(patience, "it is gone", func() bool { return strings.Contains(strings.Join(s.queue(), " "), "|CANCELLED|") })
	s.file("go", "")
	p.end().ends("0").says("2 cancelled\n")
}

// TestOnSlurmArrayWaiting: tasks that wait in the queue are taken out of it when a limit passes, a signal comes, or the
// shell is killed, in few requests, and none begins afterwards.
func TestOnSlurmArrayWaiting(t *testing.T) {
	for name, cut := range map[string]syscall.Signal{"limit": 0, "signal": syscall.SIGTERM, "kill": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			s := newOn(t)
			s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
			limit := ""
			if cut == 0 {
				limit = "try for 2 s; "
			}
			s.requests()
			p := s.script(limit + "on slurm; forall n in 1 2 3 4 5 6 7 8; sh -c 'echo key$0 >> $RAN' $n; end; end" +
				strings.Repeat("; end", len(limit)/10))
			s.within(patience, "they wait", func() bool { return len(s.queue()) > 0 })
			if cut != 0 {
				s.must(p.cmd.Process.Signal(cut))
			}
			p.end()
			s.within(patience, "the queue is empty", func() bool {
				active, known := s.active()
				return known && len(active) == 0
			})
			r := s.requests()
			if n := r["KILL_JOB"]; n > 3 && name != "kill" {
				t.Errorf("%d requests to cancel: %v", n, r)
			}
			s.ask("scontrol", "update", "PartitionName=main", "State=UP")
			s.idle()
			if runs := s.runs(); len(runs) > 0 {
				t.Errorf("%v began after all", runs)
			}
		})
	}
}
