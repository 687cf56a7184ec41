package event

import (
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Output writes logs: it has an open descriptor, and keeps what could not be
// written to it. It is safe for concurrent use; several logs may share one.
//
// Every line is one write(2), so that lines of other processes which append to
// the same local file never tear it. Where a write fails (no space left, nobody
// reads the pipe any more), or a pipe or terminal takes nothing for a second,
// the line is lost and counted, and the script goes on; the first line that
// gets through again is preceded by one that says how many were lost and why. A
// line of which a part fits on a full disk gets its end then.
type Output struct {
	fd      int
	owned   bool
	regular bool  // a file: writing to it does not wait for a reader
	appends bool  // it was opened with O_APPEND
	limit   int64 // how large a file may grow, in bytes; 0 means without limit

	mu    sync.Mutex
	buf   []byte // what is being written, after a newline that ends a torn line
	poll  [1]unix.PollFd
	lost  int    // lines since one got through
	cause error  // of the first of them
	loser *Log   // that the first of them came from
	torn  bool   // a line was written in part, and its end was refused
	tail  []byte // that end, if this is a file
	end   int64  // where the file ended then
	stuck bool   // the last line waited in vain: no more patience before one gets through
	run   run    // of equal lines, that the last one belongs to

	patience time.Duration // how long a line waits for a pipe or a terminal that takes nothing
}

// keep is the largest buffer kept between lines, in bytes.
const keep = 64 << 10

// OutputTo makes an output of an open descriptor, such as 2 for standard error. Close
// does not close it.
func OutputTo(fd int) *Output {
	o := &Output{fd: fd, patience: time.Second}
	var limit unix.Rlimit // ulimit -f
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) == nil && limit.Cur <= 1<<62 {
		o.limit = int64(limit.Cur)
	}
	var stat unix.Stat_t
	o.regular = unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFREG
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	o.appends = err == nil && flags&unix.O_APPEND != 0
	return o
}

// Flush writes what is held back: how often the last line came, and how many were lost.
func (o *Output) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.accountLost(time.Now()) {
		return
	}
	log := o.run.log
	if err := o.endRun(); err != nil {
		o.lost, o.cause, o.loser = 1, err, log
	}
}

// Lost returns how many lines were lost since one got through, and why the first of them.
func (o *Output) Lost() (lines int, why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost, o.cause
}

// Close writes what is held back, and closes what OpenOutput has opened. Nothing may be
// logged afterwards.
func (o *Output) Close() error {
	o.Flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.owned {
		return nil
	}
	o.owned = false
	return unix.Close(o.fd)
}

// IsFile reports whether this is the file that a descriptor of ours is open on.
func (o *Output) IsFile(fd int) bool {
	var ours, other unix.Stat_t
	return unix.Fstat(o.fd, &ours) == nil && unix.Fstat(fd, &other) == nil &&
		ours.Dev == other.Dev && ours.Ino == other.Ino
}

// writeEvent writes an event, after an account of those that were lost before.
func (o *Output) writeEvent(log *Log, e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	if !o.accountLost(e.Time) {
		o.lost++
		return
	}
	if o.countRepeat(log, e) {
		return
	}
	if err := o.endRun(); err != nil {
		o.lost, o.cause, o.loser = 2, err, log // that, and this one
		return
	}
	if err := o.writeLine(log, e); err != nil {
		o.lost, o.cause, o.loser = 1, err, log
		return
	}
	o.beginRun(log, e)
}

// accountLost says how many lines were lost, and reports whether that got through.
func (o *Output) accountLost(now time.Time) bool {
	if o.lost == 0 {
		return true
	}
	if len(o.tail) > 0 && o.seekTo(unix.SEEK_END) == o.end {
		if !o.mendTorn() {
			return false
		}
		if o.lost--; o.lost == 0 {
			return true
		}
	}
	account := Event{Kind: LogLost, Time: now, Count: o.lost, Message: o.cause.Error()}
	if o.writeLine(o.loser, account) != nil {
		return false
	}
	o.lost = 0
	return true
}

// writeLine writes one line.
func (o *Output) writeLine(log *Log, e Event) error {
	o.buf = log.appendLine(append(o.buf[:0], '\n'), e)
	line := o.buf
	if cap(line) > keep {
		o.buf = nil
	}
	return o.putLine(line)
}

// putLine writes a line that begins with a newline: that is only needed behind a torn one.
func (o *Output) putLine(line []byte) error {
	if o.torn {
		return o.writeAll(line)
	}
	return o.writeAll(line[1:])
}

// writeAll writes all of p, in one piece if the kernel takes it so.
func (o *Output) writeAll(p []byte) error {
	until := time.Time{}
	for rest := p; ; {
		n, err := o.writeOnce(rest, &until)
		if n > 0 {
			rest, o.stuck, until = rest[n:], false, time.Time{}
		}
		switch {
		case len(rest) == 0:
			o.torn = false
			return nil
		case err == nil && n <= 0:
			err = unix.EIO
		case err == nil, err == unix.EINTR, err == unix.EAGAIN:
			continue
		}
		if len(rest) < len(p) {
			o.noteTorn(rest)
		}
		return err
	}
}

// noteTorn notes that a line was written but for its end.
func (o *Output) noteTorn(end []byte) {
	o.torn, o.tail = true, nil
	if o.regular {
		o.tail, o.end = slices.Clone(end), o.seekTo(unix.SEEK_CUR)
	}
}

// mendTorn writes the end of a torn line, behind which nobody has written yet.
func (o *Output) mendTorn() bool {
	tail := o.tail
	o.tail = nil
	if o.writeAll(tail) == nil {
		return true
	}
	if o.tail == nil {
		o.tail = tail
	}
	return false
}

// seekTo returns the offset of the file, or of its end; -1 if it does not tell.
func (o *Output) seekTo(whence int) int64 {
	at, err := unix.Seek(o.fd, 0, whence)
	if err != nil {
		return -1
	}
	return at
}

// writeOnce is one write(2), as soon as it need not wait.
func (o *Output) writeOnce(p []byte, until *time.Time) (int, error) {
	if o.regular {
		if o.isBeyondLimit(len(p)) {
			return 0, unix.EFBIG
		}
		return unix.Write(o.fd, p)
	}
	if err := o.awaitWritable(until); err != nil {
		return 0, err
	}
	return unix.Write(o.fd, p)
}

// awaitWritable waits until something can be written, or patience is at its end. until
// is when that is, set by the first wait for a piece. It does not wait for ever,
// since a limit of the script is a promise.
func (o *Output) awaitWritable(until *time.Time) error {
	if until.IsZero() {
		*until = time.Now().Add(o.patience)
		if o.stuck {
			*until = time.Now()
		}
	}
	left := max(time.Until(*until), 0)
	o.poll[0] = unix.PollFd{Fd: int32(o.fd), Events: unix.POLLOUT}
	n, err := unix.Poll(o.poll[:], int((left + time.Millisecond - 1).Milliseconds()))
	if n == 0 && err == nil {
		o.stuck = true
		return errStuck
	}
	return err
}

// errStuck is why a line is lost that waited in vain.
const errStuck = stuckError("nothing was taken for a second")

type stuckError string

func (e stuckError) Error() string { return string(e) }

// isBeyondLimit reports whether n more bytes would pass the limit on file sizes. The
// kernel would send SIGXFSZ then, of which the shell would die.
func (o *Output) isBeyondLimit(n int) bool {
	if o.limit == 0 {
		return false
	}
	whence := unix.SEEK_CUR
	if o.appends {
		whence = unix.SEEK_END
	}
	end := o.seekTo(whence)
	return end >= 0 && end+int64(n) > o.limit
}
