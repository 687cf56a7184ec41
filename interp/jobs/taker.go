package jobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// taker hands on what a job writes, each byte once and in order: for a job that goes on, that has ended, that was cut
// off, or that an earlier shell had. What could not be handed on is never passed over: the first error stays, and
// ends the job.
type taker struct {
	ticket  ticket
	names   []string // of the outputs: standard output, standard error, captures
	hand    func(stream int, text []byte) error
	noting  bool             // a later shell goes on where this one has stopped
	offsets map[string]int64 // how much was handed on
	noticed [firstCapture]int64
	err     error // something could not be handed on
}

// newTaker makes a taker for a job whose reader has until ctx ends.
func newTaker(ctx context.Context, t ticket, j *Job) *taker {
	hand := func(stream int, text []byte) error { return j.Asked.Output(ctx, stream, text) }
	return &taker{ticket: t, names: outputNames(j.Outputs), hand: hand, noting: j.Outlives, offsets: map[string]int64{}}
}

// goOn begins where an earlier shell has stopped.
func (t *taker) goOn(captures int) {
	t.names = outputNames(captures)
	_ = t.ticket.readJSON(takenName, &t.offsets)
	t.noticed = [...]int64{t.offsets[stdoutName], t.offsets[stderrName]}
}

// takeNew hands on what is new of standard output and error. begun reports whether there are such files: to make
// them is a job's first act.
func (t *taker) takeNew() (begun bool, err error) { return t.take(t.names[:firstCapture]) }

// takeRest hands on all that is left, once the job writes no more. It is an error if that is less than the job wrote.
func (t *taker) takeRest(sizes map[string]int64) error {
	_, err := t.take(t.names)
	for _, name := range t.names {
		if err == nil && t.offsets[name] < sizes[name] {
			err = &fs.PathError{Op: "read", Path: t.ticket.join(name), Err: io.ErrUnexpectedEOF}
		}
	}
	return err
}

func (t *taker) take(names []string) (begun bool, err error) {
	for i, name := range names {
		if t.err != nil {
			break
		}
		var there bool
		if there, t.err = t.copyNew(i+1, name); there {
			begun = true
		}
	}
	t.note()
	return begun, t.err
}

// copyNew hands on what is new in a file. It is opened each time: so network file systems look again. A file that
// cannot be read now is met again by a later call: the status says how long it is.
func (t *taker) copyNew(stream int, name string) (there bool, err error) {
	file, err := os.Open(t.ticket.join(name))
	if err != nil {
		return false, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() <= t.offsets[name] {
		return true, nil // most looks find nothing new
	}
	buffer := make([]byte, min(info.Size()-t.offsets[name], 64<<10))
	for {
		n, err := file.ReadAt(buffer, t.offsets[name])
		if n > 0 {
			if err := t.hand(stream, buffer[:n]); err != nil {
				return true, err
			}
			t.offsets[name] += int64(n)
		}
		if err != nil || n == 0 {
			return true, nil
		}
	}
}

// note has a later shell go on where this one is. What was handed on after the last note comes twice.
func (t *taker) note() {
	now := [...]int64{t.offsets[stdoutName], t.offsets[stderrName]}
	if !t.noting || now == t.noticed {
		return
	}
	t.noticed = now
	beside := t.ticket.join(takenName + "." + randomWord())
	text := asJSON(map[string]int64{stdoutName: now[0], stderrName: now[1]})
	if os.WriteFile(beside, text, 0o600) != nil || os.Rename(beside, t.ticket.join(takenName)) != nil {
		_ = os.Remove(beside)
	}
}

// mostStderr limits the standard error that a result tells, in bytes.
const mostStderr = 1 << 20

// isTorn reports whether the job may have written more to standard error than the result has.
func (r Result) isTorn() bool { return len(r.Stderr) >= mostStderr }

// lastBytes is the end of an output.
func (t ticket) lastBytes(name string) string {
	file, err := os.Open(t.join(name))
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-mostStderr), mostStderr))
	return string(text)
}

// unhanded is the result of a job whose output could not be handed on: as of a program that writes to a pipe without
// a reader, or to a disk that is full.
func unhanded(number string, err error) Result {
	message := "cannot take the output of the job: " + unwrapped(err).Error()
	if errors.Is(err, unix.EPIPE) {
		return failed(signalled, number, message)
	}
	return failed(shortage, number, message)
}
