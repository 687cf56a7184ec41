package main

import (
	"strings"
	"testing"
)

// TestOutlivePilots: the next run uses the pilots that are there, whether they are busy or not, and none of many
// programs runs twice.
func TestOutlivePilots(t *testing.T) {
	s := newFake(t)
	const script = `on slurm .pilots. 2
	forall n in 1 2 3 4 5 6 7 8
		sh -c 'echo $0 $SLURM_JOB_ID >> ran; until [ -e go ] || [ -e go$0 ]; do sleep 0.05; done' $n
	end
end`
	t.Cleanup(func() { s.file("go", "") })
	s.killed(script, "two run", func() bool { return s.lines("ran") == 2 })
	s.file("go"+s.read("ran")[:1], "") // one of them ends while nobody is there
	s.hasEnded()
	p := s.durably(script)
	s.within(patience, "its pilot has another", func() bool { return s.lines("ran") == 3 })
	s.file("go", "")
	p.end().ends("0")
	jobs, keys := map[string]int{}, map[string]int{}
	for line := range strings.Lines(s.read("ran")) {
		key, job, _ := strings.Cut(strings.TrimSpace(line), " ")
		keys[key]++
		jobs[job]++
	}
	if len(keys) != 8 || s.lines("ran") != 8 {
		t.Errorf("ran: %v", keys)
	}
	if len(jobs) != 2 || s.exists("fake/submission-2") {
		t.Errorf("they ran in the jobs %v, and more pilots were submitted", jobs)
	}
	s.clean()
}

// TestOutlivePilotsDied: a pilot that has died meanwhile makes the program that it ran lost, which a try repeats; what
// it was not given goes to another.
func TestOutlivePilotsDied(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]string{"known": "NODE_FAIL\n", "forgotten": ""} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			const script = `on slurm .pilots. 1; forall n in 1 2 .keepgoing.
	try 2 times every 0s only on lost
		sh -c 'echo $$ >> ran$0; [ -e go ] || exec sleep 1000' $n
	end
end; end`
			s.file("ran1", "")
			s.file("ran2", "")
			runs := func() int { return s.lines("ran1") + s.lines("ran2") }
			s.killed(script, "one runs", func() bool { return runs() == 1 })
			running := "ran1"
			if s.lines("ran2") == 1 {
				running = "ran2"
			}
			s.kill("fake/job-1/pid")
			s.kill(running)
			if state == "" {
				s.file("fake/job-1/forgotten", "")
			} else {
				s.file("fake/job-1/state", state)
			}
			s.file("go", "")
			s.durably(script).end().ends("0")
			if runs() != 3 || s.lines(running) != 2 {
				t.Errorf("%d runs, %d of what ran when the pilot died", runs(), s.lines(running))
			}
		})
	}
}

// TestOutlivePilotsUnit: a program that the journal does not know ends with its shell, though its pilot goes on.
func TestOutlivePilotsUnit(t *testing.T) {
	s := newFake(t)
	const script = `on slurm .pilots. 1; try; while 1 .eq. 1; sh -c 'echo $$ >> ran; exec sleep 1000'; end -> v
catch; echo ${error.kind}; end
sh -c 'echo $SLURM_JOB_ID'; end`
	s.killed(script, "it runs", func() bool { return s.lines("ran") == 1 })
	s.within(patience, "it has ended", func() bool { return !s.lives("ran") })
	if !s.lives("fake/job-1/pid") {
		t.Error("its pilot has ended, too")
	}
	s.durably(script).end().ends("0").says("unknown\n1\n")
}
