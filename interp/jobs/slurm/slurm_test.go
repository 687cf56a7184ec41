package slurm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/world"
)

// controller answers squeue with lines, and notes what else it is asked.
type controller struct {
	queue    string
	requests []string
	environ  []string // of the last request
	script   string
}

func (c *controller) run(_ context.Context, command *world.Command) (world.Status, error) {
	name, answer := command.Args[0], "7\n"
	if name == "squeue" {
		answer = c.queue
	} else {
		c.requests = append(c.requests, strings.Join(command.Args, " "))
		c.environ = command.Env
	}
	text := make([]byte, 1<<10)
	n, err := unix.Pread(command.Files[0], text, 0)
	if err != nil {
		return world.Status{}, err
	}
	c.script = string(text[:n])
	_, err = unix.Write(command.Files[1], []byte(answer))
	return world.Status{}, err
}

// newController is one, and a Slurm that asks it.
func newController(t *testing.T, environ ...string) (*controller, *Slurm) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"sbatch", "squeue", "scancel"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := &controller{}
	return c, New(programs.Config{Run: c.run, Environ: append(environ, "PATH="+dir)})
}

// TestCancelNumberGivenAgain: when a number has been given to another job since, that one is not cancelled. What waits
// and will never start is.
func TestCancelNumberGivenAgain(t *testing.T) {
	const queue = "1|other|RUNNING|n1|None\n2|ours|RUNNING|n1|None\n3_0|stranger|RUNNING|n1|None\n" +
		"4_1|array|RUNNING|n1|None\n5_0|hopeless|PENDING||BadConstraints\n5_1|hopeless|FAILED||BadConstraints\n"
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"by name":        {[]string{"ours"}, " --name=ours"},
		"several":        {[]string{"ours", "gone", "a", "b"}, "scancel 2"},
		"task":           {[]string{"array/1"}, "scancel 4_[1]"},
		"never starts":   {[]string{"hopeless/0", "hopeless/1"}, "scancel 5_[0]"},
		"all are others": {[]string{"array/0", "gone", "a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fake, s := newController(t)
			fake.queue = queue
			if err := s.Cancel(context.Background(), c.names); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(fake.requests, "; ")
			if c.want == "" && got != "" || !strings.HasSuffix(got, c.want) {
				t.Errorf("asked %q, want %q", got, c.want)
			}
		})
	}
}

// TestSubmitEnvironment: sbatch, and so the job, sees nothing of the job that the shell itself runs in, and none of the
// variables by which sbatch would do what was not written. The script does not come from a disk, which may be full.
func TestSubmitEnvironment(t *testing.T) {
	fake, s := newController(t, "SLURM_JOB_ID=99", "SLURM_NTASKS=8", "SBATCH_EXPORT=NONE", "SBATCH_ARRAY_INX=1-9",
		"SECRET=x", "FTSH_COMMAND=1", "SBATCH_PARTITION=main", "HOME=/home/me", "TMPDIR=/no/such/folder")
	const script = "#!/bin/sh\nexec true\n"
	answer := s.Submit(context.Background(), batch.Submission{Name: "job", Script: script, Log: "/dev/null"})
	if answer.Number != "7" {
		t.Fatalf("answer %+v", answer)
	}
	if fake.script != script {
		t.Errorf("the script is %q", fake.script)
	}
	var names []string
	for _, entry := range fake.environ {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	if want := []string{"SBATCH_PARTITION", "HOME", "PATH"}; !slices.Equal(names, want) {
		t.Errorf("sbatch sees %q, want %q", names, want)
	}
}

// TestClassify: preempted is lost, and not in need of memory; requeued is still under way; no state of a job that may
// run yet counts as its end.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		state, reason string
		want          batch.Kind
	}{
		{"OUT_OF_MEMORY", "OutOfMemory", batch.Memory},
		{"PREEMPTED", "None", batch.Lost},
		{"NODE_FAIL", "None", batch.Lost},
		{"FAILED", "NonZeroExitCode", batch.Lost},
		{"TIMEOUT", "TimeLimit", batch.Timeout},
		{"CANCELLED", "None", batch.Cancelled},
		{"COMPLETED", "None", batch.Succeeded},
		{"PENDING", "BeginTime", batch.Queued}, // after a requeue
		{"REQUEUED", "None", batch.Queued},
		{"REQUEUE_FED", "None", batch.Queued},
		{"SUSPENDED", "None", batch.Queued},
		{"COMPLETING", "None", batch.Running},
		{"A_STATE_TO_COME", "None", batch.Queued},
		{"PENDING", "DependencyNeverSatisfied", batch.Mistake},
		{"FAILED", "BadConstraints", batch.Mistake},
		{"PENDING", "launch failed requeued held", batch.Lost},
	} {
		if kind, _ := classify(c.state, c.reason); kind != c.want {
			t.Errorf("%s (%s): %q, want %q", c.state, c.reason, kind, c.want)
		}
	}
}
