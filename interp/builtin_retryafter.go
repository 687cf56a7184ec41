package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/expand"
	"ftsh/interp/files"
)

// retryafter sets the earliest start of the next attempt of the innermost try
// that may have one.
func (f *frame) retryafter(ctx context.Context, c invocation) error {
	const synopsis = usage("retryafter TIME, or retryafter -f FILE; " +
		"TIME is seconds, a time such as 2m, or an HTTP date")
	args := c.args[1:]
	if len(args) == 0 {
		return synopsis
	}
	if args[0] == "-f" {
		if len(args) != 2 {
			return synopsis
		}
		return f.retryafterHeaders(ctx, c.pos, args[1])
	}
	d, err := f.run.untilRetry(strings.Join(args, " "))
	if err != nil {
		return fmt.Errorf("%w; %w", err, synopsis)
	}
	f.delayNextAttempt(d)
	return nil
}

// retryafterHeaders obeys saved HTTP headers. A field that says nothing
// intelligible is the server's fault, and as good as none.
func (f *frame) retryafterHeaders(ctx context.Context, pos ast.Pos, name string) error {
	headers, err := f.readHeaders(ctx, pos, name)
	if err != nil {
		return err
	}
	if text, found := retryAfterField(headers); found {
		if d, err := f.run.untilRetry(text); err == nil {
			f.delayNextAttempt(d)
		}
	}
	return nil
}

// delayNextAttempt sets the floor of the innermost try that may make another attempt, and of
// the resource that the innermost attempt by way of one uses.
func (f *frame) delayNextAttempt(d time.Duration) {
	floor := int64(saturatingAdd(f.run.clock.Now(), d))
	for t := f.try; t != nil; t = t.outer {
		if t.node.Limited() && t.phase < decided {
			t.floor.Store(max(floor, t.floor.Load()))
			break
		}
	}
	for t := f.try; t != nil; t = t.outer {
		if via := t.header.via; via != nil && via.inside {
			via.floor.Store(max(floor, via.floor.Load()))
			break
		}
	}
}

// untilRetry reads a time from now: seconds, a time word, or an HTTP date (RFC 9110 §5.6.7), which
// may have passed.
func (r *Runner) untilRetry(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	layouts := []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", "Mon Jan _2 15:04:05 2006"}
	for _, layout := range layouts {
		if date, err := time.Parse(layout, text); err == nil {
			return max(0, date.Sub(r.wallClock())), nil
		}
	}
	d, err := expand.ParseSeconds(text)
	if err != nil {
		return 0, errors.New(strconv.Quote(text) + " is no time")
	}
	return d, nil
}

// most limits what is read of a file of headers, in bytes.
const most = 1 << 20

// readHeaders reads a file of the script; - is its standard input.
func (f *frame) readHeaders(ctx context.Context, pos ast.Pos, name string) (string, error) {
	if f.run.Streams != nil {
		return f.simulatedContents(name)
	}
	fd := f.files[0]
	if name != "-" {
		var err error
		fd, err = files.Open(ctx, f.dir, name, unix.O_RDONLY)
		switch {
		case err != nil && errors.Is(err, context.Cause(ctx)): // while it waited for the other end of a FIFO
			return "", f.cutOff(ctx, pos)
		case err != nil:
			return "", err
		}
		defer func() { _ = unix.Close(fd) }()
	}
	if failure := f.lostInput(fd); failure != nil {
		return "", failure
	}
	leave := f.place.Reading(f, fd)
	defer leave(false)
	text, err := io.ReadAll(io.LimitReader(reader{ctx, fd}, most))
	switch {
	case err == nil:
		return string(text), nil
	case err == context.Cause(ctx):
		return "", f.cutOff(ctx, pos)
	}
	return "", fmt.Errorf("cannot read %s: %w", name, err)
}

// reader reads from a descriptor that somebody else closes, until ctx is cancelled.
type reader struct {
	ctx context.Context
	fd  int
}

func (r reader) Read(buffer []byte) (int, error) {
	n, err := files.Patiently(r.ctx, r.fd, unix.POLLIN, func() (int, error) { return unix.Read(r.fd, buffer) })
	if n == 0 && err == nil && len(buffer) > 0 {
		return 0, io.EOF
	}
	return max(n, 0), err
}

// retryAfterField finds the field in the last block of saved HTTP headers.
// There is a block for each response that was followed to the next; an empty
// line ends it, and what follows may be a body.
func retryAfterField(headers string) (value string, found bool) {
	inside := true
	for line := range strings.Lines(headers) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "HTTP/"):
			value, found, inside = "", false, true
		case line == "":
			inside = false
		case inside:
			name, text, ok := strings.Cut(line, ":")
			if ok && strings.EqualFold(name, "Retry-After") {
				value, found = strings.TrimSpace(text), true
			}
		}
	}
	return value, found
}

// simulatedContents returns the text of a file in a simulation; - is standard input.
func (f *frame) simulatedContents(name string) (string, error) {
	streams := f.run.Streams
	if name == "-" {
		return streams.Read(f.files[0]), nil
	}
	stream, err := streams.Open(name, false)
	if err != nil {
		return "", err
	}
	defer streams.Close(stream)
	return streams.Read(stream), nil
}
