package repl

import (
	"fmt"
	"slices"
	"sync"

	"ftsh/interp"
	"ftsh/interp/event"
)

// branches hears which branches of a forall have failed, as the failure of a forall
// is that of one of them. It hands on what it hears to the view.
type branches struct {
	view event.Observer // nil: there is none

	mu     sync.Mutex
	failed map[uint64][]event.Event // by the number of the forall that is under way
	last   []event.Event            // those of the forall that has failed last
}

func (b *branches) Enabled(level int) bool { return true }

func (b *branches) Observe(e event.Event) {
	b.mu.Lock()
	switch {
	case e.Kind == event.ForallStart && b.failed == nil:
		b.failed = map[uint64][]event.Event{}
	case e.Kind == event.BranchFailed && e.Failure != string(interp.KindCancelled):
		b.failed[e.ID] = append(b.failed[e.ID], e)
	case e.Kind == event.ForallFailed:
		b.last = b.failed[e.ID]
		delete(b.failed, e.ID)
	case e.Kind == event.ForallEnd:
		delete(b.failed, e.ID)
	}
	b.mu.Unlock()
	if b.view != nil {
		b.view.Observe(e)
	}
}

// mostBranches is how many failed branches are told.
const mostBranches = 20

// others tells of the branches that have failed besides the one whose failure it
// is.
func (b *branches) others(f *interp.Failure) (lines []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	is := func(e event.Event) bool { return e.Message == f.Message && e.Status == f.Status }
	at := slices.IndexFunc(b.last, is)
	if at < 0 {
		return nil
	}
	others := slices.Delete(slices.Clone(b.last), at, at+1)
	for _, e := range others[:min(len(others), mostBranches)] {
		lines = append(lines, fmt.Sprintf("failed: %s=%s: %s", e.Name, brief(e.Value), e.Message))
	}
	if more := len(others) - mostBranches; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more branches", more))
	}
	return lines
}
