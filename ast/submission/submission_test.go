package submission_test

import (
	"strings"
	"testing"

	"ftsh/ast/submission"
)

// TestRefuseOption: what would break the promises of `on` is refused in every spelling that sbatch takes: whole,
// shortened, with a value or before one, as a letter, with its value in the same word, and bundled. What it does not
// concern passes.
func TestRefuseOption(t *testing.T) {
	refused := func(words ...string) {
		t.Helper()
		if at, why := submission.RefuseOption("slurm", words); at != len(words)-1 || why == "" {
			t.Errorf("%q: at %d, %q", words, at, why)
		}
	}
	for name, letter := range map[string]string{
		"wrap": "", "array": "a", "output": "o", "error": "e", "input": "i", "export": "", "parsable": "", "wait": "W",
		"hold": "H", "dependency": "d", "job-name": "J", "clusters": "M", "quiet": "Q",
	} {
		for n := 1; n <= len(name); n++ {
			refused("--" + name[:n])
			refused("--" + name[:n] + "=x")
			refused("--mem=1G", "-p", "main", "--"+name[:n])
		}
		if letter == "" {
			continue
		}
		refused("-" + letter)
		refused("-" + letter + "x")
		refused("-sI" + letter)
		refused("-n", "2", "-v"+letter+"x")
	}
	for _, words := range [][]string{
		{"--mem=1G"}, {"--mem", "1G"}, {"-p", "-o"}, {"-pHW"}, {"-sn2"}, {"--wait-all-nodes=1"},
		{"--time=1:00", "--requeue", "--exclusive"},
		{"-A", "--wrap"}, {submission.Opaque},
	} {
		if at, why := submission.RefuseOption("slurm", words); at >= 0 {
			t.Errorf("%q: at %d, %s", words, at, why)
		}
	}
}

// TestRefuseQsub: what breaks a promise is refused wherever it stands, and nothing else is; values are no options.
func TestRefuseQsub(t *testing.T) {
	for _, c := range []struct {
		words string
		at    int // -1: none is refused
	}{
		{"-l h_rt=60 -P bio -q main.q -pe smp 4 -p -5 -r y -m n -M a@b -notify -hard -l a=b -soft -l c -a 1201 -binding " +
			"linear:1 -R y", -1},
		{"-A " + submission.Opaque + " " + submission.Opaque + " -ckpt x -dc A,B -sc a=b -js 3 -u x -masterq q " +
			"-site-option x -jsv /f", -1},
		{"-pe smp 1-4 -t 1-3", 3}, {"-tc 3", 0}, {"-N x", 0}, {"-o f", 0}, {"-e f", 0}, {"-j y", 0}, {"-i f", 0}, {"-V", 0},
		{"-v A=b", 0},
		{"-cwd", 0}, {"-wd /", 0}, {"-sync y", 0}, {"-terse", 0}, {"-now y", 0}, {"-h", 0}, {"-hold_jid 3", 0},
		{"-hold_jid_ad 3", 0},
		{"-b y", 0}, {"-shell n", 0}, {"-S /bin/sh", 0}, {"-C #", 0}, {"-clear", 0}, {"-@ f", 0}, {"-inherit", 0},
		{"-verify", 0}, {"-w v", 0},
		{"-help", 0}, {"-notify -hard program", 2}, {"-pe smp 4 program", 3}, {"-l a program", 2}, {"program", 0}, {"-", 0},
	} {
		at, why := submission.RefuseOption("gridengine", strings.Fields(c.words))
		if at != c.at || (at >= 0) != (why != "") {
			t.Errorf("%q: %d, %q, want %d", c.words, at, why, c.at)
		}
	}
}
