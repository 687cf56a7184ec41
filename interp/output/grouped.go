package output

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// A Grouped hands on what branches write that run beside each other, so that it does not mix: each writes to files
// without a name, and a goroutine for each place where output leads hands on what is there, in the order of Open. Safe
// for concurrent use, but for Open and Finish, which one goroutine calls.
type Grouped struct {
	GroupedConfig
	lanes []*lane
	freed chan struct{} // has a message when a portion was handed on
	next  *Grouped      // of those that disk knows
}

// GroupedConfig says where the output of branches leads. All of it must be set but for OneByOne and Kill.
type GroupedConfig struct {
	Store *Store
	Clock backoff.Clock
	Dir   string // of temporary files
	// Stdout and Stderr are where what the branches write leads; -1: nowhere.
	Stdout, Stderr int
	// OneByOne has nothing of a branch be held once another begins; see BranchesAtMost.
	OneByOne bool
	// Context is that of all branches together; once it is cut off, a reader who takes nothing is not waited for.
	Context context.Context
	// Patience is asked then: how long the commands of the branches may still take to end.
	Patience func() time.Duration
	// Kill, once closed, ends all waiting at once.
	Kill <-chan struct{}
}

// Group makes it. The error says why output cannot be kept.
func Group(config GroupedConfig) (*Grouped, error) {
	g := &Grouped{GroupedConfig: config, freed: make(chan struct{}, 1)}
	if g.Store.Streams == nil {
		if err := g.canKeep(); err != nil {
			return nil, err
		}
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
	if g.Store.Streams == nil {
		g.Store.disk.join(g)
	}
	return g, nil
}

// canKeep fails where no output could be kept, before anything begins.
func (g *Grouped) canKeep() error {
	if err := FilesMayGrow(); err != nil {
		return err
	}
	if err := g.Store.poller.start(4); err != nil { // before the branches use up descriptors
		return cannotKeep(err)
	}
	fd, err := files.Temporary(g.Dir)
	if err != nil {
		return cannotKeep(err)
	}
	return unix.Close(fd)
}

// isOnePlace reports whether output and errors lead to the same file, pipe or device.
func (g *Grouped) isOnePlace() bool {
	if g.Stdout == g.Stderr || g.Store.Streams != nil {
		return g.Stdout == g.Stderr
	}
	var x, y unix.Stat_t
	return unix.Fstat(g.Stdout, &x) == nil && unix.Fstat(g.Stderr, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}

// Each branch has two files and what its command needs; others have some, too.
const (
	descriptorsOfBranch  = 5
	descriptorsOfCommand = 4
	descriptorsOfOthers  = 8
)

// BranchesAtMost limits branches to those that there are descriptors for, with files for the output of each; at least
// one.
func BranchesAtMost() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 1 << 30
	}
	inUse, _ := os.ReadDir("/proc/self/fd")
	return max(1, int64(int(limit.Cur)-len(inUse)-descriptorsOfOthers)/descriptorsOfBranch)
}

// Lost tells of output that nobody took in time.
type Lost struct {
	Name  string // of the stream
	Bytes int
}

// Finish returns once all output has reached its end, and what did not.
func (g *Grouped) Finish() (lost []Lost) {
	defer g.Store.disk.leave(g)
	for _, l := range g.lanes {
		l.finish()
		if l.lost > 0 {
			lost = append(lost, Lost{streamName(l.streams[0]), l.lost})
		}
	}
	return lost
}

func streamName(fd int) string { return [...]string{1: "standard output", 2: "standard error"}[fd] }

// A Branch is the output of one branch.
type Branch struct {
	g        *Grouped
	fail     func(error)
	portions []*portion // by lane
}

// Open makes the files of a branch, once there are descriptors for them and for its commands. They are handed on in the
// order of these calls. The error says why there are none; if ctx is cancelled first, there are none, either. Fail is
// called from any goroutine, also after the branch has ended, when its output cannot be kept or handed on.
func (g *Grouped) Open(ctx context.Context, fail func(error)) (b *Branch, err error) {
	b = &Branch{g: g, fail: fail}
	for ctx.Err() == nil {
		alone := g.isIdle()
		if alone || !g.OneByOne {
			if err = b.make(alone); err == nil || alone || !expand.Exhausted(err) {
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
	return b, err
}

// make makes the files of a branch; unless it is alone, only if there are descriptors for its commands, too.
func (b *Branch) make(alone bool) (err error) {
	b.portions = nil
	for _, l := range b.g.lanes {
		p := &portion{lane: l, fail: b.fail, twin: closed, reserved: reservedFirst}
		if err = p.create(); err != nil {
			break
		}
		b.portions = append(b.portions, p)
	}
	if err == nil && (alone || b.haveSpare(descriptorsOfCommand)) {
		return nil
	}
	for _, p := range b.portions {
		p.closeTwin()
		p.drop()
	}
	b.portions = nil
	return cmp.Or(err, cannotKeep(unix.EMFILE))
}

// haveSpare reports whether so many descriptors are left besides those of the branch.
func (b *Branch) haveSpare(wanted int) bool {
	if len(b.portions) == 0 || b.g.Store.Streams != nil {
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
func (g *Grouped) isIdle() bool {
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

// Descriptor returns what stands for descriptor 1 or 2 in the branch; false: that stays as it is. Standard error has
// one of its own also where both lead to one place, since it may be watched.
func (b *Branch) Descriptor(stream int) (fd int, apart bool) {
	for _, p := range b.portions {
		for _, s := range p.lane.streams {
			switch {
			case s != stream:
			case s == 2 && p.twin != closed:
				return p.twin, true
			default:
				return p.fd, true
			}
		}
	}
	return closed, false
}

// Finish tells that nothing more of the branch is to come.
func (b *Branch) Finish() {
	for _, p := range b.portions {
		p.finish()
	}
}

// cannotKeep is the error of what branches write for which there is no file, or no room in it.
func cannotKeep(err error) error {
	return files.TemporaryError{Err: fmt.Errorf("cannot keep what a branch writes until it is its turn: %w", err)}
}

// noRoom is that error where the disk is full.
func (g *Grouped) noRoom() error { return cannotKeep(fmt.Errorf("%s: %w", g.Dir, unix.ENOSPC)) }
