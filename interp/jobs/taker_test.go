package jobs

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/output"
	"ftsh/interp/world"
)

// TestTakerStops: what cannot be handed on is not passed over: the first error stays, at a live copy as at the last,
// and only what was taken counts as handed on.
func TestTakerStops(t *testing.T) {
	job := newJob(t, false)
	put(t, job, stdoutName, "first ")
	full := false
	var got strings.Builder
	output := func(_ context.Context, _ int, text []byte) error {
		if full {
			return unix.ENOSPC
		}
		got.Write(text)
		return nil
	}
	taker := newTaker(t.Context(), job, &Job{order: order{Outputs: 1}, Asked: world.Job{Output: output}})
	if begun, err := taker.takeNew(); !begun || err != nil {
		t.Fatal(begun, err)
	}
	put(t, job, stdoutName, "second")
	full = true
	if _, err := taker.takeNew(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("error %v", err)
	}
	full = false // too late: somebody has missed something
	if err := taker.takeRest(nil); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("later error %v", err)
	}
	if got.String() != "first " || taker.offsets[stdoutName] != int64(got.Len()) {
		t.Errorf("%q was taken, of %d bytes", &got, taker.offsets[stdoutName])
	}
	taker.err = nil
	if err := taker.takeRest(map[string]int64{stdoutName: 20}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("what is not whole: error %v", err)
	}
}

// TestRecorder: what programs write is in the file, also of one that opens its standard output anew, and nobody waits
// for what was left behind with it.
func TestRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stdout")
	r, err := newRecorder(path)
	if err == nil {
		err = r.connect(new(output.Store))
	}
	if err != nil {
		t.Fatal(err)
	}
	wait, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = wait.Close(), release.Close() })
	cmd := exec.Command("sh", "-c", "echo a; echo b > /dev/stdout; read x <&3 & echo c")
	input, err := unix.FcntlInt(uintptr(r.drain.Input), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.NewFile(uintptr(input), "stdout")
	cmd.Stdout, cmd.ExtraFiles = stdout, []*os.File{wait}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	_ = stdout.Close()
	began := time.Now()
	if err := r.finish(); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("error %v after %v", err, time.Since(began))
	}
	if text, _ := os.ReadFile(path); string(text) != "a\nb\nc\n" {
		t.Errorf("it holds %q", text)
	}
}

// TestRecorderFull: an error of the file is told at once, and at the end.
func TestRecorderFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{file: full}
	told := make(chan error, 1)
	r.failed = func(err error) { told <- err }
	if err := r.connect(new(output.Store)); err != nil {
		t.Fatal(err)
	}
	_, _ = unix.Write(r.drain.Input, []byte("x"))
	if err := <-told; !errors.Is(err, unix.ENOSPC) {
		t.Errorf("told %v", err)
	}
	if err := r.finish(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("at the end %v", err)
	}
}

// TestSilence: what was said instead of an answer, and for how long there is none, is told in few words; of one that is
// only late nothing.
func TestSilence(t *testing.T) {
	for _, c := range []struct {
		said, want string
		after      time.Duration
	}{
		{"why", "why", 300 * time.Millisecond}, {"why", "why, for 40 s", 40*time.Second + 700*time.Millisecond},
		{"why", "why, for 3 min", 3*time.Minute + 5*time.Second}, {"why", "why, for 1 h 5 min", 65 * time.Minute},
		{"", "", 900 * time.Millisecond}, {"", "the batch system has said nothing for 6 s", 6 * time.Second},
	} {
		var s silence
		s.owes(time.Hour)
		s.owes(2 * time.Hour)
		s.failed("before")
		s.ended()
		s.owes(time.Hour)
		s.failed(c.said)
		s.failed("")
		if got := s.text(time.Hour+c.after, shortSilence); got != c.want {
			t.Errorf("%q, %v: %q, want %q", c.said, c.after, got, c.want)
		}
		s.ended()
		if got := s.text(3*time.Hour, 0); got != "" {
			t.Errorf("after an answer: %q", got)
		}
	}
}

// TestKillsFile: only a control group of the job's own counts its kills.
func TestKillsFile(t *testing.T) {
	for _, membership := range []string{"4:memory:/slurm/uid_0/job_12/step_batch\n", "0::/slurm.slice/job_12\n", "junk"} {
		for _, component := range []string{"", "job_1", "step"} {
			if path := killsFileIn(membership, component); path != "" {
				t.Errorf("%q is taken for that of %q", path, component)
			}
		}
	}
}
