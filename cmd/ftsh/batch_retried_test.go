package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJobsMadeGood: what a later attempt has made good, and the answer no of a test, is not among the jobs that failed;
// everything else is.
func TestJobsMadeGood(t *testing.T) {
	t.Parallel()
	const twice = "sh -c 'echo x >> ran-$0; [ $(wc -l < ran-$0) -ge 2 ] || exit 7' "
	for name, c := range map[string]struct{ script, left string }{
		"attempt": {"try 3 times every 0s; on slurm; " + twice + "a; end; end", ""},
		"other words": {"try 3 times every 0s; on slurm --mem=${try.attempt}G; sh -c '[ $0 = 2 ]' ${try.attempt}; " +
			"end; end", ""},
		"try in on": {"on slurm; try 3 times every 0s; " + twice + "a; end; end", ""},
		"pilots":    {"on slurm .pilots. 1; try 3 times every 0s; " + twice + "a; end; end", ""},
		"inner try": {"try 2 times every 0s; try 2 times every 0s; on slurm; sh -c 'echo x >> ran; [ $(wc -l < ran) " +
			"= 4 ]'; end; end; end", ""},
		"branches":      {"try 5 times every 0s; on slurm; forall n in a b .keepgoing.; " + twice + "$n; end; end; end", ""},
		"alternative":   {"forany n in 1 0 .inorder.; on slurm; sh -c 'exit $0' $n; end; end", ""},
		"no":            {"on slurm; if try sh -c 'exit 1'; echo yes; end; while try sh -c 'exit 1'; end; end", ""},
		"no of a stage": {"on slurm; if try hostname | sh -c 'exit 1'; echo yes; end; end", ""},
		"no, of pilots": {"on slurm .pilots. 1; if try sh -c 'exit 1'; echo yes; end; end", ""},
		"no answer":     {"try; on slurm; if try sh -c 'exit 2'; end; end; catch; end", "exit"},
		"first of two":  {"try; on slurm; if try sh -c 'exit 1' | cat; end; end; catch; end", "exit"},
		"caught":        {"try 2 times; try; on slurm; sh -c 'exit 1'; end; catch; end; end", "exit"},
		"caught, again": {"try 2 times every 0s; try; on slurm; sh -c 'exit 1'; end; catch; end; test ${try.attempt} = " +
			"2; end", "exit"},
		"all failed":     {"try; try 2 times every 0s; on slurm; sh -c 'exit 1'; end; end; catch; end", "exit exit"},
		"another branch": {"forall n in 1 0 .keepgoing.; try; on slurm; sh -c 'exit $0' $n; end; catch; end; end", "exit"},
	} {
		for _, journal := range []bool{false, true} {
			t.Run(strings.TrimSuffix(name+", journal", map[bool]string{false: ", journal"}[journal]), func(t *testing.T) {
				s := newFake(t)
				args := []string{"-l", "30", "-f", "log", "-c", c.script}
				if journal {
					args = append([]string{"--journal", s.dir + "/j"}, args...)
				}
				s.beginShell(args...).end().ends("0")
				p := s.beginShell("--jobs", "failed").end().ends("0")
				var states []string
				for _, row := range regexp.MustCompile(`(?m)^sh-\S+ +\S+ +(\S+) +fake`).FindAllStringSubmatch(
					p.stdout.String(), -1) {
					states = append(states, row[1])
				}
				if !slices.Equal(states, strings.Fields(c.left)) {
					t.Errorf("failed: %q, want %q", states, c.left)
				}
				if strings.HasPrefix(name, "no") && name != "no answer" && strings.Contains(s.read("log"), " failed: job") {
					t.Error("an answer is called a failure")
				}
			})
		}
	}
}

// TestJobsMadeGoodLater: what the attempts of a shell that was killed have left is made good by those of the next.
func TestJobsMadeGoodLater(t *testing.T) {
	s := newFake(t)
	const script = "try 5 times every 0s; on slurm; sh -c 'echo x >> ran; [ $(wc -l < ran) -ge 3 ] || exit 7; echo y " +
		">> good; until [ -e go ]; do sleep 0.05; done'; end; end"
	s.killed(script, "the third attempt runs", func() bool { return s.lines("good") == 1 })
	if p := s.beginShell("--jobs", "failed").end().ends("0"); strings.Count(p.stdout.String(), "  exit   fake ") != 2 {
		t.Errorf("failed: %s", &p.stdout)
	}
	s.file("go", "")
	s.durably(script).end().ends("0")
	s.beginShell("--jobs").end().ends("0").says("no jobs\n")
}
