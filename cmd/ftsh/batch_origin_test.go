package main

import (
	"os"
	"strings"
	"testing"
)

// TestOnOrigin: the batch system's own list shows where a job comes from (script, line and item, of an array without
// the item), and its working directory is the shell's at that moment.
func TestOnOrigin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, comment, dir string }{
		"alone": {"on slurm\n  hostname\nend", "-c:2", ""},
		"for": {"for s in s16 s17\n  if try test $s = s17\n    on slurm\n      hostname\n    end\n  end\nend",
			"-c:4 s17", ""},
		"forall":   {"on slurm\n forall s in s17\n  hostname\n end\nend", "-c:3 s17", ""},
		"forany":   {"on slurm\n forany s in s17\n  hostname\n end\nend", "-c:3 s17", ""},
		"hedged":   {"on slurm\n forany s in s17 .hedge. 1 s\n  hostname\n end\nend", "-c:3 s17", ""},
		"inner":    {"on slurm\n forall s in s17\n  for t in t1\n   hostname\n  end\n end\nend", "-c:4 t1", ""},
		"after":    {"for s in s17\n true\nend\non slurm\n hostname\nend", "-c:5", ""},
		"function": {"function f\n on slurm\n  hostname\n end\nend\nfor s in s17\n f\nend", "-c:3 s17", ""},
		"array":    {"on slurm\n forall s in s16 s17\n  hostname\n end\nend", "-c:3", ""},
		"lines": {"on slurm\n forall s in 1 2\n  if $s .eq. 1\n   hostname\n  else\n   true-not\n  end\n end\nend",
			"-c", ""},
		"chosen":  {"on slurm --comment=mine\n hostname\nend", "mine", ""},
		"cd":      {"cd sub\non slurm\n hostname\nend", "-c:3", "/sub"},
		"apart":   {"on slurm\n forall s in . sub\n  cd $s\n  hostname\n end\nend", "-c:4", "-"},
		"pilots":  {"cd sub\non slurm .pilots. 1\n for s in s17\n  hostname\n end\nend", "-c:2", "/sub"},
		"escaped": {"for s in a\x1bb\n on slurm\n  hostname\n end\nend", `-c:3 a\x1bb`, ""},
		"longest": {"on slurm\n for s in " + strings.Repeat("x", 2000) + "\n  hostname\n end\nend", "-c:3 " +
			strings.Repeat("x", 195), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFake(t)
			s.must(os.Mkdir(s.dir+"/sub", 0o700))
			s.script(test.script).end()
			job := "fake/job-1/options"
			if !s.exists(job) {
				job = "fake/job-1_0/options"
			}
			options := s.read(job)
			dir := s.dir + test.dir
			if test.dir == "-" {
				dir = "/"
			}
			comments := strings.Split(options, "--comment=") // the last one counts
			if comment, _, _ := strings.Cut(comments[len(comments)-1], " --"); comment != test.comment {
				t.Errorf("comment %q, want %q", comment, test.comment)
			}
			if !strings.Contains(options, "--chdir="+dir+" ") {
				t.Errorf("options %q, want the directory %s", options, dir)
			}
		})
	}
}
