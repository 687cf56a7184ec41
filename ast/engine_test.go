package ast_test

import (
	"testing"

	"ftsh/ast"
)

// TestRefuseOption: what would break the promises of `on` is refused in every spelling that sbatch takes: whole, shortened, with a value
// or before one, as a letter, with its value in the same word, and bundled. What it does not concern passes.
func TestRefuseOption(t *testing.T) {
	refused := func(words ...string) {
		t.Helper()
		if at, why := ast.RefuseOption("slurm", words); at != len(words)-1 || why == "" {
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
		{"--mem=1G"}, {"--mem", "1G"}, {"-p", "-o"}, {"-pHW"}, {"-sn2"}, {"--wait-all-nodes=1"}, {"--time=1:00", "--requeue", "--exclusive"},
		{"-A", "--wrap"}, {ast.Opaque},
	} {
		if at, why := ast.RefuseOption("slurm", words); at >= 0 {
			t.Errorf("%q: at %d, %s", words, at, why)
		}
	}
}
