package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOnPilots: programs mean under pilots what they mean as jobs of their own.
func TestOnPilots(t *testing.T) {
	s := newFake(t)
	for name, c := range onCases {
		if name == "never" || name == "refused" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s.script(strings.Replace(c.script, "on slurm", "on slurm .pilots. 1", 1)).end().ends("0").says(c.says)
		})
	}
}

// TestOnPilotsShared: N jobs, submitted as one array, run all programs, and end with the block.
func TestOnPilotsShared(t *testing.T) {
	s := newFake(t)
	s.submittedIn(1, "on slurm .pilots. 3; forall n in 1 2 3 4 5 6 7 8 9 10 11 12; sh -c 'echo $SLURM_JOB_ID >> ran'; "+
		"end; end")
	jobs := map[string]int{}
	for job := range strings.FieldsSeq(s.read("ran")) {
		jobs[job]++
	}
	if runs := strings.Count(s.read("ran"), "\n"); runs != 12 || len(jobs) > 3 {
		t.Errorf("%d programs in %v", runs, jobs)
	}
	s.beginShell("--jobs").end().ends("0").says("no jobs\n")
	s.submittedIn(1, "on slurm .pilots. 1; on slurm .limit. 1; hostname; end; hostname; end")
	s.submittedIn(2, "on slurm .pilots. 1; on slurm --mem=1G; hostname; end; hostname; end")
	s.submittedIn(0, "on slurm .pilots. 4; echo none; end")
}

// TestOnPilotsDied: a pilot that dies makes its program lost, and only that; another takes its place.
func TestOnPilotsDied(t *testing.T) {
	s := newFake(t)
	p := s.script(`on slurm .pilots. 1; try; sh -c 'echo $$ > ran; exec sleep 1000'; catch; echo ${error.kind}; end
sh -c 'echo $SLURM_JOB_ID'; end`)
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
	s.file("fake/job-1/state", "NODE_FAIL\n")
	p.end().ends("0").says("lost\n2\n")
	s.kill("ran")
	s.must(exec.Command("kill", "-TERM", strings.TrimSpace(s.read("fake/job-1/pid"))).Run())
}

// TestOnPilotsRefused: pilots that the batch system refuses are not submitted again and again; the programs fail as
// it says.
func TestOnPilotsRefused(t *testing.T) {
	s := newFake(t)
	s.file("fake/refusals", "")
	s.script(`on slurm .pilots. 2
	forall n in 1 2 3 4 5 6 7 8
		try; hostname; catch; echo ${error.kind} ${error.message} >> said; end
	end
end`).end().ends("0")
	const why = "error no pilot can run it: Batch job submission failed: Invalid partition name specified\n"
	s.holds("said", strings.Repeat(why, 8))
	if requests := strings.Count(s.read("fake/refusals"), "\n"); requests > 8 {
		t.Errorf("%d requests for 8 programs", requests)
	}
}

// TestOnPilotsProgramCancelled: --jobs cancel ends a program that a pilot runs, or is to run, and no other.
func TestOnPilotsProgramCancelled(t *testing.T) {
	s := newFake(t)
	p := s.script(`on slurm .pilots. 1; try; sh -c 'echo > ran; exec sleep 1000'; catch; echo ${error.kind}; end
sh -c 'echo $SLURM_JOB_ID'; end`)
	s.within(patience, "it runs", func() bool { return s.exists("ran") })
	s.beginShell("--jobs", "cancel", "sh-").end().ends("0")
	p.end().ends("0").says("cancelled\n1\n")
	p = s.script(`on slurm .pilots. 1; forall n in 1 2; if $n .eq. 1
sh -c 'echo > first; until [ -e go ]; do sleep 0.02; done'
else; on here; sh -c 'until [ -e first ]; do sleep 0.02; done'; end
try; hostname; catch; echo ${error.kind} ${error.message}; end; end; end; end`)
	s.within(patience, "one waits", func() bool {
		waiting, _ := filepath.Glob(s.away + "/on/*/hostname-*/job")
		return len(waiting) == 1
	})
	s.beginShell("--jobs", "cancel", "hostname-").end().ends("0")
	s.file("go", "")
	p.end().ends("0").says("cancelled it was cancelled before it had begun\n")
}

// TestOnPilotsLimit: what a limit cuts off is gone, and its pilot goes on.
func TestOnPilotsLimit(t *testing.T) {
	s := newFake(t)
	s.submittedIn(1, `on slurm .pilots. 1; try for 8 s; sh -c 'echo $$ > ran; exec sleep 1000'
catch; echo ${error.kind}; end
sh -c 'echo $SLURM_JOB_ID'; end`).says("timeout\n1\n")
	if s.lives("ran") {
		t.Error("it lives on")
	}
}

// TestOnPilotsWaiting: pilots that never begin leave nothing in the queue, and nothing that begins later. The end of a
// limit leaves only a moment for that: what a slow batch system has not done by then the next shell has it do.
func TestOnPilotsWaiting(t *testing.T) {
	for name, scancel := range map[string]string{"at once": fakeScancel, "slow": "sleep 2\n" + fakeScancel} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			s.program(s.away+"/bin/scancel", scancel)
			s.file("fake/held", "")
			s.script("try for 8 s; on slurm .pilots. 2; sh -c 'echo x > ran'; end; catch; echo ${error.kind}; end").end().ends(
				"0").says("timeout\n")
			noted, _ := filepath.Glob(s.away + "/on/*/.cancel/*")
			if name == "slow" && len(noted) != 2 {
				t.Errorf("noted are %q", noted)
			}
			if len(noted) > 0 {
				s.must(os.Remove(s.dir + "/fake/held"))
				s.program(s.away+"/bin/scancel", fakeScancel)
				s.within(patience, "a shell has had them cancelled", func() bool {
					s.script("on slurm; true > /dev/null; sh -c ''; end").end().ends("0")
					noted, _ = filepath.Glob(s.away + "/on/*/.cancel/*")
					return len(noted) == 0
				})
			}
			for n := range 2 {
				if state := s.read(fmt.Sprintf("fake/job-1_%d/state", n)); state != "CANCELLED\n" {
					t.Errorf("pilot %d is %q", n, state)
				}
				late := exec.Command("sh", s.dir+"/fake/job-1_0/script")
				late.Env = append(s.env, fmt.Sprint("SLURM_ARRAY_TASK_ID=", n))
				if out, err := late.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			}
			if s.exists("ran") {
				t.Error("it ran after its end")
			}
		})
	}
}

// TestOnPilotsKilled: the guardian ends the pilots of a shell that was killed, with their programs.
func TestOnPilotsKilled(t *testing.T) {
	s := newFake(t)
	p := s.script("on slurm .pilots. 2; sh -c 'echo $$ > ran; exec sleep 1000'; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.lives("ran") })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.within(patience, "it is gone", func() bool { return !s.lives("ran") })
	s.within(patience, "the guardian has cancelled the jobs", func() bool { return !s.guarded() })
}
