package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ftsh/testdata/skip"
)

// gridEngine is a scene with a private Grid Engine (testdata/gridengine/cluster).
type gridEngine struct {
	cluster
	root string // SGE_ROOT
}

// newGridEngine starts one, and one at a time on a machine. Where it cannot be started the test is skipped, unless
// FTSH_GRIDENGINE=required.
func newGridEngine(t *testing.T, settings ...string) *gridEngine {
	t.Helper()
	skip.UnlessLong(t, "it starts a Grid Engine")
	if skip.UnderRace {
		skip.Test(t, "this test is for a shell without the race detector")
	}
	_, err := os.Stat("/opt/ftsh-gridengine/sge_qmaster")
	switch {
	case os.Getenv("FTSH_GRIDENGINE") == "required":
		if err != nil {
			t.Fatal("this test needs Grid Engine: run testdata/gridengine/install")
		}
	case err != nil:
		skip.Test(t, "this test needs Grid Engine: run testdata/gridengine/install")
	case os.Geteuid() != 0:
		skip.Test(t, "this test needs root, for a network of its own")
	}
	among(t, 1, "gridengine")
	s := &gridEngine{cluster: cluster{scene: openScene(t)}}
	s.root = s.serve("../../testdata/gridengine/cluster", settings)
	s.set("SGE_ROOT="+s.root, "SGE_CELL=default", "PATH="+s.away+"/bin:"+s.root+"/bin:"+os.Getenv("PATH"), "FTSH_JOBS="+
		s.away+"/on",
		"FTSH_QUEUE_INTERVAL=1", "RAN="+s.file(s.away+"/ran", ""))
	return s
}

// queue returns qstat's list of the jobs that have not ended.
func (s *gridEngine) queue() string { return s.ask(s.root+"/bin/qstat", "-g", "d") }

// idle waits until there is no job.
func (s *gridEngine) idle() {
	s.Helper()
	s.within(patience, "no job is left", func() bool { return s.queue() == "" })
}

// onGridEngineWords makes a script for Slurm one for Grid Engine.
var onGridEngineWords = strings.NewReplacer("on slurm", "on gridengine", "SLURM_JOB_ID", "JOB_ID", "--wrap=x",
	"-sync", "--partition=", "-q ")

// TestOnGridEngine: programs are jobs; all else means what it means without `on`.
func TestOnGridEngine(t *testing.T) {
	s := newGridEngine(t)
	for name, c := range onCases {
		t.Run(name, func(t *testing.T) {
			s.script(onGridEngineWords.Replace(c.script)).end().ends("0").says(onGridEngineWords.Replace(c.says))
		})
	}
	t.Run("statuses that mean something to Grid Engine", func(t *testing.T) {
		s.script("forall n in 99 100; try; on gridengine; sh -c \"exit $n\"; end; catch; echo ${error.status} >> " +
			"statuses; end; end").end().ends("0")
		if got := len(strings.Fields(s.read("statuses"))); got != 2 {
			t.Errorf("%d ended, want 2", got)
		}
	})
	t.Run("signals", func(t *testing.T) {
		p := s.script("on gridengine; sh -c 'trap \"echo usr1; exit 0\" USR1; echo > trapped; while :; do sleep 0.05; " +
			"done'; end")
		s.within(patience, "it runs", func() bool { return s.exists("trapped") })
		s.must(p.cmd.Process.Signal(syscall.SIGUSR1))
		p.end().ends("0").says("usr1\n")
	})
	t.Run("pilots", func(t *testing.T) {
		s.script("on gridengine .pilots. 2; forall n in 1 2 3 4 5 6 7 8; " +
			"sh -c 'echo $JOB_ID >> piloted'; end; end").end().ends("0")
		jobs := strings.Fields(s.read("piloted"))
		for _, job := range jobs {
			if job != jobs[0] {
				t.Errorf("job %s and %s: want tasks of one array", job, jobs[0])
			}
		}
		if len(jobs) != 8 {
			t.Errorf("%d programs ran, want 8", len(jobs))
		}
	})
	s.idle()
}

// TestOnGridEngineKinds: a time limit, too much memory, and a job that somebody deletes are told apart by the
// accounting file.
func TestOnGridEngineKinds(t *testing.T) {
	s := newGridEngine(t)
	s.file("began", "")
	ends := func(options, program string) *play {
		return s.script("try; on gridengine " + options + "; " + program +
			"; end; catch; echo ${error.kind} ${error.status}; end")
	}
	late := ends("-l h_rt=2", "sh -c 'exec sleep 1000'")
	greedy := ends("-l h_vmem=2G", "python3 -c 'import os, time\nfor n in range(3):\n  if os.fork() == 0:\n"+
		"    x = bytearray(900 << 20); time.sleep(1000)\nos.wait()'")
	deleted := ends("", "sh -c 'echo $JOB_ID > began; exec sleep 1000'")
	s.within(patience, "it runs", func() bool { return s.read("began") != "" })
	s.ask(s.root+"/bin/qdel", strings.TrimSpace(s.read("began")))
	late.end().ends("0").says("timeout 124\n")
	greedy.end().ends("0").says("memory 137\n")
	deleted.end().ends("0").says("cancelled 1\n")
	s.idle()
}

// TestOnGridEngineVanished: without the accounting file a job that was deleted has vanished.
func TestOnGridEngineVanished(t *testing.T) {
	s := newGridEngine(t)
	s.file("began", "")
	s.must(os.Mkdir(s.root+"/default/common/accounting", 0o700)) // which cannot be read as a file
	p := s.script("try; on gridengine; sh -c 'echo $JOB_ID > began; exec sleep 1000'; end; catch; echo ${error.kind} " +
		"${error.status}; end")
	s.within(patience, "it runs", func() bool { return s.read("began") != "" })
	s.ask(s.root+"/bin/qdel", strings.TrimSpace(s.read("began")))
	p.end().ends("0").says("lost 1\n")
	s.idle()
}

// TestOnGridEngineCut: what a limit cuts off, or whose shell is killed, is gone, whether it runs or waits.
func TestOnGridEngineCut(t *testing.T) {
	s := newGridEngine(t)
	s.file("began", "")
	s.script("try for 4 s; on gridengine; sh -c 'echo $$ >> began; exec sleep 1000'; end; catch; echo ${error.kind} " +
		"${error.reason}; end").
		end().ends("0").says("timeout deadline\n")
	s.idle()
	p := s.script("forall n in 1 2 3; on gridengine; sh -c 'echo $$ >> began; exec sleep 1000'; end; end")
	s.within(patience, "the jobs run", func() bool { return strings.Count(s.read("began"), "\n") == 4 })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.idle()
	for pid := range strings.FieldsSeq(s.read("began")) {
		s.within(patience, "program "+pid+" has ended", func() bool {
			words, err := os.ReadFile("/proc/" + pid + "/cmdline") // empty once it has ended, until it is waited for
			return err != nil || len(words) == 0
		})
	}
	s.do("close")
	s.script("try for 2 s; on gridengine; sh -c 'echo x >> waited'; end; catch; echo ${error.kind}; end").end().ends(
		"0").says("timeout\n")
	s.idle()
	s.do("open")
	if s.exists("waited") {
		t.Error("the job began after all")
	}
}

// TestOnGridEngineArrays: a site that takes smaller arrays gets these, and where a user may have few jobs the
// others wait; each runs once.
func TestOnGridEngineArrays(t *testing.T) {
	s := newGridEngine(t, "CLUSTER_ARRAY=12", "CLUSTER_LIMIT=1")
	s.script("set -- " + numbered(20) +
		"\non gridengine; forall key in \"$@\"; sh -c 'echo \"$0\" >> $RAN' $key; end; end").end().ends("0")
	ran := map[string]int{}
	for key := range strings.FieldsSeq(s.read("../" + filepath.Base(s.away) + "/ran")) {
		ran[key]++
	}
	for n := range 20 {
		if ran[key(n)] != 1 {
			t.Errorf("%s ran %d times, want once", key(n), ran[key(n)])
		}
	}
	s.idle()
}

// TestOnGridEngineOutlives: jobs of a script with a journal go on when its shell is killed; the next run takes the
// outcome of those that have ended meanwhile and of those that run, and none runs twice.
func TestOnGridEngineOutlives(t *testing.T) {
	s := newGridEngine(t)
	const script = `on gridengine
    forall n in 1 2
        sh -c 'echo $1 >> $RAN; until [ -e go$1 ]; do sleep 0.1; done; echo out$1' job $n -> out
        echo $out >> outs
    end
end
`
	ran := "../" + filepath.Base(s.away) + "/ran"
	p := s.durably(script)
	s.within(patience, "both run", func() bool { return s.lines(ran) == 2 })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.file("go1", "")
	s.within(patience, "one has ended", func() bool { return strings.Count(s.queue(), "@localhost") == 1 })
	p = s.durably(script)
	s.within(patience, "its outcome is taken", func() bool { return s.lines("outs") == 1 })
	s.file("go2", "")
	p.end().ends("0")
	s.holds("outs", "out1\nout2\n")
	if n := s.lines(ran); n != 2 {
		t.Errorf("%d programs ran, want 2", n)
	}
	s.idle()
}

// TestOnGridEngineTended: ftsh --jobs cancels a job of Grid Engine, too.
func TestOnGridEngineTended(t *testing.T) {
	s := newGridEngine(t)
	p := s.script("try; on gridengine; sh -c 'echo x > began; exec sleep 1000'; end; catch; echo ${error.kind}; end")
	s.within(patience, "it runs", func() bool { return s.exists("began") })
	s.beginShell("--jobs", "cancel", "1").end().ends("0")
	p.end().ends("0").says("cancelled\n")
	s.idle()
}
