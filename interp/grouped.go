package interp

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/files"
	"ftsh/interp/output"
	"ftsh/interp/value"
	"ftsh/interp/world"
)

// grouped is the output of the branches of a forall that says .grouped., which does not mix. Nil: it does not say so,
// and branches write where all write.
type grouped struct {
	world.Grouped
	pos   ast.Pos // of the forall
	frame *frame  // as the branches found it, for what is told beside them
	outer context.Context
	// lose is told why a branch that had ended well has failed after all.
	lose func(failure *Failure, item int)
}

// groupBranches makes it, for branches that are cut off with outer. The error says why output cannot be kept.
func (f *frame) groupBranches(outer context.Context, pos ast.Pos) (*grouped, error) {
	g := &grouped{pos: pos, frame: f, outer: outer}
	var err error
	g.Grouped, err = f.run.World.Group(world.GroupConfig{
		Temporary: f.temporaryDir(),
		Stdout:    f.io.files[1], Stderr: f.io.files[2],
		Context: outer, Patience: func() time.Duration { return g.frame.patience(nil) }, Kill: f.run.World.Killed(),
	})
	if g.Grouped == nil {
		return nil, err
	}
	return g, err
}

// finish returns once all output has reached its end, or cannot.
func (g *grouped) finish() {
	if g != nil {
		g.Finish()
	}
}

// branchOutput is the output of one branch. Nil: it is not kept apart.
type branchOutput struct {
	g      *grouped
	i      int // the number of its item
	cancel context.CancelCauseFunc
	held   world.Branch

	mu    sync.Mutex
	err   error // why output could not be kept or handed on
	ended bool
	well  bool // it had ended well before that
}

// open makes the output of a branch, which runs under the context that is returned. It is handed on in the order of
// these calls.
func (g *grouped) open(ctx context.Context, i int) (context.Context, *branchOutput) {
	if g == nil {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &branchOutput{g: g, i: i, cancel: cancel}
	b.held, b.err = g.Open(ctx, b.fail, b.whole)
	return ctx, b
}

// whole has a durable script know that all that the branch wrote was handed on.
func (b *branchOutput) whole() { b.g.frame.place.HandOn(b.i) }

// waiting returns, for the journal, what the branch has written that was not handed on.
func (b *branchOutput) waiting() (saved []durable.Value) {
	if b == nil || b.held == nil || b.g.frame.place == nil {
		return nil
	}
	texts, err := b.held.Waiting()
	if err != nil {
		b.fail(err)
	}
	for _, text := range texts {
		saved = append(saved, b.g.frame.run.saveValue(value.Captured(text)))
	}
	return saved
}

// again hands on what a branch had waiting when an earlier shell ended.
func (g *grouped) again(i int, saved []durable.Value) {
	if g == nil || len(saved) == 0 || g.frame.place.HandedOn(i) {
		return
	}
	b := &branchOutput{g: g, i: i, ended: true, well: true}
	var texts []string
	for _, s := range saved {
		if texts = append(texts, s.Text()); s.Secret {
			b.fail(errLostSecret)
			return
		}
	}
	g.Again(texts, b.fail, b.whole)
}

// run runs a branch whose output this is.
func (b *branchOutput) run(ctx context.Context, branch *frame, s durable.Step, g *ast.Group) error {
	defer b.cancel(nil)
	b.mu.Lock()
	failed := b.err != nil
	b.mu.Unlock()
	if failed {
		return branch.announceFailure(b.failure())
	}
	for _, stream := range []int{1, 2} {
		if fd, apart := b.held.Descriptor(stream); apart {
			if branch.io.files[stream] == branch.io.stderr {
				branch.io.stderr = fd
			}
			branch.io.files[stream] = fd
		}
	}
	err := branchEnd(branch.groupIn(ctx, s, g))
	failure := asFailure(err)
	b.held.Finish(failure != nil && failure.cut != nil && branch.run.durable.Suspending())
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended, b.well = true, err == nil
	if b.err == nil || !b.explains(branch, failure) {
		return err
	}
	b.well = false
	return branch.announceFailure(b.failure())
}

// explains reports whether what happened to the output is why a branch failed, or has to: not if the branch was cut
// off from around it, and if it failed by itself, only if there was no room for what it wrote.
func (b *branchOutput) explains(branch *frame, failure *Failure) bool {
	switch {
	case failure == nil:
		return true
	case failure.cut != nil:
		return failure.cut.depth >= branch.scope.depth
	}
	return errors.As(b.err, new(files.TemporaryError))
}

// fail notes that output could not be kept or handed on, which ends the branch if it is under way.
func (b *branchOutput) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	b.err = err
	frame, failure := b.g.frame, b.failure()
	switch {
	case !b.ended:
		depth, now := frame.scope.depth+1, frame.run.clock.Now()
		b.cancel(&cut{kind: KindCancelled, depth: depth, at: now, why: failure.Message})
	case b.well:
		b.g.lose(failure, b.i)
	}
}

// failure is that of a branch whose output was lost.
func (b *branchOutput) failure() *Failure {
	if errors.Is(b.err, output.ErrCut) {
		return b.g.frame.cutOff(b.g.outer, b.g.pos)
	}
	failure := newFailure(KindRedirect, b.g.pos, b.err.Error())
	switch {
	case errors.Is(b.err, unix.EPIPE):
		failure.Kind, failure.Status, failure.pipe = KindSignal, 128+int(syscall.SIGPIPE), true
	case errors.As(b.err, new(files.TemporaryError)), errors.Is(b.err, unix.ENOSPC), errors.Is(b.err, unix.EDQUOT):
		failure.Kind = KindSystem
	}
	return failure
}
