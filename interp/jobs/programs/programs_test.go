package programs_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/jobs/programs"
	"ftsh/interp/world"
)

// ask asks a program that is a function, which gets its standard output and ends when it returns.
func ask(t *testing.T, program func(ctx context.Context, stdout int) error) (*programs.Programs, context.Context) {
	t.Helper()
	run := func(ctx context.Context, c *world.Command) (world.Status, error) {
		return world.Status{}, program(ctx, c.Files[1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return programs.New(programs.Config{Run: run, Environ: os.Environ()}, programs.IsBasic), ctx
}

func write(ctx context.Context, fd, bytes int) error {
	text := []byte(strings.Repeat("x", 4<<10-1) + "\n")
	for ; bytes > 0 && ctx.Err() == nil; bytes -= len(text) {
		if _, err := unix.Write(fd, text); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// TestTooLong holds that a program that writes without end is ended, and what it said is no answer.
func TestTooLong(t *testing.T) {
	p, ctx := ask(t, func(ctx context.Context, stdout int) error { return write(ctx, stdout, 1<<50) })
	a := p.Ask(ctx, []string{"true"}, "")
	if a.Err == nil || a.Err.Error() != "true wrote more than 1 MB, which is no answer" || a.Stdout != "" {
		t.Errorf("the answer is %d bytes, and %v", len(a.Stdout), a.Err)
	}
}

// TestWhole holds that an answer comes whole, if it is not too long: of a list of jobs that is more.
func TestWhole(t *testing.T) {
	p, ctx := ask(t, func(ctx context.Context, stdout int) error { return write(ctx, stdout, 1<<20) })
	if a := p.Ask(ctx, []string{"true"}, ""); a.Err != nil || len(a.Stdout) != 1<<20 {
		t.Errorf("the answer is %d bytes, and %v", len(a.Stdout), a.Err)
	}
	p, ctx = ask(t, func(ctx context.Context, stdout int) error { return write(ctx, stdout, 3<<20) })
	if a := p.List(ctx, []string{"true"}); a.Err != nil || len(a.Stdout) != 3<<20 {
		t.Errorf("the list is %d bytes, and %v", len(a.Stdout), a.Err)
	}
}

// TestCutOff holds that an answer whose last line has no end is none, and that of a program that was ended before it
// had answered what it said is told.
func TestCutOff(t *testing.T) {
	p, ctx := ask(t, func(_ context.Context, stdout int) error {
		_, err := unix.Write(stdout, []byte("one\ntw"))
		return err
	})
	a := p.List(ctx, []string{"true"})
	if err, later := errors.AsType[*batch.Unanswered](a.Failure()); !later || a.Stdout != "" ||
		err.Said != "true: its answer was cut off in the middle of a line" {
		t.Errorf("the list is %q, and %v", a.Stdout, a.Failure())
	}
	for _, said := range []string{"", "true: waiting"} {
		ctx, cancel := context.WithCancel(t.Context())
		p := programs.New(programs.Config{Environ: os.Environ(), Run: func(_ context.Context, c *world.Command) (
			world.Status, error) {
			_, _ = unix.Write(c.Files[2], []byte(strings.TrimPrefix(said, "true: ")))
			cancel()
			return world.Status{}, context.Cause(ctx)
		}}, programs.IsBasic)
		err, later := errors.AsType[*batch.Unanswered](p.Ask(ctx, []string{"true"}, "").Failure())
		if !later || err.Said != said {
			t.Errorf("said %q, want %q", err, said)
		}
	}
}

// TestLeftBehind holds that what a program has left behind, with its output open, is not waited for.
func TestLeftBehind(t *testing.T) {
	left := -1
	p, ctx := ask(t, func(ctx context.Context, stdout int) (err error) {
		if left, err = unix.FcntlInt(uintptr(stdout), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			return err
		}
		return write(ctx, stdout, 4<<10)
	})
	a := p.Ask(ctx, []string{"true"}, "")
	_ = unix.Close(left)
	if a.Err != nil || len(a.Stdout) != 4<<10 {
		t.Errorf("the answer is %d bytes, and %v", len(a.Stdout), a.Err)
	}
}
