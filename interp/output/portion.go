package output

import (
	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// reservedFirst is the room, in bytes, that is reserved for what a branch writes to one place: so much is never lost.
const reservedFirst = 32 << 10

// A portion is the output of one branch to one lane.
type portion struct {
	lane *lane
	fail func(error) // ends the branch

	// The lane's mutex guards these. Before it has ended fd is the branch's, and does not change.
	fd       int   // the file that it is in
	twin     int   // another descriptor of it, for standard error; closed: that has the same
	own      bool  // that is its own, and not the spool
	at, end  int64 // where it lies in the spool
	ended    bool
	moving   bool  // to the spool
	reserved int64 // up to there the file surely has room
	full     bool  // there was none, and something may be lost

	room room // of the own file; only the goroutine of the lane gives room back

	copied int64  // of the own file, by the goroutine of the lane
	before []byte // the end of what was copied
	failed bool   // what follows is not handed on
}

// create makes the file, with room for what most branches write.
func (p *portion) create() error {
	g := p.lane.g
	if g.Store.Streams != nil {
		p.fd = g.Store.Streams.New("")
		return nil
	}
	fd, err := files.Temporary(g.Dir)
	if err != nil {
		return cannotKeep(err)
	}
	p.fd, p.own, p.room = fd, true, room{fd: fd}
	if !p.room.reserveBytes(0, reservedFirst) {
		p.drop()
		return g.noRoom()
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_APPEND)
	if len(p.lane.streams) == 2 && g.Stdout != g.Stderr {
		if p.twin, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			p.drop()
			return cannotKeep(err)
		}
	}
	return nil
}

// drop gives the file back to which nothing was written.
func (p *portion) drop() { p.lane.g.Store.disk.giveBack(reservedFirst, func() { discard(p.fd) }) }

func (p *portion) closeTwin() {
	if p.twin != closed {
		_ = unix.Close(p.twin)
	}
}

// size counts the bytes of the own file.
func (p *portion) size() (int64, error) {
	var info unix.Stat_t
	err := unix.Fstat(p.fd, &info)
	return info.Size, err
}

// finish tells that the branch has ended. If it is not its turn, what it wrote goes to the spool, so that only branches
// that are under way have descriptors.
func (p *portion) finish() {
	l := p.lane
	if l.g.Store.Streams != nil {
		p.ended = true
		l.flush()
		return
	}
	p.closeTwin()
	size, _ := p.size()
	disk := &l.g.Store.disk
	disk.mu.Lock()
	l.mu.Lock()
	full := p.full || size >= p.reserved && !p.room.reserveBytes(size, reservedFirst)
	p.ended, p.moving = true, l.queue[0] != p
	moving := p.moving
	l.mu.Unlock()
	disk.mu.Unlock()
	if full {
		disk.doubtAll()
		p.fail(l.g.noRoom())
	}
	if moving {
		l.spool.take(p, size)
	}
	stir(l.wake)
}

// handOn hands on what the branch writes, until it has ended.
func (p *portion) handOn() {
	l, pause := p.lane, groupedInterval
	for {
		l.mu.Lock()
		ended, moving, full := p.ended, p.moving, p.full
		l.mu.Unlock()
		switch {
		case moving:
			<-l.wake
			continue
		case !p.own:
			_, err := l.copyRange(p.fd, p.at, p.end)
			p.check(err)
			l.spool.giveBack(p)
			return
		}
		before := p.copied
		p.copyNew()
		if pause = min(2*pause, groupedAtMost); p.copied != before {
			pause = groupedInterval
		}
		switch {
		case ended:
			l.g.Store.disk.giveBack(p.copied-p.room.given, func() { discard(p.fd) })
			return
		case full:
			p.fail(l.g.noRoom())
		}
		l.await(pause)
	}
}

// check fails the branch if there is an error.
func (p *portion) check(err error) {
	if err != nil {
		p.failed = true
		p.fail(err)
	}
}

// copyNew hands on what is new in the own file.
func (p *portion) copyNew() {
	size, err := p.size()
	if err != nil || size == p.copied {
		return
	}
	// A program that opens /dev/stdout for writing truncates the file, and begins again.
	if size < p.copied || differs(p.fd, p.copied, p.before) {
		p.copied, p.room.given, p.before = 0, 0, nil
	}
	if p.failed {
		p.copied = size
	} else {
		p.copied, err = p.lane.copyRange(p.fd, p.copied, size)
		p.check(err)
	}
	p.remember()
	p.makeRoom(size)
}

// remember notes the end of what was copied.
func (p *portion) remember() {
	p.before, _ = readBefore(p.fd, p.copied, min(compared, p.copied))
}

// makeRoom reserves room for what follows, and gives that back of what was copied, so that what a branch writes
// while it is its turn needs little.
func (p *portion) makeRoom(size int64) {
	const much = 1 << 20
	p.lane.mu.Lock()
	isEnough := size < p.reserved/2
	p.lane.mu.Unlock()
	if isEnough && p.copied-p.room.given < much {
		return
	}
	p.lane.g.Store.disk.giveBack(p.copied-p.room.given, func() { p.room.giveBack(p.copied) })
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	if p.room.reserve(size) {
		p.reserved = size + reserved
	}
}

// spoolFile holds what branches wrote that have ended before it was their turn, one after another. The lane's mutex
// guards it.
type spoolFile struct {
	fd   int
	end  int64
	held int64 // bytes that were not handed on
}

// take moves what a branch wrote into the spool. Without room there it stays in its own file.
func (s *spoolFile) take(p *portion, size int64) {
	mu := &p.lane.mu
	mu.Lock()
	var err error
	if s.fd == closed && size > 0 {
		s.fd, err = files.Temporary(p.lane.g.Dir)
	}
	fd, at := s.fd, s.end
	s.end += size
	s.held += size
	mu.Unlock()
	if err == nil {
		err = moveTo(fd, at, p.fd, size)
	}
	p.lane.g.Store.disk.giveBack(size, func() {
		mu.Lock()
		defer mu.Unlock()
		if p.moving = false; err != nil {
			s.held -= size
			return
		}
		discard(p.fd)
		p.fd, p.own, p.at, p.end = fd, false, at, at+size
		stir(p.lane.g.freed)
	})
}

// giveBack gives the room back of what was handed on.
func (s *spoolFile) giveBack(p *portion) {
	if p.end == p.at {
		return
	}
	p.lane.g.Store.disk.giveBack(p.end-p.at, func() {
		p.lane.mu.Lock()
		defer p.lane.mu.Unlock()
		if s.held -= p.end - p.at; s.held == 0 {
			s.end = 0
			_ = unix.Ftruncate(s.fd, 0)
			return
		}
		(&room{fd: s.fd, given: p.at}).giveBack(p.end)
	})
}

// moveTo copies so many bytes of a file to a place in another.
func moveTo(to int, at int64, from int, size int64) error {
	buffer := make([]byte, min(size, groupedBuffer))
	for done := int64(0); done < size; {
		part := buffer[:min(int64(len(buffer)), size-done)]
		n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(from, part, done) })
		if n <= 0 {
			return unix.EIO // it was truncated meanwhile, or cannot be read
		}
		if err != nil {
			return err
		}
		for text := buffer[:n]; len(text) > 0; {
			n, err := files.RetryEINTR(func() (int, error) { return unix.Pwrite(to, text, at+done) })
			if err != nil {
				return err
			}
			text, done = text[n:], done+int64(n)
		}
	}
	return nil
}
