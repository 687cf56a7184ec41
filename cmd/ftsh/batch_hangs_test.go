package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// hang waits until the test ends, whatever signal comes.
const hang = `trap '' TERM; echo $$ >> "$HOME/hung"; read x < "$HOME/never"; exit 1` + "\n"

// newHang is a scene in which programs of the batch system may hang. The job's program waits for a file go.
func newHang(t *testing.T) *scene {
	s := newGate(t)
	s.must(syscall.Mkfifo(s.dir+"/never", 0o600))
	t.Cleanup(func() {
		if fifo, err := os.OpenFile(s.dir+"/never", os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = fifo.Close()
		}
	})
	return s
}

// replaces puts another text in the place of a program of the batch system, which may run just now.
func (s *scene) replaces(name, text string) {
	s.program(s.away+"/new/"+name, text)
	s.must(os.Rename(s.away+"/new/"+name, s.away+"/bin/"+name))
}

// endsInTime holds that a script with a limit of seconds did not wait for what hangs: that would last for ever. A busy
// machine may take much of that time.
func (p *play) endsInTime() {
	p.s.Helper()
	if limit := patience / 4; p.took > limit {
		p.s.Errorf("it took %v, want %v at most", p.took, limit)
	}
}

const unable = "slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)"

// TestOnFirstUse: as long as the batch system does not say which cluster it is, the script waits within its limit; that
// it cannot be asked is no mistake of the script.
func TestOnFirstUse(t *testing.T) {
	t.Parallel()
	const work, caught = "on slurm; sh -c 'echo run >> ran'; end\n", "catch\necho ${error.kind}: ${error.message}\nend"
	for name, c := range map[string]struct{ conf, scontrol, says string }{
		"hangs": {"", hang, "; the batch system has said nothing for "},
		"fails": {"", "echo '" + unable + "' >&2; exit 1\n",
			"Unable to contact slurm controller (connect failure), for "},
		"says, hangs": {"", "echo waiting >&2\n" + hang, "; scontrol: waiting, for "},
		"cut off": {"", "printf 'ClusterName = fake\\nSlurmctldHost[0] = lo'\n",
			"; scontrol: its answer was cut off in the middle of a line, for "},
		"says nothing": {"", "exit 0\n", "; scontrol: it said nothing, for "},
		"federation": {"ClusterName=fake\nSlurmctldHost=localhost\nAccountingStorageType=accounting_storage/slurmdbd\n", hang,
			"; the batch system has said nothing for "},
	} {
		for place, script := range map[string]string{
			"":         "try for 1900 ms\n" + work + caught,
			"branches": "try for 1900 ms\nforall x in a b .keepgoing.\n" + work + "end\n" + caught,
			"function": "function f; " + work + "end\ntry for 1900 ms\ntry 3 times\nf\nend\n" + caught,
		} {
			t.Run(name+" "+place, func(t *testing.T) {
				s := newHang(t)
				s.must(os.Remove(s.dir + "/slurm.conf"))
				if c.conf != "" {
					s.file("slurm.conf", c.conf)
				}
				s.replaces("scontrol", c.scontrol)
				p := s.script(script).end().ends("0")
				p.endsInTime()
				if said := p.stdout.String(); !strings.HasPrefix(said, "timeout: ") || !strings.Contains(said, c.says) {
					t.Errorf("it says %q, want %q", said, c.says)
				}
				if s.exists("ran") {
					t.Error("a job ran")
				}
			})
		}
	}
}

// TestOnFirstUseEnds: the wait for the batch system ends with its answer, with a signal, and with an answer that will
// not change.
func TestOnFirstUseEnds(t *testing.T) {
	t.Parallel()
	const script = "on slurm; sh -c 'echo run >> ran'; end; echo done"
	for name, journal := range map[string][]string{"": nil, "journal": {"--journal", "./j"}} {
		t.Run("signal "+name, func(t *testing.T) {
			s := newHang(t)
			s.must(os.Remove(s.dir + "/slurm.conf"))
			s.replaces("scontrol", hang)
			p := s.beginShell(append(journal, "-c", script)...)
			s.within(patience, "it is asked", func() bool { return s.exists("hung") })
			s.must(p.cmd.Process.Signal(syscall.SIGTERM))
			p.end().ends("TERM").endsInTime()
		})
	}
	t.Run("answer", func(t *testing.T) {
		s := newHang(t)
		s.must(os.Remove(s.dir + "/slurm.conf"))
		s.replaces("scontrol", "echo x >> $HOME/asked; [ $(wc -l < $HOME/asked) -gt 1 ] || "+
			"{ echo '"+unable+"' >&2; exit 1; }\nprintf 'ClusterName = fake\\nSlurmctldHost[0] = localhost\\n'\n")
		s.logged(script).end().ends("0").says("done\n")
		s.holds("ran", "run\n")
		if !s.sees("log", "Unable to contact slurm controller") {
			t.Error("the log does not say what it waited for")
		}
	})
	t.Run("mistake", func(t *testing.T) {
		s := newHang(t)
		s.must(os.Remove(s.dir + "/slurm.conf"))
		s.replaces("scontrol", "echo 'scontrol: fatal: Could not establish a configuration source' >&2; exit 1\n")
		s.script("try for 1 hour; " + script + "; catch; echo ${error.kind}; end").end().ends("0").says("error\n")
	})
}

// TestOnSqueueHangs: what has ended while the list of the queue is asked for, or as the limit passes, has its own
// outcome; a limit ends on time, and says for how long nothing was said.
func TestOnSqueueHangs(t *testing.T) {
	t.Parallel()
	const asked = `until [ -e "$HOME/hung" ]; do sleep 0.02; done; `
	for name, c := range map[string]struct{ script, says, ran string }{
		"ends": {"try 2 times; on slurm; sh -c 'echo run >> ran; " + asked + "'; end; end; echo done", "done\n", "run\n"},
		"fails": {"try 1 time; on slurm; sh -c 'echo run >> ran; " + asked + "exit 3'; end; catch; echo ${error.status}; end",
			"3\n", "run\n"},
		"pilots": {"try 2 times; on slurm .pilots. 1; sh -c 'echo run >> ran; " + asked + "'; end; end; echo done", "done\n",
			"run\n"},
		"array": {"forall x in a b; on slurm; sh -c 'echo run >> ran; " + asked + "'; end; end; echo done", "done\n",
			"run\nrun\n"},
		"limit": {"try for 10 s; on slurm; sh -c 'echo run >> ran; until [ -e go ]; do sleep 0.05; done'; end; catch; " +
			"echo ${error.kind}: ${error.message}; end", "; the batch system has said nothing for ", "run\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHang(t)
			s.replaces("squeue", hang)
			p := s.script(c.script)
			p.end().ends("0")
			if got := p.stdout.String(); !strings.Contains(got, c.says) {
				t.Errorf("it says %q, want %q", got, c.says)
			}
			if name == "limit" {
				p.endsInTime()
			}
			s.holds("ran", c.ran)
		})
	}
}

// TestOnSbatchHangs: a submission that has arrived though its answer does not come counts, and so does the status of a
// job that has ended when a limit passes.
func TestOnSbatchHangs(t *testing.T) {
	t.Parallel()
	hangs := strings.Replace(fakeSbatch, "echo $n\n", hang, 1)
	for name, c := range map[string]struct{ script, says, ran string }{
		"arrived": {"try 2 times; on slurm; sh -c 'echo run >> ran'; end; end; echo done", "done\n", "run\n"},
		"array":   {"forall x in a b; on slurm; sh -c 'echo run >> ran'; end; end; echo done", "done\n", "run\nrun\n"},
		"pilots":  {"on slurm .pilots. 1; sh -c 'echo run >> ran'; end; echo done", "done\n", "run\n"},
		"limit": {"try for 10 s\non slurm; sh -c 'echo run >> ran'; end\nend\necho done",
			"done\n", "run\n"},
		"limit of an array": {"try for 10 s\nforall x in a b; on slurm; sh -c 'echo run >> ran'; end; end\nend\necho done",
			"done\n", "run\nrun\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHang(t)
			s.replaces("sbatch", hangs)
			s.script(c.script).end().ends("0").says(c.says)
			s.holds("ran", c.ran)
		})
	}
	t.Run("nothing submitted", func(t *testing.T) {
		s := newHang(t)
		s.replaces("sbatch", hang)
		p := s.script("try for 2500 ms; on slurm; true-not; end; catch; echo ${error.kind}: ${error.message}; end")
		p.end().ends("0")
		p.endsInTime()
		if got := p.stdout.String(); !strings.HasPrefix(got, "timeout: ") ||
			!strings.Contains(got, "; the batch system has said nothing for ") {
			t.Errorf("it says %q", got)
		}
	})
}

// TestOnScancelHangs: a limit, a signal and the end of the script come on time though nothing can be cancelled.
func TestOnScancelHangs(t *testing.T) {
	s := newHang(t)
	s.replaces("scancel", hang)
	s.file("fake/held", "PENDING\n")
	p := s.script("try for 1 s; on slurm; true-not; end; catch; echo ${error.kind}; end").end().ends("0")
	p.says("timeout\n").endsInTime()
	s.must(os.Remove(s.dir + "/fake/held"))
	again := s.script("on slurm; sh -c 'echo run >> ran'; end; echo done").end()
	again.ends("0").says("done\n").endsInTime()
	s.holds("ran", "run\n")
}

// TestOnCutList: a list that ends in the middle of a line, or lacks a job that runs, does not make two of it: the
// first is no answer, and of the second the job is told to end before another takes its place, and stays lost.
func TestOnCutList(t *testing.T) {
	t.Parallel()
	const work = `try 2 times every 0s only on lost
on slurm %
sh -c 'echo begins >> ran; trap "echo ends >> ran; exit 0" TERM
[ $(wc -l < ran) -gt 1 ] || until [ -e go ]; do sleep 0.05; done'
end
end
echo done`
	t.Run("cut", func(t *testing.T) {
		s := newHang(t)
		s.replaces("squeue", strings.Replace(fakeSqueue, `echo "${job#job-}|$name|$state|fake|None"`,
			`printf %s "${job#job-}|"`, 1))
		p := s.script(strings.Replace(work, "%", "", 1))
		s.asksAgain(8)
		s.file("go", "")
		p.end().ends("0").says("done\n")
		s.holds("ran", "begins\n")
	})
	for name, pilots := range map[string]string{"job": "", "pilots": ".pilots. 1"} {
		t.Run("lacking "+name, func(t *testing.T) {
			s := newHang(t)
			s.file("fake/forgotten", "")
			s.replaces("squeue", "echo >> \"$HOME/fake/lists\"\n")
			p := s.script(strings.Replace(work, "%", pilots, 1))
			p.end().ends("0").says("done\n")
			s.holds("ran", "begins\nends\nbegins\n")
		})
	}
}
