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
)

// retryafter sets the earliest start of the next attempt of the innermost try
// that may have one.
func (f *frame) retryafter(ctx context.Context, _ ast.Pos, args []string) error {
	const synopsis = usage("retryafter TIME, or retryafter -f FILE; TIME is seconds, a time such as 2m, or an HTTP date")
	if len(args) == 0 {
		return synopsis
	}
	text := strings.Join(args, " ")
	if args[0] == "-f" {
		if len(args) != 2 {
			return synopsis
		}
		headers, err := f.contents(ctx, args[1])
		if err != nil {
			return err
		}
		found := false
		if text, found = retryAfterField(headers); !found {
			return nil
		}
	}
	d, err := f.untilRetry(text)
	if err != nil {
		return fmt.Errorf("%w; %w", err, synopsis)
	}
	floor := int64(after(f.run.clock.Now(), d))
	for t := f.try; t != nil; t = t.outer {
		if t.limited && !t.over {
			t.floor.Store(max(floor, t.floor.Load()))
			break
		}
	}
	return nil
}

// untilRetry reads a time from now: seconds, a time word, or an HTTP date (RFC 9110 §5.6.7), which
// may have passed.
func (f *frame) untilRetry(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", "Monday, 02-Jan-06 15:04:05 GMT", "Mon Jan _2 15:04:05 2006"} {
		if date, err := time.Parse(layout, text); err == nil {
			return max(0, time.Until(date)), nil
		}
	}
	d, err := expand.ParseSeconds(text)
	if err != nil {
		return 0, errors.New(strconv.Quote(text) + " is no time")
	}
	return d, nil
}

// most is how much of a file of headers is looked at.
const most = 1 << 20

// contents reads a file of the script; - is its standard input.
func (f *frame) contents(ctx context.Context, name string) (string, error) {
	fd := f.files[0]
	if name != "-" {
		var err error
		if fd, err = openFile(ctx, f.path(name), unix.O_RDONLY); err != nil {
			return "", err
		}
		defer func() { _ = unix.Close(fd) }()
	}
	text, err := io.ReadAll(io.LimitReader(reader(fd), most))
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", name, err)
	}
	return string(text), nil
}

// reader reads from a descriptor that somebody else closes.
type reader int

func (r reader) Read(buffer []byte) (int, error) {
	n, err := retryEINTR(func() (int, error) { return unix.Read(int(r), buffer) })
	if n == 0 && err == nil && len(buffer) > 0 {
		return 0, io.EOF
	}
	return max(n, 0), err
}

// retryAfterField finds the field in the last block of saved HTTP headers.
// There is a block for each response that was followed to the next.
func retryAfterField(headers string) (value string, found bool) {
	for line := range strings.Lines(headers) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "HTTP/") {
			value, found = "", false
		}
		name, text, ok := strings.Cut(line, ":")
		if ok && strings.EqualFold(name, "Retry-After") {
			value, found = strings.TrimSpace(text), true
		}
	}
	return value, found
}
