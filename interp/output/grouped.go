package output

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ftsh/interp/expand"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

// A grouped hands on what branches write that run beside each other, so that it does not mix: each writes to pipes that
// the shell empties, and each place where output leads has a lane, which hands on what came in the order of Open. Safe
// for concurrent use, but for Open and Finish, which one goroutine calls.
type grouped struct {
	world.GroupConfig
	store *Store
	lanes []*lane
	all   sync.WaitGroup // of branches that are not handed on
	open  atomic.Int32   // branches under way
	ended chan struct{}  // has a message when one has ended
	later atomic.Bool    // what ended branches have waiting is left to a later run
}

// Group implements [world.Streams]. The error says why output cannot be kept.
func (s *Store) Group(config world.GroupConfig) (world.Grouped, error) {
	if err := s.poller.start(4); err != nil { // before the branches use up descriptors
		return nil, cannotKeep(err)
	}
	g := &grouped{GroupConfig: config, store: s, ended: make(chan struct{}, 1)}
	if g.Stdout != closed {
		g.lanes = append(g.lanes, newLane(g, g.Stdout, 1))
	}
	switch {
	case g.Stderr == closed:
	case len(g.lanes) > 0 && isOneFile(g.Stdout, g.Stderr):
		g.lanes[0].streams = append(g.lanes[0].streams, 2)
	default:
		g.lanes = append(g.lanes, newLane(g, g.Stderr, 2))
	}
	return g, nil
}

// isOneFile reports whether two descriptors lead to the same file, pipe or device.
func isOneFile(a, b int) bool {
	var x, y unix.Stat_t
	return a == b || unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}

// Each branch has two pipes and what its command needs; others have some, too.
const (
	descriptorsOfBranch  = 5
	descriptorsOfCommand = 4
	descriptorsOfOthers  = 8
)

// Branches limits branches to those that there are descriptors for, with pipes for the output of each; at least
// one.
func (s *Store) Branches() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 1 << 30
	}
	inUse, _ := os.ReadDir("/proc/self/fd")
	return max(1, int64(int(limit.Cur)-len(inUse)-descriptorsOfOthers)/descriptorsOfBranch)
}

// Finish returns once all output has reached its end, or cannot.
func (g *grouped) Finish() { g.all.Wait() }

// A branch is the output of one branch.
type branch struct {
	g        *grouped
	fail     func(error)
	whole    func()
	portions []*portion // by lane
	streams  [3]int     // what stands for descriptors 1 and 2; closed: nothing does
	twin     int        // of these the one that is another descriptor of the same pipe, or closed
}

// Open makes the pipes of a branch, once there are descriptors for them and for its commands. They are handed on in the
// order of these calls. The error says why there are none; if ctx is cancelled first, there are none, either. Fail is
// called from any goroutine, also after the branch has ended, when its output cannot be kept or handed on, and whole
// when all of it was handed on.
func (g *grouped) Open(ctx context.Context, fail func(error), whole func()) (_ world.Branch, err error) {
	b := &branch{g: g, fail: fail, whole: whole}
	for ctx.Err() == nil {
		alone := g.open.Load() == 0
		if err = b.makePipes(alone); err == nil || alone || !expand.Exhausted(err) {
			break
		}
		select {
		case <-g.ended:
		case <-ctx.Done():
		}
	}
	if err == nil {
		g.open.Add(1)
	}
	b.line()
	return b, err
}

// makePipes makes the pipes of a branch; unless it is alone, only if there are descriptors for its commands, too.
func (b *branch) makePipes(alone bool) (err error) {
	b.streams, b.twin = [3]int{closed, closed, closed}, closed // of an attempt before nothing is left
	for _, l := range b.g.lanes {
		p := newPortion(l)
		if p.drain, err = b.g.store.Drain(p.take); err != nil {
			break
		}
		b.portions = append(b.portions, p)
		for _, s := range l.streams {
			b.streams[s] = p.drain.Input
		}
	}
	// Standard error has a descriptor of its own also where both lead to one place, since it may be watched.
	if err == nil && b.streams[1] == b.streams[2] && b.g.Stdout != b.g.Stderr {
		if b.twin, err = unix.FcntlInt(uintptr(b.streams[1]), unix.F_DUPFD_CLOEXEC, 0); err == nil {
			b.streams[2] = b.twin
		}
	}
	if err == nil && !alone {
		err = haveSpare(descriptorsOfCommand)
	}
	if err != nil {
		b.stop()
		b.portions = nil
		return cannotKeep(err)
	}
	return nil
}

// stop closes the pipes. What they hold by now is taken.
func (b *branch) stop() {
	if b.twin != closed {
		_ = unix.Close(b.twin)
	}
	for _, p := range b.portions {
		p.drain.Stop()
	}
}

// Again hands on, in its turn, what a branch had waiting by [world.Branch] when an earlier shell ended.
func (g *grouped) Again(texts []string, fail func(error), whole func()) {
	b := &branch{g: g, fail: fail, whole: whole}
	for i, l := range g.lanes[:min(len(g.lanes), len(texts))] {
		p := newPortion(l)
		p.ended = true
		p.waits.text = []byte(texts[i])
		l.mu.Lock()
		l.inRAM += len(texts[i])
		l.mu.Unlock()
		b.portions = append(b.portions, p)
	}
	b.line()
}

// line has the portions of a branch handed on after those of the branches before.
func (b *branch) line() {
	if len(b.portions) == 0 {
		return
	}
	var portions sync.WaitGroup
	for _, p := range b.portions {
		before, done := p.lane.last, make(chan struct{})
		p.lane.last = done
		portions.Go(func() {
			defer close(done)
			p.handOn(before, b.fail)
		})
	}
	b.g.all.Go(func() {
		portions.Wait()
		if !slices.ContainsFunc(b.portions, func(p *portion) bool { return p.dropped }) {
			b.whole()
		}
	})
}

// Descriptor returns what stands for descriptor 1 or 2 in the branch; false: that stays as it is.
func (b *branch) Descriptor(stream int) (fd int, apart bool) {
	return b.streams[stream], b.streams[stream] != closed
}

// Finish tells that nothing more of the branch is to come, or only in a later run: then what ended ones behind it have
// waiting comes there, too.
func (b *branch) Finish(goesOn bool) {
	if goesOn {
		b.g.later.Store(true)
	}
	b.stop()
	for _, p := range b.portions {
		p.finish(goesOn)
	}
	b.g.open.Add(-1)
	select {
	case b.g.ended <- struct{}{}:
	default:
	}
}

// Waiting returns what the branch has written that is not handed on, for [world.Grouped]; nil: all of it is. It is
// called after Finish.
func (b *branch) Waiting() (texts []string, err error) {
	for _, p := range b.portions {
		p.lane.mu.Lock()
		text, failed := p.waits.all()
		p.lane.mu.Unlock()
		texts = append(texts, text)
		if failed != nil {
			err = failed
		}
	}
	if strings.Join(texts, "") == "" {
		texts = nil
	}
	return texts, err
}

// ErrCut is the error of output that was not handed on when the branches were cut off, since its reader took nothing.
var ErrCut = errors.New("its reader took nothing")

// cannotKeep is the error of what branches write that cannot be kept.
func cannotKeep(err error) error {
	return files.TemporaryError{Err: fmt.Errorf("cannot keep what a branch writes until it is its turn: %w", err)}
}
