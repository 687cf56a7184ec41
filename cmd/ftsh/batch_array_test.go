package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// submissions counts the requests to submit.
func (s *scene) submissions() int {
	found, _ := filepath.Glob(s.dir + "/fake/submission-*")
	return len(found)
}

// submittedIn wants a script to succeed with so many submissions.
func (s *scene) submittedIn(want int, script string) *play {
	s.Helper()
	before := s.submissions()
	p := s.script(script).end().ends("0")
	if n := s.submissions() - before; n != want {
		s.Errorf("%d submissions, want %d: %s", n, want, script)
	}
	return p
}

// TestOnArray: the jobs of the branches of a forall that are ready at the same time with the same options are one
// array, also where forall stands in forall and where a limit lets only some begin.
func TestOnArray(t *testing.T) {
	s := newFake(t)
	s.submittedIn(1, "on slurm; forall n in 1 2 3; sh -c 'echo $0 $SLURM_ARRAY_TASK_ID >> ran' $n; end; end")
	if lines := strings.Fields(s.read("ran")); len(lines) != 6 {
		t.Errorf("ran: %q", lines)
	}
	s.submittedIn(1, "on slurm; forall a in 1 2; forall b in 3 4; hostname; end; end; end")
	for _, limited := range []string{
		"on slurm; forall n in 1 2 3 4 .limit. 2; hostname; end; end",
		"on slurm .limit. 2; forall n in 1 2 3 4; hostname; end; end",
	} {
		before := s.submissions()
		s.script(limited).end().ends("0")
		// the second may wait more than a second for the end of the first two
		if n := s.submissions() - before; n != 2 && n != 3 {
			t.Errorf("%d submissions: %s", n, limited)
		}
	}
	s.submittedIn(2, "forall n in 1 2 3 4; m=1; if $n .gt. 2; m=2; end; on slurm --mem=${m}G; hostname; end; end")
	s.submittedIn(1, "on slurm; forall n in 1 2; on here; sh -c 'sleep 0.$0' $n; end; hostname; end; end")
	s.submittedIn(2, "on slurm; hostname; hostname; end")
}

// TestOnArrayRetry: a task of an array that fails is repeated by itself, and its failure is its branch's alone.
func TestOnArrayRetry(t *testing.T) {
	s := newFake(t)
	s.submittedIn(2, `on slurm; forall n in 1 2 3; try 2 times every 0s
sh -c 'echo x >> ran-$0; [ $0 != 2 ] || [ $(wc -l < ran-2) = 2 ]' $n
end; end; end`)
	s.holds("ran-1", "x\n")
	s.holds("ran-2", "x\nx\n")
	s.holds("ran-3", "x\n")
	s.submittedIn(1, `on slurm; forall n in 1 2 3 .keepgoing.; try; sh -c 'exit $0' $n; catch; echo ${error.status} `+
		`>> failed; end; end; end`)
	if failed := strings.Fields(s.read("failed")); len(failed) != 3 {
		t.Errorf("failed %q", failed)
	}
}

// TestOnArrayUnanswered: an array whose answer was lost is found in the queue; if nobody finds it, what arrives
// twice runs once.
func TestOnArrayUnanswered(t *testing.T) {
	s := newFake(t)
	s.file("fake/unanswered", "")
	s.submittedIn(1, "on slurm; forall n in 1 2 3; sh -c 'echo x >> ran-$0' $n; end; end")
	s.program(s.away+"/bin/squeue", "exit 1\n")
	s.file("fake/unanswered", "")
	s.script("on slurm; forall n in 1 2 3; sh -c 'echo x >> ran-$0; sleep 2' $n; end; end").end().ends("0")
	for _, n := range []string{"1", "2", "3"} {
		s.holds("ran-"+n, "x\nx\n")
	}
}

// TestOnArrayTooLarge: where a site takes smaller arrays only, that is found out once.
func TestOnArrayTooLarge(t *testing.T) {
	s := newFake(t)
	s.file("fake/most", "3\n")
	s.submittedIn(5, "on slurm; forall n in 0 1 2 3 4 5 6 7 8 9; hostname; end; forall n in 1 2; hostname; end; end")
}

// TestOnArrayVanished: a task that the queue has forgotten before it began is submitted again, alone.
func TestOnArrayVanished(t *testing.T) {
	s := newFake(t)
	s.file("fake/held", "")
	p := s.script("on slurm; forall n in 1 2; sh -c 'echo x >> ran-$0' $n; end; end")
	s.within(patience, "it is submitted", func() bool { return s.exists("fake/job-1_1/state") })
	s.file("fake/job-1_0/forgotten", "")
	s.file("fake/job-1_1/state", "NODE_FAIL\n")
	s.must(os.Remove(s.dir + "/fake/held"))
	p.end().ends("0")
	s.holds("ran-1", "x\n")
	s.holds("ran-2", "x\n")
	if n := s.submissions(); n != 3 {
		t.Errorf("%d submissions, want the array and two", n)
	}
}

// TestOnArrayCancelled: `ftsh --jobs cancel` ends one task of an array, and the others go on.
func TestOnArrayCancelled(t *testing.T) {
	s := newFake(t)
	p := s.script("on slurm; forall n in 1 2 .keepgoing.; try; sh -c 'echo $$ >> began; until [ -e go ]; do sleep " +
		"0.1; done' $n; catch; echo ${error.kind}; end; end; end")
	s.within(patience, "both run", func() bool { return s.exists("began") && strings.Count(s.read("began"), "\n") == 2 })
	list := s.beginShell("--jobs").end().ends("0")
	for _, number := range []string{" 1_0 ", " 1_1 "} {
		if !strings.Contains(list.stdout.String(), number) {
			t.Errorf("the list lacks%s", number)
		}
	}
	s.beginShell("--jobs", "cancel", "1_0").end().ends("0")
	s.within(patience, "it is cancelled", func() bool { return !s.lives("fake/job-1_0/pid") })
	if !s.lives("fake/job-1_1/pid") {
		t.Error("the other is cancelled, too")
	}
	s.file("go", "")
	p.end().ends("0").says("cancelled\n")
}
