package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ftsh/testdata/shelltest"
)

// killed begins a script with a journal, and kills its shell once a condition holds.
func (s *scene) killed(script string, what string, ready func() bool) {
	s.Helper()
	p := s.durably(script)
	s.within(patience, what, ready)
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
}

// durably runs a script with the journal: it begins, or goes on.
func (s *scene) durably(script string) *play {
	s.Helper()
	return s.beginShell("--journal", s.dir+"/j", "-c", script)
}

// lines counts those of a file.
func (s *scene) lines(path string) int {
	if !s.exists(path) {
		return 0
	}
	return strings.Count(s.read(path), "\n")
}

// whatOutlives are the ways of `on slurm` in which what a shell has begun goes on after it.
var whatOutlives = map[string]string{"job": "", "pilot": " .pilots. 1"}

// onSlurm is an `on` of a script.
var onSlurm = regexp.MustCompile(`on slurm[^;]*`)

// TestOutlive: a job, or a program that a pilot runs, that runs when the shell is killed goes on, and the next run
// takes its outcome, whatever that is, once.
func TestOutlive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, status, says string }{
		"success": {"on slurm; WORK; end; echo then", "0", "ended\nthen\n"},
		"capture": {"on slurm; WORK -> v; end; echo \"=$v\"", "0", "=begun\nended\n"},
		"append":  {"v=a; on slurm; WORK ->> v; end; echo \"=$v\"", "0", "=abegun\nended\n"},
		"failure": {"try; on slurm; WORK x; end; catch; echo ${error.kind} ${error.status} ${error.stderr}; end", "0",
			"ended\nexit 3 why\n"},
		"pipeline": {"on slurm; WORK | tr a-z A-Z -> v; end; echo \"=$v\"", "0", "=BEGUN\nENDED\n"},
		"loop":     {"for x in 1; on slurm; WORK -> v; end; echo \"$x $v\"; end", "0", "1 begun\nended\n"},
		"function": {"function f; on slurm; WORK -> v; end; end; f; echo \"=$v\"", "0", "=begun\nended\n"},
		"second":   {"on slurm --mem=1; true; WORK -> v; end; echo \"=$v\"", "0", "=begun\nended\n"},
		"try":      {"try 3 times; on slurm; WORK -> v; end; end; echo \"=$v\"", "0", "=begun\nended\n"},
		"limit": {"on slurm .limit. 1; forall x in 1 2; if $x .eq. 2; while .not. .exists. began; sleep 10ms; end; " +
			"else; WORK; end; end; end; echo then", "0", "ended\nthen\n"},
		"test": {"on slurm; if try WORK; echo yes; end; end", "0", "ended\nyes\n"},
	} {
		for what, pilots := range whatOutlives {
			t.Run(name+", "+what, func(t *testing.T) {
				s := newFake(t)
				s.program(s.away+"/bin/work", `echo begun; echo x >> began; until [ -e go ]; do sleep 0.05; done; echo ended
if [ "$1" ]; then echo why >&2; exit 3; fi
`)
				script := onSlurm.ReplaceAllString(strings.ReplaceAll(c.script, "WORK", "work"), "$0"+pilots)
				captures := strings.Contains(c.script, "v")
				s.killed(script, "it runs, and what it wrote was handed on", func() bool {
					taken, _ := filepath.Glob(s.away + "/on/*/*/taken")
					return s.lines("began") == 1 && (captures || len(taken) == 1)
				})
				// The mark of its line is that of a wait beside it, if there is one.
				list := s.beginShell("--journals", s.dir+"/j").end().ends("0")
				if text := list.stdout.String(); !strings.Contains(text, "\nawaited ") && !strings.Contains(text, "\nwaits ") {
					s.Errorf("that its job is awaited is not shown:\n%s", text)
				}
				s.file("go", "")
				s.durably(script).end().ends(c.status).says(c.says)
				s.holds("began", "x\n")
				if name != "failure" {
					s.clean()
				}
			})
		}
	}
}

var outliveMomentsCases = map[string]struct {
	before func(s *scene)      // the shell begins
	ready  func(s *scene) bool // for its end
	after  func(s *scene)      // that
}{
	"submitting": {
		func(s *scene) {
			s.program(s.away+"/bin/sbatch", strings.TrimSuffix(fakeSbatch, "echo $n\n")+
				"echo $$ > asking; touch submitted; exec sleep 1000\n")
			s.file("go", "")
		},
		func(s *scene) bool { return s.exists("fake/submitted") },
		func(s *scene) { s.program(s.away+"/bin/sbatch", "exit 1\n") },
	},
	"never submitted": {
		func(s *scene) {
			s.program(s.away+"/bin/sbatch", "echo $$ > $HOME/fake/asking; touch $HOME/fake/asked; exec sleep 1000")
			s.file("go", "")
		},
		func(s *scene) bool { return s.exists("fake/asked") },
		func(s *scene) { s.program(s.away+"/bin/sbatch", fakeSbatch) },
	},
	"queued": {
		func(s *scene) { s.file("fake/held", ""); s.file("go", "") },
		func(s *scene) bool { return s.exists("fake/job-1/state") },
		func(s *scene) {
			s.must(os.Remove(s.dir + "/fake/held"))
			s.must(os.Remove(s.dir + "/fake/job-1/state"))
			s.startHeld()
		},
	},
	"running": {
		func(s *scene) {},
		func(s *scene) bool { return s.lines("ran") == 1 },
		func(s *scene) { s.file("go", "") },
	},
	"ended": {
		func(s *scene) {},
		func(s *scene) bool { return s.lines("ran") == 1 },
		func(s *scene) { s.file("go", ""); s.hasEnded() },
	},
	"ended and forgotten": {
		func(s *scene) {},
		func(s *scene) bool { return s.lines("ran") == 1 },
		func(s *scene) { s.file("go", ""); s.hasEnded(); s.file("fake/job-1/forgotten", "") },
	},
}

// TestOutliveMoments: whenever the shell ends, and however, the program runs once, and its outcome counts.
func TestOutliveMoments(t *testing.T) {
	t.Parallel()
	const script = "; sh -c 'echo x >> ran; until [ -e go ]; do sleep 0.05; done'; end; echo then"
	for name, c := range outliveMomentsCases {
		for signal, ends := range map[syscall.Signal]string{syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM"} {
			for what, pilots := range whatOutlives {
				if name == "ended and forgotten" && what == "pilot" {
					continue // the pilot has not ended, so that the queue knows it
				}
				script := "on slurm" + pilots + script
				t.Run(name+", "+what+", "+ends, func(t *testing.T) {
					s := newFake(t)
					c.before(s)
					p := s.durably(script)
					s.within(patience, "the shell can end", func() bool { return c.ready(s) })
					s.must(p.cmd.Process.Signal(signal))
					p.end().ends(ends)
					s.within(patience, "no request is left",
						func() bool { return !s.exists("fake/asking") || !s.lives("fake/asking") })
					c.after(s)
					s.durably(script).end().ends("0").says("then\n")
					s.holds("ran", "x\n")
					s.clean()
				})
			}
		}
	}
}

// hasEnded waits until a program has said how it ended.
func (s *scene) hasEnded() {
	s.Helper()
	s.within(patience, "the program ends", func() bool {
		found, _ := filepath.Glob(s.away + "/on/*/sh-*/status-1")
		return len(found) == 1
	})
}

// startHeld starts the job that was held.
func (s *scene) startHeld() {
	s.file("fake/job-1/variables", "SLURM_JOB_ID=1\n")
	s.file("fake/start-1", "")
}

// clean holds that no folder of a job is left.
func (s *scene) clean() {
	s.Helper()
	if left, _ := filepath.Glob(s.away + "/on/*/*/job"); len(left) > 0 {
		all, _ := filepath.Glob(s.away + "/on/*/*/*")
		s.Errorf("left behind: %q, and there are %q", left, all)
	}
}

// TestOutliveEnds: a job is cancelled where nobody will wait for it.
func TestOutliveEnds(t *testing.T) {
	t.Parallel()
	const script = "try; on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end; catch; echo ${error.kind}; end"
	for name, c := range map[string]struct {
		script string
		args   []string
		status string
		says   string
		runs   int
	}{
		"abandoned":  {script, []string{"--abandon"}, "1", "", 1},
		"begun anew": {script, []string{"--restart"}, "0", "", 1},
		"in a unit": {"try; while 1 .eq. 1; on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end; end -> v; catch; " +
			"echo ${error.kind}; end", nil, "0", "unknown\n", 1},
		"limit passed": {"try for 8 s; on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end; catch; echo " +
			"${error.kind}; end", nil, "0", "timeout\n", 1},
		"another failed": {"try; forall x in 1 2; if $x .eq. 1; while .not. .exists. fail; sleep 10ms; end; failure; " +
			"else; on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end; end; end; catch; echo ${error.kind}; end", nil, "0",
			"failure\n", 1},
	} {
		for what, pilots := range whatOutlives {
			t.Run(name+", "+what, func(t *testing.T) {
				s := newFake(t)
				s.file("ran", "")
				script := onSlurm.ReplaceAllString(c.script, "$0"+pilots)
				s.killed(script, "it runs", func() bool { return s.lines("ran") == 1 })
				if name == "begun anew" {
					script = "try for 5 s; on slurm; true; end; end"
				}
				s.file("fail", "")
				s.beginShell(append(append([]string{"--journal", s.dir + "/j"}, c.args...), "-c", script)...).end().ends(
					c.status).says(c.says)
				s.within(patience, "the program has ended", func() bool { return !s.lives("ran") && !s.lives("fake/job-1/pid") })
				if n := s.lines("ran"); n != c.runs {
					t.Errorf("it ran %d times, want %d", n, c.runs)
				}
			})
		}
	}
}

// lives reports whether a process of the scene lives whose id a file holds.
func (s *scene) lives(path string) bool {
	for pid := range strings.FieldsSeq(s.read(path)) {
		if number, err := strconv.Atoi(pid); err == nil && shelltest.Carries(number, s.mark) {
			return true
		}
	}
	return false
}

// TestOutliveUnknown: where the job cannot be seen the script waits for a better time, and where somebody has removed
// its folder a person has to say what became of it.
func TestOutliveUnknown(t *testing.T) {
	const script = "on slurm; sh -c 'echo $$ >> ran; until [ -e go ]; do sleep 0.05; done'; end; echo then"
	s := newFake(t)
	s.killed(script, "it runs", func() bool { return s.lines("ran") == 1 })
	right := s.env
	s.file("other.conf", "ClusterName=other\nSlurmctldHost=localhost\n")
	s.set("SLURM_CONF=" + s.dir + "/other.conf")
	s.durably(script).end().ends("75").complains("it is of the cluster fake.localhost, and this is other.localhost")
	s.env = right
	cluster := s.away + "/on/fake.localhost"
	s.must(os.Rename(cluster, s.away+"/unmounted"))
	for range 2 { // the first makes a folder like it
		s.durably(script).end().ends("75").complains("the job cannot be reached from here")
	}
	s.must(os.RemoveAll(cluster))
	s.must(os.Rename(s.away+"/unmounted", cluster))
	folder, _ := filepath.Glob(cluster + "/sh-*")
	s.must(os.Rename(folder[0], s.away+"/put away"))
	s.durably(script).end().ends("2").complains("whether it did its work is unknown")
	s.durably("try; " + script + "; end").end().ends("2").complains("another script")
	s.beginShell("--journal", s.dir+"/j", "--happened", "-c", script).end().ends("0").says("then\n")
	if n := s.lines("ran"); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	s.file("go", "")
	s.within(patience, "the job has ended", func() bool { return !s.lives("fake/job-1/pid") })
}
