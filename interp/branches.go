package interp

import (
	"context"
	"sync"
	"sync/atomic"

	"ftsh/backoff"
)

// branches run beside each other in one statement: the branches of a forall, the alternatives of a hedged forany, the
// stages of a pipeline. Each stands in a fork of the frame, and the statement waits for all of them.
type branches struct {
	f      *frame          // that they are forks of, in a scope of their own
	outer  context.Context // of the statement
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
	under  atomic.Int64 // how many have not ended

	mu    sync.Mutex
	first error // the error that came first
	cut   bool  // one was cut off by something around the statement
}

// begin opens their scope, in which no time limit counts but those around.
func (b *branches) begin(outer context.Context, f *frame) (leave func()) {
	b.outer = outer
	b.f, b.cancel = f.inScope(outer)
	return func() { b.cancel(nil) }
}

// start runs one.
func (b *branches) start(run func()) {
	b.wg.Add(1)
	b.under.Add(1)
	b.f.run.World.Go(func() {
		defer b.wg.Done()
		run()
		b.under.Add(-1)
	})
}

// wait returns when all have ended.
func (b *branches) wait() {
	b.f.run.World.Await(backoff.Never, func() bool { return b.under.Load() == 0 })
	b.wg.Wait()
}

// noteCut notes whether one that failed was cut off from outside of the statement. With the lock held, where others may
// fail beside.
func (b *branches) noteCut(failure *Failure) { b.cut = b.cut || b.f.scope.cutsFromOutside(failure) }

// wasCut reports whether the statement is cut off, and one of them was for that.
func (b *branches) wasCut() bool { return b.cut && b.outer.Err() != nil }
