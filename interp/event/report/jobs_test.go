package report

import (
	"slices"
	"strings"
	"testing"
)

// jobLog is a script with two jobs of which one is held for 3 s, a pipeline as a job, and a command that is none.
func jobLog(t *testing.T) *Story {
	t.Helper()
	at := func(id, line, more string) string {
		return `"level":30,"script":"align.ftsh","line":` + line + `,"id":` + id + `,"branch":` + id + "," + more
	}
	return read(t, `"event":"shell.start","level":30,"command":["align.ftsh"]`,
		at("1", "12", `"event":"command.start","command":["bwa","a"]`), // at 1 s
		at("2", "12", `"event":"command.start","command":["bwa","b"]`),
		at("2", "12", `"event":"job.wait","message":".limit. 1"`),
		at("1", "12", `"event":"job.state","name":"bwa-1","value":"queued"`),
		at("1", "12", `"event":"job.state","name":"bwa-1","value":"running"`),
		at("2", "12", `"event":"job.state","name":"bwa-2","value":"queued"`), // at 6 s
		at("1", "12", `"event":"job.state","name":"bwa-1","value":"done","elapsed":2,"asked":["--mem=4G","--time=60"],`+
			`"cpu":3,"memory":3221225472`),
		at("1", "12", `"event":"command.end","command":["bwa","a"],"elapsed":7`), // at 8 s, it ran from 6 s on
		at("2", "12", `"event":"job.state","name":"bwa-2","value":"running"`),
		at("3", "20", `"event":"job.state","name":"sort-3","value":"queued"`), // at 10 s
		at("2", "12", `"event":"job.state","name":"bwa-2","value":"failed","elapsed":4,"asked":["--mem=4G",`+
			`"--time=60"],"cpu":9,"memory":4187593113`),
		at("2", "12", `"event":"command.failed","command":["bwa","b"],"status":137,"failure":"memory","message":"out `+
			`of memory","elapsed":10`),
		// at 13 s
		at("3", "20", `"event":"job.state","name":"sort-3","value":"done","elapsed":1,"cpu":0.5,"memory":10485760`),
		at("4", "21", `"event":"command.start","command":["ls"]`),
		at("4", "21", `"event":"command.end","command":["ls"],"elapsed":1`),
		`"event":"shell.end","level":30,"status":1`)
}

// TestJobShares: the time that jobs run, stand in the queue and are held by .limit. is told apart, and none of it
// counts as that of commands.
func TestJobShares(t *testing.T) {
	s := jobLog(t)
	want := [][]string{
		{"commands", "1 s", "1"}, {"failed commands", "0 ms", "0"}, {"waits", "0 ms", "0"}, {"jobs", "3 s", "2"},
		{"failed jobs", "4 s", "1"}, {"jobs in the queue", "9 s", "3"}, {"jobs held by .limit.", "4 s", "1"},
	}
	if got := s.shares(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("shares %v, want %v", got, want)
	}
	for _, text := range []string{"  jobs in the queue     9 s   3\n", "  jobs held by .limit.  4 s   1\n",
		"  4 s   1      align.ftsh:12  held by .limit.: bwa b\n", "\n  bwa b                 "} {
		if !strings.Contains(s.Text(100), text) {
			t.Errorf("the report lacks %q:\n%s", text, s.Text(100))
		}
	}
}

// TestJobUses: what was asked for jobs, and what they have used, is a table.
func TestJobUses(t *testing.T) {
	s := jobLog(t)
	want := `
What jobs were given and have used (half of them … all, at most)
  jobs  line           asked for           time       CPU time   memory
  2     align.ftsh:12  --mem=4G --time=60  2 s … 4 s  3 s … 9 s  3 GB … 3.9 GB
  1     align.ftsh:20  -                   1 s        500 ms     10 MB
`
	if text := s.Text(100); !strings.Contains(text, want) {
		t.Errorf("the report lacks %s:\n%s", want, text)
	}
	if page := s.HTML(); !strings.Contains(page, "3 GB … 3.9 GB") {
		t.Error("the page lacks it")
	}
}

// TestJobTorn: of a job whose shell was killed all is told that is known by then.
func TestJobTorn(t *testing.T) {
	s := read(t, `"event":"command.start","level":20,"id":1,"command":["bwa"]`,
		`"event":"job.wait","level":30,"id":1`, `"event":"assign","level":20`)
	shares := s.shares()
	if held := shares[len(shares)-1]; !slices.Equal(held, []string{"jobs held by .limit.", "2 s", "1"}) {
		t.Errorf("%v", shares)
	}
}
