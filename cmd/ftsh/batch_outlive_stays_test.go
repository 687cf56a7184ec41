package main

import (
	"strings"
	"testing"
)

// TestOutliveStays: what a shell could not end before it was killed is gone before a later one does its work again.
func TestOutliveStays(t *testing.T) {
	t.Parallel()
	const script = `try 2 times every 0s
forall n in wait work
    if $n .eq. work
        on slurm
            sh -c 'echo run >> ran; [ $(wc -l < ran) = 2 ] || until [ -e go ]; do sleep 0.05; done'
        end
    else
        while .not. .exists. fail
            sleep 50ms
        end
        on here
            sh -c 'echo attempt >> attempts; [ $(wc -l < attempts) -gt 1 ]'
        end
    end
end
end`
	for what, pilots := range whatOutlives {
		t.Run(what, func(t *testing.T) {
			s := newGate(t)
			s.program(s.away+"/bin/scancel", "exit 0\n") // nothing that the job would notice
			text := strings.Replace(script, "on slurm", "on slurm"+pilots, 1)
			begin := func() *play {
				return s.beginShell("-t", "1", "-f", s.dir+"/log", "--journal", s.dir+"/j", "-c", text)
			}
			p := begin()
			s.within(patience, "it runs", func() bool { return s.sees("ran", "run") })
			s.signal("-STOP", "fake/job-1/pid") // a node that hangs
			t.Cleanup(func() { s.signal("-CONT", "fake/job-1/pid") })
			s.file("fail", "")
			s.within(patience, "it says so", func() bool { return s.sees("log", "job 1 may still be running") })
			s.must(p.cmd.Process.Kill())
			p.end().ends("KILL")
			for range 2 { // one that is killed while it waits changes nothing
				p = begin()
				s.asksAgain(3)
				s.must(p.cmd.Process.Kill())
				p.end().ends("KILL")
			}
			p = begin()
			s.asksAgain(3)
			s.holds("attempts", "attempt\n")
			s.holds("ran", "run\n")
			s.file("go", "")
			s.signal("-CONT", "fake/job-1/pid")
			p.end().ends("0")
			s.holds("ran", "run\nrun\n")
			s.holds("attempts", "attempt\nattempt\n")
		})
	}
}

// TestOutliveElsewhere: jobs that are to be ended first are not sought on another cluster.
func TestOutliveElsewhere(t *testing.T) {
	s := newFake(t)
	s.file("ran", "")
	s.killed("on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end", "it runs",
		func() bool { return s.lines("ran") == 1 })
	anew := func() *play { return s.beginShell("--journal", s.dir+"/j", "--restart", "-c", "echo anew").end() }
	right := s.read("slurm.conf")
	s.file("slurm.conf", "ClusterName=other\nSlurmctldHost=localhost\n")
	anew().ends("2").complains("left jobs on the cluster fake.localhost, and this is other.localhost")
	if !s.lives("ran") {
		t.Error("the program has ended")
	}
	s.file("slurm.conf", right)
	anew().ends("0").says("anew\n")
	s.within(patience, "the program has ended", func() bool { return !s.lives("ran") })
}
