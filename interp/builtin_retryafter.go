package interp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/ast"
	"ftsh/interp/expand"
)

// retryafter sets the earliest start of the next attempt of the innermost try
// that may have one.
func (f *frame) retryafter(ctx context.Context, c invocation) error {
	const synopsis = usage("retryafter TIME, or retryafter -f FILE; " +
		"TIME is seconds, a time such as 2m, or an HTTP date")
	args := c.args[1:]
	switch {
	case len(args) == 0, args[0] == "-f" && len(args) != 2:
		return synopsis
	case !f.mayRetry():
		return newFailure(KindError, ast.Pos{}, "retryafter where no try waits for another attempt; "+
			"it belongs in the group, the verify or the sense of one")
	case args[0] == "-f":
		return f.retryafterHeaders(ctx, c.pos, args[1])
	}
	d, err := expand.ParseRetryAfter(strings.Join(args, " "), f.run.World.Date())
	if err != nil {
		return fmt.Errorf("%w; %w", err, synopsis)
	}
	f.delayNextAttempt(d)
	return nil
}

// mayRetry reports whether the group, verify or sense of a try is under way.
func (f *frame) mayRetry() bool {
	for t := f.try; t != nil; t = t.outer {
		if t.phase < decided {
			return true
		}
	}
	return false
}

// retryafterHeaders obeys saved HTTP headers. A field that says nothing
// intelligible is the server's fault, and as good as none.
func (f *frame) retryafterHeaders(ctx context.Context, pos ast.Pos, name string) error {
	headers, err := f.readHeaders(ctx, pos, name)
	if err != nil {
		return err
	}
	if text, found := expand.RetryAfterField(headers); found {
		if d, err := expand.ParseRetryAfter(text, f.run.World.Date()); err == nil {
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

// mostHeaders limits what is read of a file of headers, in bytes.
const mostHeaders = 1 << 20

// readHeaders reads a file of the script; - is its standard input.
func (f *frame) readHeaders(ctx context.Context, pos ast.Pos, name string) (string, error) {
	fd := f.io.files[0]
	if name != "-" {
		var err error
		fd, err = f.run.World.Open(ctx, f.state.dir, name, unix.O_RDONLY)
		switch {
		case err != nil && errors.Is(err, context.Cause(ctx)): // while it waited for the other end of a FIFO
			return "", f.cutOff(ctx, pos)
		case err != nil:
			return "", err
		}
		defer f.run.World.Close([]int{fd})
	}
	if failure := f.lostInput(false, fd); failure != nil {
		return "", failure
	}
	leave := f.place.Reading(f, fd)
	defer leave(false)
	text, err := f.run.World.Read(ctx, fd, mostHeaders)
	switch {
	case err == nil:
		return text, nil
	case err == context.Cause(ctx):
		return "", f.cutOff(ctx, pos)
	}
	return "", fmt.Errorf("cannot read %s: %w", name, err)
}
