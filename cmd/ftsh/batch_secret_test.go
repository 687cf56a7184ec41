package main

import (
	"strings"
	"testing"
)

// TestOnSecret: a job is given a secret, but its name, its comment, the log, the tables of jobs and the journal show
// none.
func TestOnSecret(t *testing.T) {
	s := newFake(t)
	s.program(s.dir+"/hush-program", "#!/bin/sh\necho \"$1\" > given\necho out\nexit 3\n")
	const script = `secret token program
token=hush-hush
program=./hush-program
for item in "item $token"
    try
        on slurm --mail-user=$token
            $program "$token" "a $item" -> out
        end
    catch
        echo "${error.command}"
    end
end`
	s.file("script", script)
	p := s.beginShell("-l", "40", "--journal", s.dir+"/j", s.dir+"/script").end().ends("0").
		says("*** *** a item ***\n")
	s.holds("given", "hush-hush\n")
	for what, text := range map[string]string{
		"the log": p.stderr.String(), "what the batch system was told besides": strings.ReplaceAll(
			s.read("fake/job-1/options"), "--mail-user=hush-hush", ""),
		"the journal":     s.read("j"),
		"the list":        s.beginShell("--jobs").end().ends("0").stdout.String(),
		"the failed ones": s.beginShell("--jobs", "failed").end().ends("0").stdout.String(),
		"the job":         s.beginShell("--jobs", "show", "1").end().ends("0").stdout.String(),
	} {
		if at := strings.Index(text, "hush"); at >= 0 || text == "" {
			t.Errorf("%s has a secret at %d:\n%s", what, at, text)
		}
	}
	s.shows("job-", "word 2     \"***\"\n")
	s.beginShell("--jobs", "clean").end().ends("0")
}
