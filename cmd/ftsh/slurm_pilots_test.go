package main

import (
	"strings"
	"testing"
)

// TestOnSlurmPilots: many programs in few jobs, each once; nothing is left in the queue when the block ends.
func TestOnSlurmPilots(t *testing.T) {
	s := newOn(t)
	s.submitted()
	s.script("set -- " + numbered(40) +
		"\non slurm .pilots. 4; forall key in \"$@\"; sh -c 'echo \"$0\" >> $RAN' $key; end; end").end().ends("0")
	if left := s.tickets(); len(left) > 0 { // each pilot has said that it ends
		t.Errorf("folders left: %q", left)
	}
	s.within(patience, "Slurm knows that they have ended", func() bool { // without a word they would end after a minute
		active, known := s.active()
		return known && len(active) == 0
	})
	if n := s.submitted(); n != 1 {
		t.Errorf("%d submissions, want one", n)
	}
	for n := range 40 {
		if ran := s.runs()[key(n)]; ran != 1 {
			t.Errorf("%s ran %d times", key(n), ran)
		}
	}
}

// TestOnSlurmPilotsDied: a pilot that somebody cancels makes its program lost, which a try repeats; all others run
// once.
func TestOnSlurmPilotsDied(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("set -- " + numbered(12) + `
on slurm .pilots. 3; forall key in "$@"; try 2 times every 0s only on lost
sh -c 'echo $0 >> $RAN; if [ $0 = key-05 ] && [ ! -s began ]; then
echo ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID > began; exec sleep 1000; fi' $key
end; end; end`)
	s.within(patience, "it runs", func() bool { return s.read("began") != "" })
	s.ask("scancel", strings.TrimSpace(s.read("began")))
	p.end().ends("0")
	for n := range 12 {
		want := 1
		if n == 5 {
			want = 2
		}
		if ran := s.runs()[key(n)]; ran != want {
			t.Errorf("%s ran %d times, want %d", key(n), ran, want)
		}
	}
	s.idle()
}

// TestOnSlurmPilotsRefused: what Slurm says of the options of pilots is the failure of their programs.
func TestOnSlurmPilotsRefused(t *testing.T) {
	s := newOn(t)
	s.script("try; on slurm --partition=nowhere .pilots. 2; hostname; end; catch; echo ${error.kind}; end").end().ends(
		"0").says("error\n")
}

// TestOnSlurmOutlivePilots: pilots go on with their programs when the shell of a script with a journal is killed; the
// next run takes the outcome of these, and has the same pilots run the others. None runs twice.
func TestOnSlurmOutlivePilots(t *testing.T) {
	s := newOn(t)
	t.Cleanup(func() { s.file("go", "") })
	script := "set -- " + numbered(8) + `
on slurm .pilots. 2; forall key in "$@"
sh -c 'echo "$0" >> $RAN; until [ -e go ] || [ -e go-$0 ]; do sleep 0.1; done' $key; end; end`
	s.killed(script, "two run", func() bool { return len(s.runs()) == 2 })
	for key := range s.runs() {
		s.file("go-"+key, "") // one ends while nobody is there
		break
	}
	s.hasEnded()
	s.submitted()
	p := s.durably(script)
	s.within(patience, "its pilot has another", func() bool { return len(s.runs()) == 3 })
	s.file("go", "")
	p.end().ends("0")
	for n := range 8 {
		if ran := s.runs()[key(n)]; ran != 1 {
			t.Errorf("%s ran %d times", key(n), ran)
		}
	}
	if n := s.submitted(); n > 0 {
		t.Errorf("%d more submissions", n)
	}
	s.idle()
	s.clean()
}
