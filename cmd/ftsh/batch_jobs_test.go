package main

import (
	"strings"
	"testing"
)

// row is a line of the table of jobs, by how its ticket begins.
func (s *scene) row(ticket string) string {
	s.Helper()
	p := s.beginShell("--jobs").end().ends("0")
	for line := range strings.Lines(p.stdout.String()) {
		if strings.HasPrefix(line, ticket) {
			return line
		}
	}
	s.Fatalf("no %s in %s", ticket, &p.stdout)
	return ""
}

// TestJobsCancel: of a job that was cancelled one sees where it ran; one that has ended is left as it is.
func TestJobsCancel(t *testing.T) {
	s := newFake(t)
	const script = "on slurm; sh -c 'echo x >> ran; until [ -e go ]; do sleep 0.02; done'; end"
	s.killed(script, "it runs", func() bool { return s.lines("ran") == 1 })
	s.beginShell("--jobs", "cancel", "sh-").end().ends("0").says("")
	if row := strings.Fields(s.row("sh-")); row[2] != "cancelled" || row[3] != "fake" {
		t.Errorf("the table says %q", row)
	}
	s.beginShell("--jobs", "clean").end().ends("0")
	s.script("try; on slurm; sh -c 'exit 7'; end; catch; end").end().ends("0")
	p := s.beginShell("--jobs", "cancel", "sh-").end().ends("0")
	if said := p.stdout.String(); !strings.HasSuffix(said, ": it has ended already (exit)\n") {
		t.Errorf("it says %q", said)
	}
}

// TestJobsPilots: a program says which pilot runs it, and the number of its job is the pilot's; that is not run again.
func TestJobsPilots(t *testing.T) {
	s := newFake(t)
	p := s.script("on slurm .pilots. 1; sh -c 'echo x >> ran; until [ -e go ]; do sleep 0.02; done'; end")
	s.within(patience, "it runs", func() bool { return s.exists("ran") })
	pilot := strings.Fields(s.row("pilot-"))[0]
	program := strings.Fields(s.row("sh-"))[0]
	s.shows(program, "pilot      "+pilot+", whose job it is\n")
	s.shows(pilot, "pilot      it runs the programs of a script, one after another\n")
	s.shows("1", "ticket     "+pilot+"\n")
	s.beginShell("--jobs", "redo", "pilot-").end().ends("2").complains(pilot + " is a pilot, which runs what its shell hands it")
	s.file("go", "")
	p.end().ends("0")
}

// shows holds that something is shown of a job.
func (s *scene) shows(job, want string) {
	s.Helper()
	p := s.beginShell("--jobs", "show", job).end().ends("0")
	if !strings.Contains(p.stdout.String(), want) {
		s.Errorf("of %s it does not show %q:\n%s", job, want, &p.stdout)
	}
}
