package interp

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// inputStart is the offset of the standard input that a try or forany has from around it, at the first attempt or
// alternative: each further one begins there, and so does the catch group. It can be set back if it is a regular file
// of this frame's own; branches and stages share what they have from around.
type inputStart struct {
	known  bool
	offset int64 // -1: it cannot be set back
}

const keyInput = "input" // of a try or forany

// setBack has a group begin with the standard input with which the first of its kind began.
func (r *restarted) setBack(s durable.Step) error {
	f := r.frame
	if r.single || !s.Is(durable.Attempt) && !s.Is(durable.Alternative) && !s.Is(durable.Catch) {
		return nil // a verify group only asks
	}
	if !r.input.known {
		r.input.known = true
		var resumed bool
		if r.input.offset, resumed = durable.Decided[int64](f.place, keyInput); !resumed {
			if r.input.offset = f.inputOffset(); r.input.offset >= 0 {
				durable.Decide(f.place, keyInput, r.input.offset)
			}
			return nil
		}
		if f.place.Within(s) {
			return nil
		}
	}
	if r.input.offset < 0 || !f.ownsInput() {
		return nil
	}
	if _, err := unix.Seek(f.files[0], r.input.offset, io.SeekStart); err != nil {
		return f.announceFailure(newFailure(KindSystem, ast.Pos{}, fmt.Sprintf("cannot set standard input back: %v", err)))
	}
	return nil
}

// inputOffset returns the offset of standard input; -1: it cannot be set back. Whether it is a regular file is only
// asked when it shall be: of most tries the first attempt succeeds.
func (f *frame) inputOffset() int64 {
	fd := f.files[0]
	if f.run.Streams != nil || fd == closed || f.branch != 0 && fd == f.sharedInput {
		return -1
	}
	offset, err := unix.Seek(fd, 0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return offset
}

// ownsInput reports whether standard input can be set back without harm: it is a regular file, and no other stream
// writes by the same offset.
func (f *frame) ownsInput() bool {
	fd := f.files[0]
	var info unix.Stat_t
	if fd == closed || unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && (flags&unix.O_ACCMODE == unix.O_RDONLY || !f.writesTo(&info))
}

// writesTo reports whether a stream other than standard input leads to that file.
func (f *frame) writesTo(file *unix.Stat_t) bool {
	for _, fd := range f.files[1:] {
		var info unix.Stat_t
		if fd != closed && unix.Fstat(fd, &info) == nil && info.Dev == file.Dev && info.Ino == file.Ino {
			return true
		}
	}
	return false
}

// lostInput is the failure of what would read from a stream that a continued script cannot go on with; nil: none of
// these streams is one.
func (f *frame) lostInput(streams ...int) *Failure {
	if why := f.run.durable.LostInput(streams...); why != "" {
		return newFailure(KindError, ast.Pos{}, why)
	}
	return nil
}
