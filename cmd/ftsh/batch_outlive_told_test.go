package main

import (
	"strings"
	"syscall"
	"testing"
)

// TestOutliveTold: a shell that is suspended, or told to end, says how many jobs go on, how to wait for them and how to
// cancel them; so does one that has waited for those of a shell before. What it says can be done.
func TestOutliveTold(t *testing.T) {
	t.Parallel()
	const work = "sh -c 'echo $$ >> ran; until [ -e go ]; do sleep 0.05; done' $n"
	for name, c := range map[string]struct{ script, says string }{
		"array": {"on slurm; forall n in 1 2 3; " + work + "; end; end",
			"; 3 jobs go on: ftsh --continue J waits for them, ftsh --abandon J cancels them"},
		"one": {"n=1; on slurm; " + work + "; end",
			"; 1 job goes on: ftsh --continue J waits for it, ftsh --abandon J cancels it"},
		"pilots": {"on slurm .pilots. 2; forall n in 1 2 3; " + work + "; end; end",
			"; 2 jobs go on: ftsh --continue J waits for them, ftsh --abandon J cancels them"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			journal := s.dir + "/j"
			says := strings.ReplaceAll(c.says, "J", journal)
			number := strings.Fields(says)[1]
			p := s.durably(c.script)
			s.within(patience, "they run", func() bool { return s.lines("ran") == int(number[0]-'0') })
			s.must(p.cmd.Process.Signal(syscall.SIGINT))
			p.end().ends("INT").complains("the script is suspended by SIGINT" + says)
			p = s.beginShell("-l", "30", "-f", "log", "--continue", journal)
			s.within(patience, "it waits for all of them", func() bool {
				return s.exists("log") && strings.Count(s.read("log"), " running: job 1") >= int(number[0]-'0')
			})
			s.must(p.cmd.Process.Signal(syscall.SIGTERM))
			p.end().ends("TERM").complains("the script is suspended by SIGTERM" + says)
			s.beginShell("--abandon", journal).end().ends("1")
			s.within(patience, "they are gone", func() bool { return !s.lives("ran") })
			s.beginShell("--jobs").end().ends("0").says("no jobs\n")
		})
	}
}

// TestAbandonNames: --abandon takes the names of journals, as --continue does.
func TestAbandonNames(t *testing.T) {
	s := openScene(t)
	s.beginShell("--abandon").end().ends("2").complains("--abandon goes with --journal NAME or --continue")
	s.beginShell("--abandon", "none").end().ends("2").complains("none")
}
