package main

import (
	"encoding/json"
	"regexp"
	"slices"
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
	s.within(patience, "the table says so", func() bool { // its runner may be slower than --jobs is patient
		row := strings.Fields(s.row("sh-"))
		return row[2] == "cancelled" && row[3] == "fake"
	})
	s.within(patience, "it has ended", func() bool { return !s.lives("fake/job-1/pid") })
	s.beginShell("--jobs", "clean").end().ends("0").says("removed 1\n")
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
	s.beginShell("--jobs", "redo", "pilot-").end().ends("2").complains(pilot +
		" is a pilot, which runs what its shell hands it")
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

// failing has jobs fail at two lines of a script, for items in an order of their own.
const failing = `forall s in s10 s9 s2 .keepgoing.
    try
        on slurm --mem=1G
            sh -c 'echo "no $0" >&2; [ -e ready ]' $s => $s.out
        end
    catch
    end
end
try
    on slurm
        sh -c '[ -e ready ] && echo "later $1 made"' x "a  b"
    end
catch
end
`

// TestJobsFailed: jobs that failed are listed by script line and item, in their order, with what they were to make,
// also for programs; several are run once more at a time.
func TestJobsFailed(t *testing.T) {
	s := newFake(t)
	s.file("all.ftsh", failing)
	s.beginShell("all.ftsh").end().ends("0")
	p := s.beginShell("--jobs", "failed").end().ends("0")
	rows := regexp.MustCompile(`(?m)^(\S+) .* (all\.ftsh:\d+(?: s\d+)?)  +(\S+)  +sh -c`).FindAllStringSubmatch(
		p.stdout.String(), -1)
	want := []string{"all.ftsh:4 s10 s10.out", "all.ftsh:4 s9 s9.out", "all.ftsh:4 s2 s2.out", "all.ftsh:11 -"}
	var got, tickets []string
	for _, row := range rows {
		got, tickets = append(got, row[2]+" "+row[3]), append(tickets, row[1])
	}
	if !slices.Equal(got, want) {
		t.Fatalf("listed %q, want %q:\n%s", got, want, &p.stdout)
	}
	p = s.beginShell("--jobs", "failed", "--format", "json").end().ends("0")
	var list []listedJob
	s.must(json.Unmarshal(p.stdout.Bytes(), &list))
	for i, job := range list {
		if job.Ticket != tickets[i] || job.State != "exit" || job.Script != s.dir+"/all.ftsh" && job.Script != "all.ftsh" ||
			job.Elapsed == 0 {
			t.Errorf("as JSON: %+v", job)
		}
	}
	if first := list[0]; first.Item != "s10" || first.Line != 4 || first.Stderr != "no s10" ||
		!slices.Equal(first.Targets, []string{"s10.out"}) ||
		!slices.Equal(first.Options, []string{"--mem=1G"}) || list[3].Words[4] != "a  b" {
		t.Errorf("as JSON: %+v", list)
	}
	p = s.beginShell("--jobs", "show", tickets[1], "--format", "json").end().ends("0")
	var one listedJob
	s.must(json.Unmarshal(p.stdout.Bytes(), &one))
	s.shows(tickets[1], "place      all.ftsh:4 s9\ntarget     s9.out\n")
	s.beginShell("--jobs", "redo", tickets[1], "none").end().ends("2").complains("there is no job none")
	before := s.submissions()
	s.beginShell(append([]string{"--jobs", "redo"}, tickets[1:]...)...).end().ends("1").complains(
		"exit: ended with status 1")
	if n := s.submissions() - before; n != 2 {
		t.Errorf("%d submissions, want an array and one", n)
	}
	s.file("ready", "")
	s.beginShell(append([]string{"--jobs", "redo"}, tickets[1:]...)...).end().ends("0").says("later a  b made\n")
	for _, file := range []string{"s9.out", "s2.out"} {
		if !s.exists(file) {
			t.Errorf("%s was not made", file)
		}
	}
	p = s.beginShell("--jobs").end().ends("0")
	for i, ticket := range tickets {
		if there := strings.Contains(p.stdout.String(), ticket+" "); there != (i == 0) {
			t.Errorf("%s is there: %v", ticket, there)
		}
	}
}
