package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ftsh/interp/expand"
	"ftsh/interp/files"
	"ftsh/interp/world"
)

// A grouped hands on what branches write that run beside each other, so that it does not mix: each writes to pipes that
// the shell empties, and a goroutine for each place where output leads hands on what came, in the order of Open. Safe
// for concurrent use, but for Open and Finish, which one goroutine calls.
type grouped struct {
	world.GroupConfig
	store *Store
	lanes []*lane
	ended chan struct{} // has a message when one has ended
}

// Group implements [world.Streams]. The error says why output cannot be kept.
func (s *Store) Group(config world.GroupConfig) (world.Grouped, error) {
	g := &grouped{GroupConfig: config, store: s, ended: make(chan struct{}, 1)}
	if err := s.poller.start(4); err != nil { // before the branches use up descriptors
		return nil, cannotKeep(err)
	}
	if g.Stdout != closed {
		g.lanes = append(g.lanes, newLane(g, g.Stdout, 1))
	}
	switch {
	case g.Stderr == closed:
	case len(g.lanes) > 0 && g.isOnePlace():
		g.lanes[0].streams = append(g.lanes[0].streams, 2)
	default:
		g.lanes = append(g.lanes, newLane(g, g.Stderr, 2))
	}
	return g, nil
}

// isOnePlace reports whether output and errors lead to the same file, pipe or device.
func (g *grouped) isOnePlace() bool {
	if g.Stdout == g.Stderr {
		return true
	}
	var x, y unix.Stat_t
	return unix.Fstat(g.Stdout, &x) == nil && unix.Fstat(g.Stderr, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
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
func (g *grouped) Finish() {
	for _, l := range g.lanes {
		l.finish()
	}
}

// A branch is the output of one branch.
type branch struct {
	g        *grouped
	fail     func(error)
	whole    func()
	portions []*portion   // by lane
	left     atomic.Int32 // portions that are not handed on
}

// Open makes the pipes of a branch, once there are descriptors for them and for its commands. They are handed on in the
// order of these calls. The error says why there are none; if ctx is cancelled first, there are none, either. Fail is
// called from any goroutine, also after the branch has ended, when its output cannot be kept or handed on, and whole
// when all of it was handed on.
func (g *grouped) Open(ctx context.Context, fail func(error), whole func()) (_ world.Branch, err error) {
	b := &branch{g: g, fail: fail, whole: whole}
	for ctx.Err() == nil {
		alone := !g.hasOpen()
		if err = b.make(alone); err == nil || alone || !expand.Exhausted(err) {
			break
		}
		select {
		case <-g.ended:
		case <-ctx.Done():
		}
	}
	b.line()
	return b, err
}

// Again hands on, in its turn, what a branch had waiting by [world.Branch] when an earlier shell ended.
func (g *grouped) Again(texts []string, fail func(error), whole func()) {
	b := &branch{g: g, fail: fail, whole: whole}
	for i, l := range g.lanes[:min(len(g.lanes), len(texts))] {
		b.portions = append(b.portions, &portion{lane: l, branch: b, ended: true, parts: []part{{text: []byte(texts[i])}}})
	}
	b.line()
}

// line puts the portions of a branch at the end of the queues.
func (b *branch) line() {
	b.left.Store(int32(len(b.portions)))
	for i, p := range b.portions {
		b.g.lanes[i].add(p)
	}
}

// hasOpen reports whether a branch is under way.
func (g *grouped) hasOpen() bool {
	for _, l := range g.lanes {
		if l.hasOpen() {
			return true
		}
	}
	return false
}

// make makes the pipes of a branch; unless it is alone, only if there are descriptors for its commands, too.
func (b *branch) make(alone bool) (err error) {
	b.portions = nil
	for _, l := range b.g.lanes {
		p := &portion{lane: l, branch: b, twin: closed}
		if err = p.open(); err != nil {
			break
		}
		b.portions = append(b.portions, p)
	}
	if err == nil && (alone || b.haveSpare(descriptorsOfCommand)) {
		return nil
	}
	for _, p := range b.portions {
		p.stop()
	}
	b.portions = nil
	return cmp.Or(err, cannotKeep(unix.EMFILE))
}

// haveSpare reports whether so many descriptors are left besides those of the branch.
func (b *branch) haveSpare(wanted int) bool {
	if len(b.portions) == 0 {
		return true
	}
	var spare []int
	for range wanted {
		fd, err := unix.FcntlInt(uintptr(b.portions[0].input), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			break
		}
		spare = append(spare, fd)
	}
	closeAll(spare)
	return len(spare) == wanted
}

// Descriptor returns what stands for descriptor 1 or 2 in the branch; false: that stays as it is. Standard error has
// one of its own also where both lead to one place, since it may be watched.
func (b *branch) Descriptor(stream int) (fd int, apart bool) {
	for _, p := range b.portions {
		for _, s := range p.lane.streams {
			switch {
			case s != stream:
			case s == 2 && p.twin != closed:
				return p.twin, true
			default:
				return p.input, true
			}
		}
	}
	return closed, false
}

// Finish tells that nothing more of the branch is to come.
func (b *branch) Finish() {
	for _, p := range b.portions {
		p.finish()
	}
	select {
	case b.g.ended <- struct{}{}:
	default:
	}
}

// Waiting returns what the branch has written that is not handed on, for [world.Grouped]; nil: all of it is. It is
// called after Finish.
func (b *branch) Waiting() (texts []string, err error) {
	empty := true
	for _, p := range b.portions {
		text, err := p.waiting()
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
		empty = empty && text == ""
	}
	if empty {
		return nil, nil
	}
	return texts, nil
}

// ErrCut is the error of output that was not handed on when the branches were cut off, since its reader took nothing.
var ErrCut = errors.New("its reader took nothing")

// cannotKeep is the error of what branches write that cannot be kept.
func cannotKeep(err error) error {
	return files.TemporaryError{Err: fmt.Errorf("cannot keep what a branch writes until it is its turn: %w", err)}
}
