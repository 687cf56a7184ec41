package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ftsh/testdata/write"
)

// TestOnOutputLost: what a job writes is handed on, or the command fails and its job is ended: at a live copy, not
// only at the last; with jobs and with pilots.
func TestOnOutputLost(t *testing.T) {
	t.Parallel()
	const work = `sh -c 'echo $$ > ran; seq 100000; echo why >&2; until [ -e go ]; do sleep 0.1; done'`
	for name, c := range map[string]struct{ script, kind string }{
		"full":          {"on slurm; " + work + "; end > /dev/full", "system"},
		"full stderr":   {"on slurm; " + work + "; end > /dev/null 2> /dev/full", "system"},
		"full function": {"on slurm; f > /dev/full; end", "system"},
		"small":         {"on slurm; " + work + "; end => small/out", "system"},
		"pilot":         {"on slurm .pilots. 1; " + work + "; end > /dev/full", "system"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			if name == "small" {
				s.must(os.Symlink(s.small(64<<10).path, s.dir+"/small"))
				s.set("FTSH_JOBS=" + s.away + "/jobs")
			}
			p := s.script("function f\n" + work + "\nend\ntry\n" + c.script +
				"\ncatch\necho ${error.kind} ${error.message}\nend").end().ends("0")
			if !strings.HasPrefix(p.stdout.String(), c.kind+" cannot take the output of the job: no space left on device") {
				t.Errorf("it said %q", &p.stdout)
			}
			s.within(patience, "the job is ended", func() bool { return !s.lives("ran") })
			if s.exists("small/out") {
				t.Error("half the output was put in place")
			}
		})
	}
}

// TestOnReaderGone: when nobody reads what a job writes, its command dies of SIGPIPE as a program here would, and the
// job is ended.
func TestOnReaderGone(t *testing.T) {
	s := newFake(t)
	s.program("job.sh", "echo $$ > ran; while :; do echo x; sleep 0.05; done\n")
	cmd := exec.Command("sh", "-c", "(ftsh -c 'on slurm; sh job.sh; end'; echo $? > status) 2> err | head -1")
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.Output()
	if s.must(err); string(out) != "x\n" {
		t.Errorf("it wrote %q", out)
	}
	s.within(patience, "the shell has ended", func() bool { return s.exists("status") })
	s.holds("status", "1\n")
	s.within(patience, "the job is ended", func() bool { return !s.lives("ran") })
}

// TestOnCutKeeps: what a limit has cut off keeps what it had written: captures, and standard error for matching and
// for people.
func TestOnCutKeeps(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{"job": "on slurm", "pilot": "on slurm .pilots. 1"} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			s.script(`try for 8s or 2 times only on matching why
` + where + `
sh -c 'echo part; echo why >&2; exec sleep 1000' -> v
end
catch
echo ${error.kind} $v ${error.stderr}
end`).end().ends("0").says("timeout part why\n")
		})
	}
}

// TestOnCancelledKeeps: so does what somebody else has ended.
func TestOnCancelledKeeps(t *testing.T) {
	s := newFake(t)
	p := s.script(`try
on slurm
sh -c 'echo part; echo why >&2; echo > ran; exec sleep 1000' -> v
end
catch
echo ${error.kind} $v ${error.stderr}
end`)
	s.within(patience, "it runs", func() bool { return s.exists("ran") })
	s.file("fake/job-1/state", "CANCELLED\n")
	s.signal("-TERM", "fake/job-1/pid")
	p.end().ends("0").says("cancelled part why\n")
}

// TestOnSignals: SIGUSR1 to the shell reaches the programs of its jobs.
func TestOnSignals(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{"job": "on slurm", "pilot": "on slurm .pilots. 1"} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			p := s.script(where + "; sh -c 'trap \"echo usr1; exit 0\" USR1; echo > ran; while :; do sleep 0.05; done'; end")
			s.within(patience, "it runs", func() bool { return s.exists("ran") })
			s.must(p.cmd.Process.Signal(syscall.SIGUSR1))
			p.end().ends("0").says("usr1\n")
		})
	}
}

// TestOnModes: what is in a ticket is for its owner alone, whatever the umask.
func TestOnModes(t *testing.T) {
	s := newFake(t)
	s.quietly("umask 0;", "-c", "on slurm; sh -c 'echo x; exit 3' -> v; end").end().ends("1")
	files, _ := filepath.Glob(s.away + "/on/*/*/*")
	if len(files) < 5 {
		t.Errorf("there are only %q", files)
	}
	for _, path := range files {
		info, err := os.Lstat(path)
		if s.must(err); info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	}
}

// TestOnSilent: a limit ends on time though the batch system does not answer; that is said, the job is listed as to
// be cancelled, and the next shell that reaches the batch system cancels it.
func TestOnSilent(t *testing.T) {
	s := newFake(t)
	s.file("fake/held", "")
	answer, err := os.ReadFile(s.away + "/bin/scancel")
	s.must(err)
	for _, name := range []string{"scancel", "squeue"} {
		s.program(s.away+"/bin/"+name, "exec sleep 1000\n")
	}
	p := s.logged("try for 3 s; on slurm; sh -c 'echo > ran'; end; catch; echo ${error.kind} ${error.message}; end")
	p.end().ends("0").tookAtMost(patience/4, "try.end")
	if text := p.stdout.String(); !strings.HasPrefix(text, "timeout ") ||
		!strings.Contains(text, "could not be taken out of the queue") {
		t.Errorf("it said %q", text)
	}
	if text := s.beginShell("--jobs").end().ends("0").stdout.String(); !strings.Contains(text, "to cancel") {
		t.Errorf("listed are %q", text)
	}
	write.Program(t, s.away+"/bin/scancel", answer)
	s.program(s.away+"/bin/squeue", fakeSqueue)
	s.must(os.Remove(s.dir + "/fake/held"))
	s.script("on slurm; true > /dev/null; sh -c ''; end").end().ends("0")
	if state := s.read("fake/job-1/state"); state != "CANCELLED\n" {
		t.Errorf("the job is %q", state)
	}
	s.beginShell("--jobs").end().ends("0").says("no jobs\n")
}

// TestOnSilence: what the batch system says while it does not take a job is shown, and stands in the message when a
// limit passes.
func TestOnSilence(t *testing.T) {
	s := newFake(t)
	s.program(s.away+"/bin/sbatch", "echo 'sbatch: error: Unable to contact slurm controller' >&2; exit 1\n")
	p := s.beginShell("-l", "30", "-c", "try for 3 s; on slurm; sh -c ''; end; catch; echo ${error.message}; end")
	p.end().ends("0").complains("waiting to submit: Unable to contact slurm controller")
	if text := p.stdout.String(); !regexp.MustCompile(`Unable to contact slurm controller, for \d s`).MatchString(text) {
		t.Errorf("the message is %q", text)
	}
}

// TestOnSilentRuns: what runs when a limit passes is ended on time though the batch system hands on no signal.
func TestOnSilentRuns(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{"job": "on slurm", "pilot": "on slurm .pilots. 1"} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			for _, name := range []string{"scancel", "squeue"} {
				s.program(s.away+"/bin/"+name, "[ ! -e \"$HOME/ran\" ] || exec sleep 1000\n")
			}
			p := s.logged(where + "; try for 21 s; sh -c 'echo $$ > ran; exec sleep 1000'; catch; end; end")
			s.within(patience, "it runs", func() bool { return s.lines("ran") == 1 && s.lives("ran") })
			const limit, late = 21 * time.Second, time.Second // runners looked every 2 s
			p.end().ends("0").tookAtMost(limit+late, "try.end")
			if s.lives("ran") {
				t.Error("it runs on")
			}
		})
	}
}

// TestOnSilentSubmission: a limit ends on time though the answer to a submission does not come.
func TestOnSilentSubmission(t *testing.T) {
	s := newFake(t)
	s.program(s.away+"/bin/sbatch", "exec sleep 1000\n")
	s.logged("try for 2 s; on slurm; sh -c ''; end; catch; echo ${error.kind}; end").end().ends("0").says("timeout\n").
		tookAtMost(patience/4, "try.end")
}
