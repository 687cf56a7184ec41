package interp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/event"
	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// grouped is the output of the branches of a forall that says .grouped.: each writes to files without a name, and
// a goroutine for each place where output leads hands on what is there, in the order of the list. Nil: it does not
// say so, and branches write where all write.
type grouped struct {
	a     *allBranches
	outer context.Context // of the forall; once it is cut off, a reader who takes nothing is not waited for
	frame frame           // as the branches found it, for what the goroutines tell
	dir   string          // of temporary files
	lanes []*lane
	freed chan struct{} // has a message when a portion was handed on
}

// group makes it. The error says why output cannot be kept.
func (a *allBranches) group(outer context.Context) (*grouped, error) {
	f := a.f
	if !a.n.Grouped || f.run.durable.IsDry() {
		return nil, nil
	}
	g := &grouped{a: a, outer: outer, frame: *f, dir: f.temporaryDir(), freed: make(chan struct{}, 1)}
	if f.run.Streams == nil {
		if err := g.canKeep(); err != nil {
			return nil, err
		}
	}
	for fd := 1; fd <= 2; fd++ {
		switch {
		case f.files[fd] == closed:
		case fd == 2 && len(g.lanes) > 0 && f.samePlace(1, 2):
			g.lanes[0].streams = append(g.lanes[0].streams, fd)
		default:
			g.lanes = append(g.lanes, newLane(g, fd))
		}
	}
	return g, nil
}

// canKeep fails where no output could be kept, before anything begins.
func (g *grouped) canKeep() error {
	if err := filesMayGrow(); err != nil {
		return err
	}
	if err := g.frame.run.poller.startWith(4); err != nil { // before the branches use up descriptors
		return cannotKeep(err)
	}
	fd, err := files.Temporary(g.dir)
	if err != nil {
		return cannotKeep(err)
	}
	return unix.Close(fd)
}

// samePlace reports whether two descriptors lead to the same file, pipe or device.
func (f *frame) samePlace(a, b int) bool {
	if f.files[a] == f.files[b] || f.run.Streams != nil {
		return f.files[a] == f.files[b]
	}
	var x, y unix.Stat_t
	return unix.Fstat(f.files[a], &x) == nil && unix.Fstat(f.files[b], &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}

// Each branch has two files and what its command needs; others have some, too.
const (
	descriptorsOfBranch  = 5
	descriptorsOfCommand = 4
	descriptorsOfOthers  = 8
)

// branchesAtMost limits branches to those that there are descriptors for, with files for the output of each; at least
// one.
func branchesAtMost() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 1 << 30
	}
	inUse, _ := os.ReadDir("/proc/self/fd")
	return max(1, int64(int(limit.Cur)-len(inUse)-descriptorsOfOthers)/descriptorsOfBranch)
}

// finish returns once all output has reached its end.
func (g *grouped) finish() {
	if g == nil {
		return
	}
	for _, l := range g.lanes {
		l.finish()
		if l.lost > 0 {
			e := event.Event{Kind: event.OutputLost, Name: streamName(l.streams[0]), Count: l.lost}
			g.frame.tellEvent(observed{pos: g.a.o.pos}, e)
		}
	}
}

func streamName(fd int) string { return [...]string{1: "standard output", 2: "standard error"}[fd] }

// branchOutput is the output of one branch. Nil: it is not kept apart.
type branchOutput struct {
	g        *grouped
	i        int // the number of its item
	cancel   context.CancelCauseFunc
	portions []*portion // by lane
	unmade   error      // why there are none

	mu    sync.Mutex
	err   error // why output could not be kept or handed on
	ended bool
	well  bool // it had ended well before that
}

// open makes the files of a branch, which runs under the context that is returned. They are handed on in the order of
// these calls.
func (g *grouped) open(ctx context.Context, i int) (context.Context, *branchOutput) {
	if g == nil {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &branchOutput{g: g, i: i, cancel: cancel}
	for ctx.Err() == nil {
		alone := g.isIdle()
		if alone || !g.a.oneByOne {
			if b.unmade = b.make(alone); b.unmade == nil || alone || !expand.Exhausted(b.unmade) {
				break
			}
		}
		select {
		case <-g.freed:
		case <-ctx.Done():
		}
	}
	for i, p := range b.portions {
		g.lanes[i].add(p)
	}
	return ctx, b
}

// make makes the files of a branch; unless it is alone, only if there are descriptors for its commands, too.
func (b *branchOutput) make(alone bool) (err error) {
	b.portions = nil
	for _, l := range b.g.lanes {
		p := &portion{lane: l, branch: b, twin: closed, reserved: reservedFirst}
		if err = p.create(); err != nil {
			break
		}
		b.portions = append(b.portions, p)
	}
	if err == nil && (alone || b.haveSpare(descriptorsOfCommand)) {
		return nil
	}
	for _, p := range b.portions {
		_ = unix.Close(p.fd)
		p.closeTwin()
	}
	b.portions = nil
	return cmp.Or(err, cannotKeep(unix.EMFILE))
}

// haveSpare reports whether so many descriptors are left besides those of the branch.
func (b *branchOutput) haveSpare(wanted int) bool {
	if len(b.portions) == 0 || b.g.frame.run.Streams != nil {
		return true
	}
	var spare []int
	for range wanted {
		fd, err := unix.FcntlInt(uintptr(b.portions[0].fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			break
		}
		spare = append(spare, fd)
	}
	closeAll(spare)
	return len(spare) == wanted
}

// isIdle reports whether everything is handed on.
func (g *grouped) isIdle() bool {
	for _, l := range g.lanes {
		l.mu.Lock()
		waiting := len(l.queue)
		l.mu.Unlock()
		if waiting > 0 {
			return false
		}
	}
	return true
}

// run runs a branch whose output this is.
func (b *branchOutput) run(ctx context.Context, branch *frame, s durable.Step, g *ast.Group) error {
	defer b.cancel(nil)
	if b.unmade != nil {
		b.err = b.unmade
		return branch.announceFailure(b.failure())
	}
	for _, p := range b.portions {
		p.connect(branch)
	}
	return b.end(branch, branchEnd(branch.groupIn(ctx, s, g)))
}

// end tells that nothing more of the branch is to come, and returns how it has ended.
func (b *branchOutput) end(branch *frame, err error) error {
	for _, p := range b.portions {
		p.finish()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended, b.well = true, err == nil
	if b.err == nil || !b.explains(branch, asFailure(err)) {
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
	return isTemporary(b.err)
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
		failure.item, failure.placed = b.g.a.items.At(b.i), true
		b.g.a.noteFailure(frame.announceFailure(failure), b.i)
	}
}

// failure is that of a branch whose output was lost.
func (b *branchOutput) failure() *Failure {
	failure := newFailure(KindRedirect, b.g.a.o.pos, b.err.Error())
	switch {
	case errors.Is(b.err, unix.EPIPE):
		failure.Kind, failure.Status, failure.pipe = KindSignal, 128+int(syscall.SIGPIPE), true
	case isTemporary(b.err), errors.Is(b.err, unix.ENOSPC), errors.Is(b.err, unix.EDQUOT):
		failure.Kind = KindSystem
	}
	return failure
}

func isTemporary(err error) bool {
	var held files.TemporaryError
	return errors.As(err, &held)
}

// cannotKeep is the error of what branches write for which there is no file, or no room in it.
func cannotKeep(err error) error {
	return files.TemporaryError{Err: fmt.Errorf("cannot keep what a branch writes until it is its turn: %w", err)}
}

// noRoom is that error where the disk is full.
func (g *grouped) noRoom() error { return cannotKeep(fmt.Errorf("%s: %w", g.dir, unix.ENOSPC)) }
