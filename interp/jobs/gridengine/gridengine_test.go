package gridengine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/world"
)

// master answers programs with texts, and notes what it is asked.
type master struct {
	answers  map[string]string // of a program
	status   int
	requests []string
	environ  []string // of the last request
}

func (m *master) run(_ context.Context, command *world.Command) (world.Status, error) {
	m.requests = append(m.requests, strings.Join(command.Args, " "))
	m.environ = command.Env
	_, err := unix.Write(command.Files[1], []byte(m.answers[command.Args[0]]))
	return world.Status{Code: m.status}, err
}

// newMaster is one, and a GridEngine that asks it, in a cell with an accounting file.
func newMaster(t *testing.T, accounting string, environ ...string) (*master, *GridEngine) {
	t.Helper()
	dir := t.TempDir()
	common := filepath.Join(dir, "default/common")
	if err := os.MkdirAll(common, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		dir + "/qsub": "", dir + "/qstat": "", dir + "/qdel": "",
		common + "/accounting": accounting, common + "/act_qmaster": "head.example.org\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	m := &master{answers: map[string]string{}}
	return m, New(programs.Config{Run: m.run, Environ: append(environ, "PATH="+dir, "SGE_ROOT="+dir)})
}

// As qstat -g d -xml of 8.1.9 prints them.
const twoJobs = `<?xml version='1.0'?>
<job_info>
  <queue_info>
    <job_list state="running">
      <JB_job_number>4</JB_job_number>
      <JB_name>array-s-2</JB_name>
      <state>r</state>
      <queue_name>main@node7</queue_name>
      <slots>1</slots>
      <tasks>3</tasks>
    </job_list>
  </queue_info>
  <job_info>
    <job_list state="pending">
      <JB_job_number>5</JB_job_number>
      <JB_name>_7z-s-1</JB_name>
      <state>qw</state>
      <queue_name></queue_name>
    </job_list>
  </job_info>
</job_info>
`

// record is a line of the accounting file, as 8.1.9 writes it.
func record(owner, name, failed, status, wall, task, category, memory string) string {
	return "main:n1:g:" + owner + ":" + name + ":6:sge:0:1:1:3:" + failed + ":" + status + ":" + wall +
		":0:0:1:0:0:0:0:9:0:0:0.0:8:0:0:0:9:7:NONE:d:NONE:1:" + task + ":0.0:0.0:0.0:" + category + ":0.0:NONE:" + memory +
		":0:0\n"
}

// TestList: tasks of arrays and names that Grid Engine would not take are found again, and what has ended besides.
func TestList(t *testing.T) {
	m, g := newMaster(t, "cut off:1\n"+record("me", "array-s-2", "0", "0", "2", "1", "NONE", "0")+
		record("other", "x", "0", "0", "2", "0", "NONE", "0"), "USER=me")
	m.answers["qstat"] = twoJobs
	entries, err := g.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := []batch.Entry{
		{Number: "4.3", Name: "array-s-2/2", Kind: batch.Running, Node: "node7"},
		{Number: "5", Name: "7z-s-1", Kind: batch.Queued},
		{Number: "6.1", Name: "array-s-2/0", Kind: batch.Succeeded, Node: "n1"},
	}
	if len(entries) != len(want) {
		t.Fatalf("got %+v, want %+v", entries, want)
	}
	for i, e := range entries {
		if e != want[i] {
			t.Errorf("got %+v, want %+v", e, want[i])
		}
	}
	m.answers["qstat"] = "cut off"
	if _, err := g.List(context.Background()); err == nil {
		t.Error("half a list counts as one")
	}
}

// TestCancel: jobs by their names, tasks by the numbers that the queue has for them.
func TestCancel(t *testing.T) {
	m, g := newMaster(t, "")
	m.answers["qstat"] = twoJobs
	for want, names := range map[string][]string{
		"qdel job-s-1 _7z-s-1": {"job-s-1", "7z-s-1"},
		"qdel 4.3":             {"array-s-2/2", "array-s-2/0"},
	} {
		m.requests = nil
		if err := g.Cancel(context.Background(), names); err != nil {
			t.Fatal(err)
		}
		if got := m.requests[len(m.requests)-1]; got != want {
			t.Errorf("asked %q, want %q", got, want)
		}
	}
	m.status = 1
	m.answers["qdel"] = "root has registered the job 3 for deletion\nThe job x of user(s) root does not exist\n"
	if err := g.Cancel(context.Background(), []string{"x"}); err != nil {
		t.Errorf("what is gone cannot be cancelled: %v", err)
	}
	m.answers["qdel"] = "denied: you are not allowed\n"
	if err := g.Cancel(context.Background(), []string{"x"}); err == nil {
		t.Error("a refusal counts as a success")
	}
}

// TestClassify: only what certainly cannot run any more has ended.
func TestClassify(t *testing.T) {
	for state, want := range map[string]batch.Kind{
		"qw": batch.Queued, "hqw": batch.Queued, "hRwq": batch.Queued, "s": batch.Queued, "t": batch.Running,
		"r":  batch.Running,
		"Rr": batch.Running, "dr": batch.Running, "dt": batch.Running, "Eqw": batch.Mistake, "X": batch.Queued,
	} {
		if kind, _ := classify(state, ""); kind != want {
			t.Errorf("%s: %q, want %q", state, kind, want)
		}
	}
	for _, c := range []struct {
		failed, status, wall, category, memory string
		want                                   batch.Kind
	}{
		{"37", "137", "3", "-l h_rt=2", "1e6", batch.Timeout},
		{"37", "137", "3", "NONE", "1e6", batch.Timeout}, // the queue's limit
		{"37", "137", "3", "-l h_rt=60,h_vmem=2G", "2345775104.0", batch.Memory},
		{"100", "137", "60", "-l h_vmem=2G,h_rt=0:1:0", "1e6", batch.Timeout},
		{"100", "137", "3", "-l h_rt=60,h_vmem=2G", "1e6", batch.Cancelled},
		{"100", "137", "3", "NONE", "1e6", batch.Cancelled},
		{"25", "0", "3", "NONE", "1e6", batch.Lost},
		{"11", "0", "0", "NONE", "0", batch.Lost},
		{"0", "7", "3", "NONE", "1e6", batch.Lost},
		{"0", "0", "3", "NONE", "1e6", batch.Succeeded},
	} {
		entries := endedIn(record("me", "job", c.failed, c.status, c.wall, "0", c.category, c.memory), "")
		if len(entries) != 1 {
			t.Fatalf("%+v: %d entries", c, len(entries))
		}
		if e := entries[0]; e.Kind != c.want {
			t.Errorf("%+v: %q", c, e.Kind)
		}
	}
}

// TestReceipt: what Grid Engine says of a submission, measured with 8.1.9 but for the doubtful ones.
func TestReceipt(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
		want   batch.Receipt
	}{
		{1, `Unable to run job: unknown resource "nosuch"; Exiting.`, batch.Refused},
		{1, `Unable to run job: Job was rejected because job requests unknown queue "nowhere"; Exiting.`, batch.Refused},
		{2, `qsub: invalid option argument "-zzz"`, batch.Refused},
		{1, "Unable to run job: job rejected: you tried to submit a job with more than 8 tasks; Exiting.", batch.Refused},
		{25, "Unable to run job: job rejected: only 1 jobs are allowed per user (current job count: 1); Exiting.",
			batch.Full},
		{1, `commlib error: got select error (Connection refused); Unable to run job: unable to send message to ` +
			`qmaster using port 6444 on host "localhost": got send error`, batch.Absent},
		{1, "Unable to run job: failed receiving gdi request response for mid=1 (got sync receive timeout error).",
			batch.Doubtful},
		{0, "", batch.Doubtful},
	} {
		if got := dialect.Receipt(c.status, c.text); got != c.want {
			t.Errorf("%d %q: %v, want %v", c.status, c.text, got, c.want)
		}
	}
}

// TestSubmit: what the shell needs stands last; qsub sees nothing of the job that the shell itself runs in.
func TestSubmit(t *testing.T) {
	m, g := newMaster(t, "", "JOB_ID=99", "SGE_TASK_ID=1", "SECRET=x", "FTSH_COMMAND=1", "SGE_CELL=default",
		"HOME=/home/me")
	m.answers["qsub"] = "a line of the site's\n12.1-3:1\n"
	answer := g.Submit(context.Background(),
		batch.Submission{Name: "7z", Script: "#!/bin/sh\n", Log: "/a:b", Tasks: 3, Options: []string{"-r", "y", "-P", "bio"}})
	if answer.Number != "12" {
		t.Errorf("answer %+v", answer)
	}
	if got := m.requests[0]; !strings.HasPrefix(got, "qsub -r n -r y -P bio ") ||
		!strings.HasSuffix(got, " -N _7z -o /dev/null -t 1-3") {
		t.Errorf("asked %q", got)
	}
	for _, entry := range m.environ {
		for _, hidden := range []string{"JOB_ID=", "SGE_TASK_ID=", "SECRET=", "FTSH_COMMAND="} {
			if strings.HasPrefix(entry, hidden) {
				t.Errorf("qsub sees %s", entry)
			}
		}
	}
	if address, err := g.Address(context.Background()); err != nil ||
		address != "gridengine.default.head.example.org.6444" {
		t.Errorf("address %q, %v", address, err)
	}
	if !g.Requeues([]string{"-r", "n", "-r", "yes"}) || g.Requeues([]string{"-r", "y", "-r", "n"}) || g.Requeues(nil) {
		t.Error("the last -r decides")
	}
	if g.Exit(99) == 99 || g.Exit(100) == 100 || g.Exit(7) != 7 {
		t.Error("99 and 100 mean something to Grid Engine")
	}
}

// TestLeft: a job may run for as long as it has asked for.
func TestLeft(t *testing.T) {
	m, g := newMaster(t, "")
	for text, want := range map[string]float64{"h_rt=90": 90, "h_vmem=2G,h_rt=1:01:01": 3661, "h_vmem=2G": 0,
		"h_rt=INFINITY": 0} {
		m.answers["qstat"] = "job_number:                 4\nhard resource_list:         " + text + "\n"
		if left, known := g.Left(context.Background(), "4.2"); left.Seconds() != want || known != (want > 0) {
			t.Errorf("%s: %v, %v", text, left, known)
		}
	}
}
