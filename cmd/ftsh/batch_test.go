package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onCases are scripts whose meaning does not depend on the batch system.
var onCases = map[string]struct{ script, says string }{
	"capture": {"on slurm; sh -c 'echo $SLURM_JOB_ID' -> id; end; if $id .gt. 0; echo job; end", "job\n"},
	"output":  {"on slurm; printf '%s.' a 'b c' '$x' '\\n' \\\\; end", `a.b c.$x.\n.\.`},
	"status": {"try; on slurm; sh -c 'echo why >&2; exit 7'; end; catch; echo ${error.kind} ${error.status} " +
		"${error.stderr}; end", "exit 7 why\n"},
	"signal": {"try; on slurm; sh -c 'kill -USR2 $$'; end; catch; echo ${error.kind} ${error.status}; end",
		"signal 140\n"},
	"missing": {"try; on slurm; no-such-program; end; catch; echo ${error.kind} ${error.status}; end",
		"missing 127\n"},
	"pipeline": {"on slurm; printf 'b\\na\\n' | sort | sh -c 'cat; echo $SLURM_JOB_ID >&2' 2-> id; end", "a\nb\n"},
	"first fails": {"try; on slurm; sh -c 'exit 4' | cat; end; catch; echo ${error.status} ${error.command}; end",
		"4 sh -c exit 4\n"},
	"input":    {"x=text; on slurm; cat -< x; cat << EOT\nhere $x\nEOT\nend", "texthere text\n"},
	"no input": {"on slurm; wc -c -> n; end; echo $n", "0\n"},
	"both":     {"on slurm; sh -c 'echo out; echo err >&2' ->& v; end; echo $v", "out err\n"},
	"append":   {"v=old.; on slurm; printf new ->> v; end; echo $v", "old.new\n"},
	"builtins": {"on slurm; echo $$ -> a; end; if $a .eq. $$; echo same; end", "same\n"},
	"function": {"function f\nsh -c 'echo ${SLURM_JOB_ID:+job}'\nend\non slurm; f; end; f", "job\n\n"},
	"here":     {"on slurm; on here; sh -c 'echo ${SLURM_JOB_ID:-here}'; end; end", "here\n"},
	"finally":  {"on slurm; try; true; finally; sh -c 'echo ${SLURM_JOB_ID:-here}'; end; end", "here\n"},
	"verify": {"on slurm; try 2 times; sh -c 'kill -USR2 $$'; verify; sh -c 'echo ${SLURM_JOB_ID:-here}'; end; end",
		"here\n"},
	"verify on": {"on slurm; try 2 times; sh -c 'kill -USR2 $$'; verify; on slurm; sh -c 'echo " +
		"${SLURM_JOB_ID:+job}'; end; end; end", "job\n"},
	"sense": {"resource r; sense; sh -c 'echo ${SLURM_JOB_ID:-here} > sensed'; end; end; on slurm; try for 1 " +
		"minute via r; sh -c 'true'; end; end; on here; cat sensed; end", "here\n"},
	"sense on": {"resource other; sense; on slurm; sh -c 'echo ${SLURM_JOB_ID:+job} > sensed'; end; end; end; try " +
		"for 1 minute via other; success; end; cat sensed", "job\n"},
	"test": {"on slurm; if try grep -q x /dev/null; echo yes; else; echo no; end; end", "no\n"},
	"test stage": {"on slurm; try; if try sh -c 'echo x; exit 1' | grep -q x; echo yes; else; echo no; end; catch; " +
		"echo ${error.status}; end; end", "1\n"},
	"export": {"export MINE=1; on slurm; sh -c 'echo $MINE[$FTSH_COMMAND]' -> v; end; if $v .matches. '^1.[^]]'; " +
		"echo own; end", "own\n"},
	"key":     {"try key work; on slurm; sh -c 'echo $FTSH_KEY $FTSH_ATTEMPT'; end; end", "work 1\n"},
	"refused": {"o=--wrap=x; try; on slurm $o; true; end; catch; echo ${error.kind}; end", "error\n"},
	"never":   {"try; on slurm --partition=nowhere; hostname; end; catch; echo ${error.kind}; end", "error\n"},
	"block": {"try; on slurm; cat; end 3< /etc/hostname; catch; echo ${error.kind} ${error.message}; end",
		"error on slurm: descriptor 3 is of the block around, which a job cannot share; redirect it after the program " +
			"itself\n"},
	"block input": {"printf '1\n2\n' -> lines; on slurm; while try read x; sh -c 'echo got $0; cat' $x; end -< lines; " +
		"end; on slurm; cat; end -< lines", "got 1\ngot 2\n"},
	"reopened": {"on slurm; sh -c 'echo a; echo b > /dev/stdout; echo c > /dev/stderr; echo d' -> v; echo $v; end",
		"a b d\n"},
	"shell's streams": {"on slurm; sh -c 'echo a' > /dev/stdout; sh -c 'echo b >&2' 2>> /dev/fd/1; try; sh -c 'echo c' " +
		"> /dev/null 2> /dev/stderr > /dev/stdout; catch; echo ${error.kind} ${error.message}; end; end", "a\nb\nerror " +
		"on slurm: /dev/stdout is a stream of the shell, which a job cannot open here\n"},
	"own descriptor": {"on slurm; sh -c 'echo x >&3' 3> three; end; on here; cat three; end", "x\n"},
	"deadline":       {"try for 1 hour; on slurm; sh -c 'echo [$FTSH_DEADLINE]'; end; end", "[]\n"},
	"one place": {"function f; sh -c 'for n in 1 2 3; do echo out; echo err >&2; done'; end; on slurm; f ->& v; echo " +
		"$v; end", "out err out err out err\n"},
	"file named": {"try; on slurm; cat < missing; end; catch; if ${error.message} .matches. '^cannot open missing: '; " +
		"echo ${error.kind}; end; end", "redirect\n"},
	"items": {"try; on slurm; forall n in 1 2 'x y' .keepgoing.; sh -c '[ \"$0\" = 2 ]' \"$n\"; end; end; catch; " +
		"printf '<%s>' \"${error.items}\"; end", "<1><x y>"},
	"grouped": {"function f; forall n in 3 1 2 .grouped.; echo begins $n; sh -c 'echo $0; sleep 0.$0; echo e$0 " +
		">&2; echo " +
		"$0' $n; end; end; on slurm; f ->& v; echo $v; end", "begins 3 3 e3 3 begins 1 1 e1 1 begins 2 2 e2 2\n"},
	"own words": {"export CUDA_VISIBLE_DEVICES=7; export ENVIRONMENT=mine; on slurm; sh -c 'echo " +
		"$CUDA_VISIBLE_DEVICES $ENVIRONMENT'; end", "7 mine\n"},
	"bytes": {`printf 'r\351sultat' -> n; on slurm; sh -c 'printf %s "$0" | od -An -tx1' $n; end`,
		" 72 e9 73 75 6c 74 61 74\n"},
	"mixed": {"function f; true; end; try; on slurm; f | cat; end; catch; echo ${error.kind}; end", "error\n"},
}

// TestOn: programs are jobs; all else means what it means without `on`.
func TestOn(t *testing.T) {
	s := newFake(t)
	for name, c := range onCases {
		if name == "never" {
			continue // it is Slurm that says so
		}
		t.Run(name, func(t *testing.T) {
			before := s.submissions()
			s.script(c.script).end().ends("0").says(c.says)
			if n := s.submissions() - before; n > 0 && slices.Contains([]string{"refused", "block", "mixed"}, name) {
				t.Errorf("%d submissions of what is refused before", n)
			}
		})
	}
}

// TestOnUnanswered: a submission whose answer was lost is found in the queue, and not repeated.
func TestOnUnanswered(t *testing.T) {
	s := newFake(t)
	s.file("fake/unanswered", "")
	s.script("on slurm; sh -c 'echo once >> ran'; end").end().ends("0")
	s.holds("ran", "once\n")
}

// TestOnUnansweredTwice: what arrived twice runs once, as the second finds the claim of the first.
func TestOnUnansweredTwice(t *testing.T) {
	s := newFake(t)
	s.file("fake/unanswered", "")
	s.program(s.away+"/bin/squeue", "exit 1\n") // so nobody knows of the first
	s.script("on slurm; sh -c 'echo once >> ran; sleep 2'; end").end().ends("0")
	s.holds("ran", "once\n")
	if jobs, _ := filepath.Glob(s.dir + "/fake/job-*"); len(jobs) < 1 {
		t.Error("nothing was submitted")
	}
}

// TestOnVanished: a job that the queue has forgotten before it began is submitted again; one that
// had begun is lost.
func TestOnVanished(t *testing.T) {
	s := newFake(t)
	s.file("fake/held", "")
	p := s.script("on slurm; sh -c 'echo once >> ran'; end")
	s.within(patience, "it is submitted", func() bool { return s.exists("fake/job-1/state") })
	s.must(os.Remove(s.dir + "/fake/held"))
	s.file("fake/job-1/forgotten", "")
	p.end().ends("0")
	s.holds("ran", "once\n")
}

// TestOnLost: a job whose node failed is lost, and what a script makes of that runs it again.
func TestOnLost(t *testing.T) {
	s := newFake(t)
	p := s.script("try 2 times every 0s only on lost; on slurm; sh -c 'echo $$ >> ran; if [ $(wc -l < ran) = 1 ]; " +
		"then exec sleep 1000; fi'; end; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
	s.file("fake/job-1/state", "NODE_FAIL\n")
	p.end().ends("0")
	if runs := strings.Count(s.read("ran"), "\n"); runs != 2 {
		t.Errorf("%d runs, want 2", runs)
	}
	s.kill("ran")
	s.within(patience, "the job has ended", func() bool { return !s.lives("ran") && !s.lives("fake/job-1/pid") })
}

// TestOnMemory: out of memory is a kind of its own.
func TestOnMemory(t *testing.T) {
	s := newFake(t)
	p := s.script("try; on slurm; sh -c 'echo $$ > ran; kill -STOP $$'; end; catch; echo ${error.kind} " +
		"${error.status}; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") && s.read("ran") != "" })
	s.file("fake/job-1/state", "OUT_OF_MEMORY\n")
	s.kill("ran")
	p.end().ends("0").says("memory 137\n")
}

// TestOnHeld: a limit on a job that waits ends it for ever: it does not begin when its turn comes.
func TestOnHeld(t *testing.T) {
	s := newFake(t)
	s.file("fake/held", "")
	s.script("try for 8 s; on slurm; sh -c 'echo begun >> ran'; end; catch; echo ${error.kind}; end").end().ends(
		"0").says("timeout\n")
	late := exec.Command("sh", s.dir+"/fake/job-1/script")
	late.Env = s.env
	if out, err := late.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if s.exists("ran") {
		t.Error("it ran after its end")
	}
}

// TestJobs: what is left of jobs that failed is listed, shown, repeated and removed.
func TestJobs(t *testing.T) {
	s := newFake(t)
	s.beginShell("--jobs").end().ends("0").says("no jobs\n")
	s.script("try; on slurm --mem=1G; sh -c 'echo why >&2; [ -e ready ]' > made -> v; end; catch; end").end().ends("0")
	p := s.beginShell("--jobs", "failed").end().ends("0")
	for _, want := range []string{"TICKET", " exit ", " fake ", "sh -c echo why >&2; [ -e ready ] > made >> out.0\n"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if !strings.HasSuffix(p.stdout.String(), ": ended with status 1; it wrote: why\n") {
		t.Errorf("the table does not say how it failed: %s", &p.stdout)
	}
	p = s.beginShell("--jobs", "show", "sh-").end().ends("0")
	for _, want := range []string{"state      exit", "options    --mem=1G", "stderr:\nwhy"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("it does not show %q", want)
		}
	}
	s.beginShell("--jobs", "cancel", "sh-").end().ends("0")
	if p = s.beginShell("--jobs").end().ends("0"); !strings.Contains(p.stdout.String(), "  exit ") {
		t.Errorf("how it failed was forgotten: %s", &p.stdout)
	}
	s.beginShell("--jobs", "show", "no").end().ends("2").complains("there is no job no")
	s.beginShell("--jobs", "sell").end().ends("2").complains("ftsh --jobs [list")
	s.beginShell("--jobs", "redo", "sh-").end().ends("1").complains("exit: ended with status 1")
	s.beginShell("--jobs", "clean").end().ends("0").says("removed 2\n")
	s.beginShell("--jobs").end().ends("0").says("no jobs\n")
}

// TestOnFederation: in a federation, where a job may move to another cluster, nothing is submitted. A cluster that
// cannot be in one is not asked, and one that does not answer is taken for one that is not.
func TestOnFederation(t *testing.T) {
	for name, test := range map[string]struct{ conf, answer, status string }{
		"in one":       {"AccountingStorageType=accounting_storage/slurmdbd\n", "echo 'Federation: both'", "1"},
		"included":     {"Include accounting.conf\n", "echo 'Federation: both'", "1"},
		"in none":      {"AccountingStorageType=accounting_storage/slurmdbd\n", "true", "0"},
		"unanswered":   {"AccountingStorageType=accounting_storage/slurmdbd\n", "echo Federation: >&2; exit 1", "0"},
		"no accounts":  {"AccountingStorageType=accounting_storage/none\n", "echo 'Federation: both'", "0"},
		"nothing said": {"", "echo 'Federation: both'", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			s.file("slurm.conf", "ClusterName=fake\nSlurmctldHost=localhost\n"+test.conf)
			s.program(s.away+"/bin/scontrol", test.answer+"\n")
			p := s.script("on slurm; sh -c 'echo x >> ran'; end").end().ends(test.status)
			if test.status == "0" {
				s.holds("ran", "x\n")
				return
			}
			p.complains("this cluster is in a federation, where jobs move to other clusters: that is not supported")
			if s.exists("ran") || s.exists("fake/submission-1") {
				t.Error("it was submitted")
			}
		})
	}
}

// TestOnReport: what is reported of a job that failed has its number, its node and its last words.
func TestOnReport(t *testing.T) {
	s := newFake(t)
	const words = "printf 'first\\nsecond\\nthird\\n\\nthe \\033[1mlast\\n' >&2; exit 3"
	p := s.script(`on slurm; sh -c "` + words + `"; end`).end().ends("1")
	p.complains(`ended with status 3 (job 1 on fake); it wrote: second\nthird\nthe \x1b[1mlast`)
	if p = s.beginShell("--jobs", "show", "1").end().ends("0"); !strings.Contains(p.stdout.String(), `the \x1b[1mlast`) {
		t.Errorf("it is not shown, or as it is: %q", &p.stdout)
	}
}

// TestOnKilled: the guardian cancels the jobs of a shell that was killed.
func TestOnKilled(t *testing.T) {
	s := newFake(t)
	s.file("ran", "")
	p := s.script("forall n in 1 2 3; on slurm; sh -c 'echo $$ >> ran; exec sleep 1000'; end; end")
	s.within(patience, "the jobs run", func() bool { return s.lines("ran") == 3 && s.lives("ran") })
	s.must(p.cmd.Process.Kill())
	p.end().ends("KILL")
	s.within(patience, "they are gone", func() bool { return !s.lives("ran") })
}

// TestExampleAlign: a sample that needs more memory gets it, and only that one.
func TestExampleAlign(t *testing.T) {
	s := newFake(t)
	s.program(s.away+"/bin/align", `job=$HOME/fake/job-$SLURM_JOB_ID
echo "$1 $(grep -o 'mem=[0-9]*G' $job/options)" >> runs
case "$1 $(cat $job/options)" in
	large.fq*mem=4G*) echo OUT_OF_MEMORY > $job/state; kill -KILL $$;;
	broken.fq*) echo 'no reads' >&2; exit 1;;
esac
tr a-z A-Z < $1
`)
	for _, name := range []string{"small", "large", "broken"} {
		s.file(name+".fq", name+"\n")
	}
	s.set("ALIGN=align", "FTSH_EXPMIN=0.01")
	s.run("align.ftsh", "small", "large", "broken").ends("1").complains("broken: align broken.fq: ended with status 1")
	s.holds("small.sam", "SMALL\n")
	s.holds("large.sam", "LARGE\n")
	runs := strings.Split(strings.TrimSpace(s.read("runs")), "\n")
	slices.Sort(runs)
	want := []string{"broken.fq mem=4G", "large.fq mem=4G", "large.fq mem=8G", "small.fq mem=4G"}
	if !slices.Equal(runs, want) {
		t.Errorf("runs %q, want %q", runs, want)
	}
	s.file("broken.sam", "by hand\n")
	s.run("align.ftsh", "small", "large", "broken").ends("0")
}
