package output

import (
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// A portion is the output of one branch to one lane. The lane's mutex guards its parts.
type portion struct {
	lane   *lane
	branch *branch
	drain  *drain
	input  int // what the branch writes to
	twin   int // another descriptor of it, for standard error; closed: that has the same

	parts   []part // what is not handed on
	current part   // what is being handed on
	ended   bool   // nothing more is to come
	dropped bool   // what comes is not handed on
}

// A part is text that waits to be handed on, in memory or in the spill file.
type part struct {
	text    []byte // nil: it is in the file
	at, end int64  // there
}

// mostOfPart limits what is handed on at a time, in bytes.
const mostOfPart = 64 << 10

// open makes the pipe.
func (p *portion) open() error {
	g := p.lane.g
	var err error
	if p.drain, err = g.store.newDrain(p.take); err != nil {
		return cannotKeep(err)
	}
	p.input = p.drain.input
	if len(p.lane.streams) == 2 && g.Stdout != g.Stderr {
		if p.twin, err = unix.FcntlInt(uintptr(p.input), unix.F_DUPFD_CLOEXEC, 0); err != nil {
			p.stop()
			return cannotKeep(err)
		}
	}
	return nil
}

// stop closes the pipe. What it holds by now is taken.
func (p *portion) stop() {
	if p.twin != closed {
		_ = unix.Close(p.twin)
	}
	p.drain.stop()
}

// finish tells that the branch has ended.
func (p *portion) finish() {
	p.stop()
	l := p.lane
	l.mu.Lock()
	p.ended = true
	l.mu.Unlock()
	l.changed.Broadcast()
}

// take holds what the branch wrote. Where there is no room it waits, and the branch with it, until it is its turn.
func (p *portion) take(text []byte) {
	l := p.lane
	l.mu.Lock()
	defer l.mu.Unlock()
	for !p.dropped && !p.hold(text) {
		l.changed.Wait()
	}
	l.changed.Broadcast()
}

// hold holds a text in memory or on disk; false: there is no room.
func (p *portion) hold(text []byte) bool {
	l := p.lane
	last := len(p.parts) - 1
	if l.inRAM+len(text) <= inMemory || last < 0 && l.queue[0] == p {
		l.inRAM += len(text)
		if last >= 0 && p.parts[last].text != nil && len(p.parts[last].text)+len(text) <= mostOfPart {
			p.parts[last].text = append(p.parts[last].text, text...)
		} else {
			p.parts = append(p.parts, part{text: slices.Clone(text)})
		}
		return true
	}
	at, ok := l.spill.write(text)
	switch {
	case !ok:
		return false
	case last >= 0 && p.parts[last].text == nil && p.parts[last].end == at:
		p.parts[last].end += int64(len(text))
	default:
		p.parts = append(p.parts, part{at: at, end: at + int64(len(text))})
	}
	return true
}

// waiting returns what is not handed on.
func (p *portion) waiting() (string, error) {
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	var all []byte
	for _, part := range append([]part{p.current}, p.parts...) {
		text, err := p.lane.spill.textOf(part)
		if err != nil {
			return "", err
		}
		all = append(all, text...)
	}
	return string(all), nil
}

// takePart takes the first part, or as much of it as is handed on at a time.
func (p *portion) takePart() part {
	first := p.parts[0]
	if first.text == nil && first.end-first.at > mostOfPart {
		first.end = first.at + mostOfPart
		p.parts[0].at = first.end
		return first
	}
	p.parts = p.parts[1:]
	return first
}

// A spillFile holds the texts of a lane that do not fit into memory, in a file without a name. What was handed on
// takes no room.
type spillFile struct {
	dir  string
	fd   int   // closed: there is none yet
	end  int64 // where the next text goes
	held int64 // bytes that were not handed on
}

// write adds a text; false: there is no room for it.
func (s *spillFile) write(text []byte) (at int64, ok bool) {
	if s.fd == closed {
		if FilesMayGrow() != nil {
			return 0, false
		}
		var err error
		if s.fd, err = files.Temporary(s.dir); err != nil {
			s.fd = closed
			return 0, false
		}
	}
	for written := 0; written < len(text); {
		n, err := files.RetryEINTR(func() (int, error) { return unix.Pwrite(s.fd, text[written:], s.end+int64(written)) })
		if err != nil {
			_ = unix.Ftruncate(s.fd, s.end)
			return 0, false
		}
		written += n
	}
	at = s.end
	s.end += int64(len(text))
	s.held += int64(len(text))
	return at, true
}

// textOf returns the text of a part. Nobody else changes it.
func (s *spillFile) textOf(part part) ([]byte, error) {
	if part.at == part.end {
		return part.text, nil
	}
	text := make([]byte, part.end-part.at)
	n, err := files.RetryEINTR(func() (int, error) { return unix.Pread(s.fd, text, part.at) })
	if err == nil && n < len(text) {
		err = unix.EIO
	}
	if err != nil {
		return nil, cannotKeep(err)
	}
	return text, nil
}

// release gives the room of a part back.
func (s *spillFile) release(part part) {
	if part.at == part.end {
		return
	}
	if s.held -= part.end - part.at; s.held > 0 {
		_ = unix.Fallocate(s.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, part.at, part.end-part.at)
		return
	}
	s.end = 0
	_ = unix.Ftruncate(s.fd, 0)
}

func (s *spillFile) close() {
	if s.fd != closed {
		_ = unix.Close(s.fd)
	}
}
