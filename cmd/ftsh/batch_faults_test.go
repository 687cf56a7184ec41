package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/skip"
)

// TestOnPreempted: what the batch system took the node from is lost, and is run again with as much memory as before; a
// program that somebody kills has died of a signal. Neither has used up its memory.
func TestOnPreempted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, signal string
		files         []string // of whom it is sent to, in this order
		says          string
	}{
		"preempted":         {"PREEMPTED\n", "-TERM", []string{"fake/job-1/pid"}, "lost\n"},
		"killed":            {"", "-KILL", []string{"ran"}, "signal\n"},
		"killed one by one": {"NODE_FAIL\n", "-KILL", []string{"ran", "fake/job-1/pid"}, "lost\n"},
		"ended one by one":  {"PREEMPTED\n", "-TERM", []string{"ran", "fake/job-1/pid"}, "lost\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			p := s.script(`mem=1
try 2 times every 0s
    if ${try.attempt} .gt. 1
        echo ${last.kind}
        if ${last.kind} .eq. memory
            mem=2
        end
    end
    on slurm --mem=${mem}G
        sh -c 'echo $$ >> ran; [ $(wc -l < ran) = 1 ] || exit 0; while :; do sleep 0.05; done'
    end
end`)
			s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
			if c.state != "" {
				s.file("fake/job-1/state", c.state)
			}
			if len(c.files) > 1 { // the batch system signals the witness, too, which is older than the program
				s.signalWitness(c.signal, "fake/job-1/pid")
			}
			for _, file := range c.files {
				s.signal(c.signal, file)
				s.within(patience, "it has ended", func() bool { return !s.lives(file) })
			}
			p.end().ends("0").says(c.says)
			if options := s.read("fake/job-2/options"); !strings.Contains(options, "--mem=1G") {
				t.Errorf("the second job was submitted with %s", options)
			}
		})
	}
}

// signalWitness sends a signal to the child of the process that a runner has started beside its program.
func (s *scene) signalWitness(signal, runner string) {
	s.Helper()
	of := func(pid string) (children []string) {
		files, _ := filepath.Glob("/proc/" + pid + "/task/*/children") // each thread has its own
		for _, file := range files {
			text, _ := os.ReadFile(file)
			children = append(children, strings.Fields(string(text))...)
		}
		return children
	}
	for _, child := range of(strings.TrimSpace(s.read(runner))) {
		if text, _ := os.ReadFile("/proc/" + child + "/cmdline"); strings.Contains(string(text), "trap '' USR1") {
			for _, grandchild := range of(child) {
				s.must(exec.Command("kill", signal, grandchild).Run())
				return
			}
		}
	}
	s.Fatal("the runner has no witness")
}

// TestOnRequeued: a job that the batch system has put back into the queue after it had begun is no failure, if the
// script allows that; it is waited for, not submitted again.
func TestOnRequeued(t *testing.T) {
	s := newFake(t)
	s.file("fake/lists", "")
	p := s.script("on slurm --requeue; sh -c 'echo $$ >> ran; [ $(wc -l < ran) = 1 ] || exit 0; while :; do sleep " +
		"0.05; done'; end; echo once")
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
	s.file("fake/job-1/state", "PENDING\n")
	s.kill("fake/job-1/pid") // the runner first: it would see the program die
	s.kill("ran")
	s.asksAgain(3)
	s.must(os.Remove(s.dir + "/fake/job-1/state"))
	s.file("fake/start-1", "")
	p.end().ends("0").says("once\n")
	if s.exists("fake/job-2") || strings.Count(s.read("ran"), "\n") != 2 {
		t.Errorf("submitted again, or not run twice: %q", s.read("ran"))
	}
}

// TestOnDiesAtOnce: a job that never begins is not submitted for ever, and one whose program fails at once is not
// submitted again at all.
func TestOnDiesAtOnce(t *testing.T) {
	s := newFake(t)
	s.script("try; on slurm; sh -c 'exit 7'; end; catch; echo ${error.kind}; end").end().ends("0").says("exit\n")
	if s.exists("fake/submission-2") {
		t.Error("what had failed by itself was submitted again")
	}
	s.file("fake/held", "FAILED\n")
	s.script("try; on slurm; true-not; end; catch; echo ${error.kind}; end").end().ends("0").says("lost\n")
	const first, repeats = 1, 5
	if n, _ := filepath.Glob(s.dir + "/fake/submission-*"); len(n) != 1+first+repeats {
		t.Errorf("%d submissions, want %d", len(n)-1, first+repeats)
	}
}

// TestOnLaunchFailed: a job that Slurm has cancelled, as it could not start it, is lost, and not cancelled by somebody.
func TestOnLaunchFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ options, shown, says string }{
		"by Slurm":             {"", "JobId=1 JobName=x Requeue=0 Restarts=1 BatchFlag=2", "lost\n"},
		"by somebody":          {"", "JobId=1 JobName=x Requeue=0 Restarts=0 BatchFlag=1", "cancelled\n"},
		"nobody knows":         {"", "", "cancelled\n"},
		"may have begun again": {"--requeue", "JobId=1 JobName=x Requeue=1 Restarts=1 BatchFlag=2", "cancelled\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			s.file("fake/held", "CANCELLED\n")
			s.file("fake/shown", c.shown+"\n")
			s.script("try; on slurm " + c.options +
				"; true-not; end; catch; echo ${error.kind}; end").end().ends("0").says(c.says)
		})
	}
}

// TestOnEnvironment: a script that itself runs in a job hands nothing of that one on, but which cluster it is.
func TestOnEnvironment(t *testing.T) {
	s := newFake(t)
	s.set("SLURM_JOB_ID=99", "SLURM_NTASKS=8", "SBATCH_EXPORT=NONE", "SLURM_MEM_PER_NODE=1", "MINE=1")
	s.script("on slurm; sh -c 'echo $SLURM_JOB_ID/$SLURM_NTASKS/$SBATCH_EXPORT/$SLURM_MEM_PER_NODE/$MINE " +
		"${SLURM_CONF##*/}'; end").end().ends("0").says("1////1 slurm.conf\n")
	for line := range strings.Lines(s.read("fake/submission-1/environment")) {
		for _, name := range []string{"SLURM_JOB_ID", "SLURM_NTASKS", "SBATCH_EXPORT", "SLURM_MEM_PER_NODE", "MINE"} {
			if strings.HasPrefix(line, name+"=") {
				t.Errorf("sbatch sees %s", line)
			}
		}
	}
}

// TestOnNoAccounting: nothing asks a data base of accounts, which many sites do not have.
func TestOnNoAccounting(t *testing.T) {
	s := newFake(t)
	for _, name := range []string{"sacct", "sacctmgr"} {
		s.program(s.away+"/bin/"+name, `echo "$0 $*" >> "$HOME/asked"; exit 1`+"\n")
	}
	s.file("fake/held", "CANCELLED\n")
	s.script("try; on slurm; true-not; end; catch; echo ${error.kind}; end").end().ends("0").says("cancelled\n")
	s.must(os.Remove(s.dir + "/fake/held"))
	s.script("try; on slurm; sh -c 'exit 7'; end; catch; echo ${error.kind}; end").end().ends("0").says("exit\n")
	if s.exists("asked") {
		t.Errorf("asked: %s", s.read("asked"))
	}
}

// TestOnFullDisk: where there is no room for the folder of a job nothing is submitted, and what is submitted when there
// is room again is whole.
func TestOnFullDisk(t *testing.T) {
	s := newFake(t)
	disk := s.small(64 << 20)
	const script = "try; on slurm; sh -c 'echo ran >> ran'; end; catch; echo ${error.kind}; end"
	for n, want := range []string{"system\n", "", "system\n", ""} { // at first there is no copy of the program either
		if n%2 == 0 {
			disk.fill()
		}
		s.script(script).end().ends("0").says(want)
		if n%2 == 0 {
			disk.empty()
		}
	}
	s.holds("ran", "ran\nran\n")
	scripts, _ := filepath.Glob(s.dir + "/fake/submission-*/script")
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if s.must(err); !bytes.Contains(text, []byte(" --job ")) || !bytes.HasSuffix(text, []byte("\n")) {
			t.Errorf("submitted: %q", text)
		}
	}
	if len(scripts) != 2 {
		t.Errorf("%d submissions, want 2", len(scripts))
	}
}

// TestOnClocks: a node or a file server whose clock is wrong by an hour changes nothing, as no times of two
// machines are compared: those of all files in the folder of jobs jump by an hour, forth and back, all the while.
func TestOnClocks(t *testing.T) {
	s := newFake(t)
	s.file("ran", "")
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for off := time.Hour; ; off = -off {
			s.shift(off)
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	var p *play
	for _, pilots := range []string{"", ".pilots. 2"} {
		p = s.script(fmt.Sprintf(`forall n in 1 2 3 4 5 6 7 8
    on slurm %s
        sh -c 'echo run >> ran; sleep 0.3; echo out' -> out
    end
    echo $out
end`, pilots))
		p.end()
	}
	close(over)
	<-stopped
	p.ends("0").says(strings.Repeat("out\n", 8))
	s.holds("ran", strings.Repeat("run\n", 16))
}

// shift sets the times of all files of jobs.
func (s *scene) shift(off time.Duration) {
	when := time.Now().Add(off)
	_ = filepath.WalkDir(s.away+"/on", func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			_ = os.Chtimes(path, when, when) // it may be gone
		}
		return nil
	})
}

// asksAgain waits until the queue was listed so often from now on.
func (s *scene) asksAgain(times int) {
	s.Helper()
	lists := func() int { return strings.Count(s.read("fake/lists"), "\n") }
	before := lists()
	s.within(patience, "more lists of the queue", func() bool { return lists() >= before+times })
}

// smallDisk is a disk of its own for the folder of jobs.
type smallDisk struct {
	*scene
	path string
}

// small makes one of so many bytes.
func (s *scene) small(size int) smallDisk {
	s.Helper()
	path := s.away + "/on"
	s.must(os.Mkdir(path, 0o700))
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		skip.Test(s.T, "this test mounts a small disk, which is not allowed here: %v", err)
	}
	s.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
	return smallDisk{s, path}
}

// fill leaves no room.
func (d smallDisk) fill() {
	d.Helper()
	file, err := os.Create(d.path + "/.full")
	d.must(err)
	defer file.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err = file.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
}

// empty makes room again.
func (d smallDisk) empty() {
	d.Helper()
	d.must(os.Remove(d.path + "/.full"))
}

// TestOnLostDirectory: no job is submitted to a directory that is now in the place of that in which the script stood.
func TestOnLostDirectory(t *testing.T) {
	s := newFake(t)
	s.must(os.Mkdir(s.dir+"/sub", 0o700))
	p := s.beginShell("--journal", "./j", "-c", `cd sub
try
    sh -c 'echo > ../ran; exec sleep 1000'
catch
end
on slurm
    sh -c ': > made'
end`)
	s.within(patience, "it runs", func() bool { return s.exists("ran") })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.must(os.Rename(s.dir+"/sub", s.dir+"/was"))
	s.must(os.Mkdir(s.dir+"/sub", 0o700))
	s.beginShell("--continue", "./j", "--again").end().ends("1").complains("another one is there now")
	if s.exists("sub/made") {
		t.Error("the job ran there")
	}
}
