package interp

import (
	"context"

	"ftsh/ast"
	"ftsh/interp/event"
	"ftsh/interp/output"
	"ftsh/interp/process"
)

// watched runs a command whose standard error is wanted. Where that cannot be followed without harm the command writes
// where it would otherwise: its work matters more. But not within a try that says matching: what was not seen is not
// "no match".
func (f *frame) watched(ctx context.Context, c *process.Command) *Failure {
	if f.run.Streams != nil {
		return f.overheard(ctx, c)
	}
	var keep func(line string) bool
	if f.said != nil {
		keep = f.said.Keep
	}
	copied, err := output.Follow(ctx, f.run.clock, f.temporaryDir(), f.stderr, keep)
	switch {
	case err != nil && f.try != nil && f.try.watching:
		return unseenFailure(err)
	case err != nil:
		f.run.blind.Do(func() { f.tellEvent(observed{}, event.Event{Kind: event.StderrUnseen, Message: err.Error()}) })
		return f.awaitProgram(ctx, c)
	}
	files := f.files
	for n := range files {
		if files[n] == f.stderr {
			files[n] = copied.FD
		}
	}
	c.Files = files.upToLastOpen()
	failure := f.awaitProgram(ctx, c)
	if failure == nil {
		copied.Stop()
		return nil
	}
	failure.Stderr = copied.StopAndKeep()
	return failure
}

// unseenFailure is the failure of what depends on what programs write to standard error, where nobody can see that.
func unseenFailure(err error) *Failure {
	return newFailure(KindSystem, ast.Pos{}, "cannot see standard error, which a try wants for matching: "+err.Error())
}

// canSee fails a try that says matching where no program's standard error can be seen, before anything of it runs.
func (t *try) canSee() error {
	f := t.frame
	if !t.header.Watches || f.run.Streams != nil {
		return nil
	}
	err := output.FilesMayGrow()
	if err == nil {
		return nil
	}
	failure := unseenFailure(err)
	failure.Pos = t.pos
	return t.unattempted(f.announceFailure(failure))
}
