package output

import (
	"sync"

	"golang.org/x/sys/unix"
)

// disk is the room for temporary files that all programs of a script share. A program may hide that there was none for
// what it wrote, and once others have given room back nobody could tell any more. So whoever gives room back does it
// here, where the branches of .grouped. that may have lost something are found before. The zero value works. Safe for
// concurrent use.
type disk struct {
	mu    sync.Mutex // locked before that of a lane
	first *Grouped   // of those that have not finished
}

func (d *disk) join(g *Grouped) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g.next, d.first = d.first, g
}

func (d *disk) leave(g *Grouped) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at := &d.first; *at != nil; at = &(*at).next {
		if *at == g {
			*at = g.next
			return
		}
	}
}

// giveBack gives that much room back. Before that each branch under way that has used up what was reserved for it gets
// more, or may have lost something. One that has used up that, too, meanwhile, may have lost something unless there is
// more room now than what was given back.
func (d *disk) giveBack(bytes int64, free func()) {
	const others = 2 << 20 // what may have been reserved beyond that, and given back by others
	d.mu.Lock()
	defer d.mu.Unlock()
	hasMore := func(p *portion, size int64) bool { return p.room.reserveBytes(size, reservedFirst) }
	d.check(hasMore)
	free()
	d.check(func(p *portion, size int64) bool { return p.room.hasFree(bytes+others) && hasMore(p, size) })
}

// doubtAll is called where there was no room left: all who have used up theirs may have lost something.
func (d *disk) doubtAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.check(func(*portion, int64) bool { return false })
}

// check finds out whether the branches that have used up what was reserved for them have got more, and marks the
// others.
func (d *disk) check(hasMore func(p *portion, size int64) bool) {
	for g := d.first; g != nil; g = g.next {
		for _, l := range g.lanes {
			l.checkRoom(hasMore)
		}
	}
}

func (l *lane) checkRoom(hasMore func(p *portion, size int64) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.queue {
		if p.ended {
			continue
		}
		switch size, _ := p.size(); {
		case size < p.reserved:
		case hasMore(p, size):
			p.reserved = size + reservedFirst
		default:
			p.full = true
		}
	}
}

// discard gives back the room of a file at once: to close it is not enough while a program that is just being started
// has a copy of the descriptor.
func discard(fd int) {
	_ = unix.Ftruncate(fd, 0)
	_ = unix.Close(fd)
}
