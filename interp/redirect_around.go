package interp

import (
	"fmt"
	"io"
	"slices"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/durable"
)

// offsets tell where standard input and output were when a try or forany began, each one more than the offset. 0: that
// cannot be set back, or is not known yet.
type offsets struct {
	Input  int64 `json:"input,omitempty"`
	Output int64 `json:"output,omitempty"`
}

func (offsets) JournalKey() string { return "around" }

// setBack has a group begin with the standard input and output with which the first of its kind began.
func (r *restarted) setBack(s durable.Step) error {
	if r.single || !s.Is(durable.Attempt) && !s.Is(durable.Alternative) && !s.Is(durable.Catch) {
		return nil // a verify group only asks
	}
	f := r.frame
	if !r.around.known {
		resumed := r.noteAround()
		if !resumed || f.place.Within(s) {
			return nil
		}
	}
	if err := r.around.output.cutBack(); err != nil {
		return f.announceFailure(newFailure(KindSystem, ast.Pos{}, fmt.Sprintf("cannot cut standard output back: %v", err)))
	}
	if r.around.input < 0 || !f.ownsInput() {
		return nil
	}
	if _, err := unix.Seek(f.io.files[0], r.around.input, io.SeekStart); err != nil {
		return f.announceFailure(newFailure(KindSystem, ast.Pos{}, fmt.Sprintf("cannot set standard input back: %v", err)))
	}
	return nil
}

// noteAround notes where input and output are, or were when an earlier run began.
func (r *restarted) noteAround() (resumed bool) {
	f := r.frame
	r.around = around{known: true, input: -1, output: f.cutPoint(f.outputBehind(r.list))}
	// Whether standard input is a regular file is only asked when it shall be set back: of most tries the first attempt
	// succeeds.
	if fd := f.io.files[0]; fd != closed && (f.state.branch == 0 || fd != f.io.sharedInput) {
		if offset, err := f.run.World.Seek(fd, 0, io.SeekCurrent); err == nil {
			r.around.input = offset
		}
	}
	state := keep(f, &offsets{})
	resumed = *state != offsets{}
	state.Input = takeOffset(state.Input, &r.around.input)
	state.Output = takeOffset(state.Output, &r.around.output.at)
	return resumed
}

// takeOffset puts a saved offset in the place of one that is known now, and returns what is to be saved.
func takeOffset(saved int64, offset *int64) int64 {
	switch {
	case saved == 0:
		return *offset + 1
	case *offset >= 0: // else it is not the shell's now, as in a dry run
		*offset = saved - 1
	}
	return saved
}

// outputBehind is the stream of the frame to which standard output leads behind redirections; closed: to none.
func (f *frame) outputBehind(list []*ast.Redirect) int {
	streams := f.io.files
	for _, n := range list {
		leads := closed
		if n.Op == ast.DupOut || n.Op == ast.DupIn {
			leads = streams.at(n.Dup)
		} else if n.Target != nil {
			name, _ := n.Target.Literal()
			if number, named := f.run.World.Named(f.state.dir, name); named {
				leads = streams.at(number)
			}
		}
		streams[redirected(n)] = leads
	}
	return streams[1]
}

// ownsInput reports whether standard input can be set back without harm: it is a regular file, and no other stream
// writes by the same offset.
func (f *frame) ownsInput() bool {
	fd := f.io.files[0]
	var info unix.Stat_t
	if fd == closed || unix.Fstat(fd, &info) != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && (flags&unix.O_ACCMODE == unix.O_RDONLY || !f.writesTo(&info))
}

// writesTo reports whether a stream other than standard input leads to that file.
func (f *frame) writesTo(file *unix.Stat_t) bool {
	for _, fd := range f.io.files[1:] {
		var info unix.Stat_t
		if fd != closed && unix.Fstat(fd, &info) == nil && info.Dev == file.Dev && info.Ino == file.Ino {
			return true
		}
	}
	return false
}

// cutPoint returns where a stream is now, if it is one that the shell has opened for =>, -> or >, and that this frame
// does not share.
func (f *frame) cutPoint(fd int) cutPoint {
	for r := f.io.opener; r != nil; r = r.frame.io.opener {
		for _, c := range r.captures {
			if c.Stream() == fd {
				return cutPoint{capture: c.Capture, at: c.Size()}
			}
		}
		if r.writesAnew(fd) {
			if at, err := f.run.World.Seek(fd, 0, io.SeekCurrent); err == nil {
				return cutPoint{fd: fd, at: at}
			}
		}
	}
	return cutPoint{at: -1}
}

// writesAnew reports whether a descriptor is of a file that the redirections write as a whole: by => or >, but not >>.
func (r *redirection) writesAnew(fd int) bool {
	for _, output := range r.outputs {
		if output.Stream() == fd {
			return true
		}
	}
	if !slices.Contains(r.opened, fd) {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_WRONLY && flags&unix.O_APPEND == 0
}

// cutBack removes what was written since. What is no regular file keeps it.
func (c cutPoint) cutBack() error {
	switch {
	case c.at < 0:
		return nil
	case c.capture != nil:
		return c.capture.CutTo(c.at)
	}
	var info unix.Stat_t
	if err := unix.Fstat(c.fd, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFREG {
		return err
	}
	at := min(c.at, info.Size) // a program may have truncated it
	if err := unix.Ftruncate(c.fd, at); err != nil {
		return err
	}
	_, err := unix.Seek(c.fd, at, io.SeekStart)
	return err
}
