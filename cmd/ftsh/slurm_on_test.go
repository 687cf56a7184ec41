package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newOn is a cluster for scripts that say `on slurm`.
func newOn(t *testing.T, settings ...string) *slurm {
	s := newSlurm(t, settings...)
	s.set("FTSH_JOBS="+s.away+"/on", "FTSH_QUEUE_INTERVAL=1")
	return s
}

// tickets are the folders of jobs that are there.
func (s *slurm) tickets() []string {
	found, _ := filepath.Glob(s.away + "/on/*/*/job")
	return found
}

// TestOnSlurm: programs are jobs; all else means what it means without `on`. Which test shows which promise:
// testdata/slurm/promises.md.
func TestOnSlurm(t *testing.T) {
	s := newOn(t)
	for name, c := range onCases {
		t.Run(name, func(t *testing.T) { s.script(c.script).end().ends("0").says(c.says) })
	}
	s.idle()
}

// TestOnSlurmFiles: files are opened where the job runs, and atomic output counts only after a success.
func TestOnSlurmFiles(t *testing.T) {
	s := newOn(t)
	s.file("in", "3\n1\n2\n")
	s.script("cd " + s.dir + "; on slurm; sort < in => out; sh -c 'echo more' >> out; end").end().ends("0")
	s.holds("out", "1\n2\n3\nmore\n")
	s.script("cd " + s.dir + "; on slurm; sh -c 'echo broken; exit 1' => out; end").end().ends("1")
	s.holds("out", "1\n2\n3\nmore\n")
	s.script("cd " + s.dir + "; try; on slurm; true-not; cat < missing; end; catch; end; on slurm; sh -c 'cat <&3' 3< " +
		"in; end").end().ends("0").says("3\n1\n2\n")
}

// TestOnSlurmLaunchFailed: a job whose node does not answer when it is to start is cancelled by Slurm; it is submitted
// again and runs once.
func TestOnSlurmLaunchFailed(t *testing.T) {
	s := newOn(t)
	s.do("node_freeze")
	p := s.script("on slurm; sh -c 'echo once >> ran'; end")
	s.within(patience, "the launch has failed", func() bool {
		return slices.ContainsFunc(s.queue(), func(job string) bool { return strings.Contains(job, "COMPLETING") })
	})
	s.do("node_thaw")
	p.end().ends("0")
	s.holds("ran", "once\n")
	s.idle()
}

// TestOnSlurmLimit: what a limit cuts off is gone, and nothing is left in the queue.
func TestOnSlurmLimit(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("try for 4 s; on slurm; sh -c 'echo $SLURM_JOB_ID >> began; exec sleep 1000'; end; catch; echo " +
		"${error.kind} ${error.reason}; end")
	p.end().ends("0").says("timeout deadline\n")
	s.idle()
	if s.read("began") == "" {
		t.Error("the job did not begin")
	}
	if left := s.tickets(); len(left) > 0 {
		t.Errorf("folders left: %q", left)
	}
}

// TestOnSlurmWaiting: a job that a limit cuts off while it waits in the queue never begins.
func TestOnSlurmWaiting(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
	s.script("try for 2 s; on slurm; sh -c 'echo x >> began'; end; catch; echo ${error.kind}; end").end().ends("0").says(
		"timeout\n")
	s.ask("scontrol", "update", "PartitionName=main", "State=UP")
	s.idle()
	if s.read("began") != "" {
		t.Error("the job began after all")
	}
}

// TestOnSlurmTimeLimit: what the batch system ends at the job's own time limit has the kind timeout, and may be
// repeated. Slurm takes minutes for the limit, and looks every 30 s who has reached it; so the limit is put back once
// the job runs.
func TestOnSlurmTimeLimit(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.beginFor(4*patience, "-c", `try 2 times every 0s only on timeout
    if ${try.attempt} .gt. 1
        echo ${last.kind} ${last.status}
    end
    on slurm --time=2
        sh -c 'echo $SLURM_JOB_ID >> began; [ $(wc -l < began) = 2 ] || exec sleep 1000'
    end
end`)
	s.within(patience, "the job runs", func() bool { return s.lines("began") == 1 })
	s.ask("scontrol", "update", "JobId="+strings.TrimSpace(s.read("began")), "EndTime="+
		time.Now().Format("2006-01-02T15:04:05"))
	p.end().ends("0").says("timeout 124\n")
	s.idle()
}

// TestOnSlurmNever: what can never start is kind error, with what Slurm says of it.
func TestOnSlurmNever(t *testing.T) {
	s := newOn(t)
	for option, says := range map[string]string{
		"--partition=nowhere": "Invalid partition name specified", "--nonsense": "unrecognized option",
		"--constraint=gold":    "Invalid feature specification",
		"--cpus-per-task=1000": "the job can never start: PartitionConfig", "--time=soon": "Invalid --time specification",
	} {
		s.script("try; on slurm " + option +
			"; hostname; end; catch; echo ${error.kind}; end").end().ends("0").says("error\n").complains(says)
	}
	s.idle()
}

// TestOnSlurmCancelled: what somebody else cancels is an ordinary failure.
func TestOnSlurmCancelled(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("try; on slurm; sh -c 'echo $SLURM_JOB_ID >> began; exec sleep 1000'; end; catch; echo " +
		"${error.kind} ${error.status}; end")
	s.within(patience, "the job runs", func() bool { return s.read("began") != "" })
	s.ask("scancel", strings.TrimSpace(s.read("began")))
	p.end().ends("0").says("cancelled 1\n")
}

// TestOnSlurmInterrupted: a signal to the shell ends its jobs.
func TestOnSlurmInterrupted(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("on slurm; sh -c 'echo $$ >> began; exec sleep 1000'; end")
	s.within(patience, "the job runs", func() bool { return s.lives("began") })
	s.must(p.cmd.Process.Signal(syscall.SIGTERM))
	p.end().ends("TERM")
	s.idle()
	if s.lives("began") {
		t.Error("the program lives on")
	}
}

// TestOnSlurmUntrusted: a folder of jobs that is open to others is refused before anything is submitted.
func TestOnSlurmUntrusted(t *testing.T) {
	s := newOn(t)
	s.must(os.Mkdir(s.away+"/on", 0o755))
	s.must(os.Chmod(s.away+"/on", 0o755))
	s.script("on slurm; hostname; end").end().ends("1").complains("is open to others")
	if left := s.queue(); len(left) > 0 {
		t.Errorf("submitted: %q", left)
	}
}

// TestOnSlurmKilled: the jobs of a shell that was killed are cancelled, also those that wait.
func TestOnSlurmKilled(t *testing.T) {
	s := newOn(t)
	s.file("began", "")
	p := s.script("forall n in 1 2 3; on slurm; sh -c 'echo $$ >> began; exec sleep 1000'; end; end")
	s.within(patience, "the jobs run", func() bool { return s.lines("began") == 3 && s.lives("began") })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.idle()
	if s.lives("began") {
		t.Error("a program lives on")
	}
}

// TestOnSlurmOutlive: jobs of a script with a journal go on when its shell is killed or suspended, whether
// they wait, run or end meanwhile; the next run takes the outcome of each, and none runs twice.
func TestOnSlurmOutlive(t *testing.T) {
	for signal, ends := range map[syscall.Signal]string{syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM"} {
		t.Run(ends, func(t *testing.T) { outlive(newOn(t), signal, ends) })
	}
}

// inState counts the jobs in a state, tasks of arrays one by one.
func (s *slurm) inState(state string) int {
	return strings.Count(s.ask("squeue", "--noheader", "--array", "--states="+state), "\n")
}

func outlive(s *slurm, signal syscall.Signal, ends string) {
	const script = `on slurm
    forall n in 1 2 3 4 5 6
        if $n .gt. 4
            while .not. .exists. down
                sleep 50ms
            end
        end
        sh -c 'echo $1 >> $RAN; until [ -e go$1 ]; do sleep 0.1; done; echo out$1' job $n -> out
        echo $out >> outs
    end
end
`
	s.file("outs", "")
	p := s.durably(script)
	s.within(patience, "four jobs run", func() bool { return len(s.runs()) == 4 })
	s.ask("scontrol", "update", "PartitionName=main", "State=DOWN")
	s.file("down", "")
	s.file("go1", "")
	s.within(patience, "one has ended, and two wait", func() bool {
		return s.read("outs") != "" && s.inState("PENDING") == 2
	})
	s.must(p.cmd.Process.Signal(signal))
	p.end().ends(ends)
	s.file("go2", "") // it ends while nobody is there
	s.within(patience, "the second has ended", func() bool {
		return s.inState("COMPLETED") == 2
	})
	s.ask("scontrol", "update", "PartitionName=main", "State=UP")
	s.within(patience, "those that waited run", func() bool { return len(s.runs()) == 6 })
	p = s.durably(script)
	for n := 3; n <= 6; n++ {
		s.file("go"+strconv.Itoa(n), "")
	}
	p.end().ends("0")
	for n, ran := range s.runs() {
		if ran != 1 {
			s.Errorf("%s ran %d times", n, ran)
		}
	}
	outs := strings.Fields(s.read("outs"))
	slices.Sort(outs)
	if got := strings.Join(outs, " "); got != "out1 out2 out3 out4 out5 out6" {
		s.Errorf("taken: %s", got)
	}
	s.idle()
	s.clean()
}

// TestOnSlurmExample: a node that fails in the middle costs align.ftsh the samples under way there, which are
// aligned once more. What runs there does not end before it is known that the node has failed.
func TestOnSlurmExample(t *testing.T) {
	s := newOn(t)
	s.program(s.away+"/bin/align", `echo $1 >> $RAN
if [ ! -e $1.again ]; then : > $1.again; until [ -e over ]; do sleep 0.1; done; exit 9; fi
tr a-z A-Z < $1`)
	t.Cleanup(func() { s.file("over", "") })
	for _, name := range []string{"a", "b", "c"} {
		s.file(name+".fq", name+"\n")
	}
	s.set("ALIGN=align", "MEMORY=1", "FTSH_EXPMIN=0.1")
	p := s.begin("align.ftsh", "a", "b", "c")
	s.within(patience, "all are being aligned", func() bool { return len(s.runs()) == 3 })
	s.do("node_down")
	s.do("node_up")
	p.end().ends("0")
	for _, name := range []string{"a", "b", "c"} {
		s.holds(name+".sam", strings.ToUpper(name)+"\n")
		if ran := s.runs()[name+".fq"]; ran != 2 {
			t.Errorf("%s was aligned %d times, want 2", name, ran)
		}
	}
	s.idle()
}
