package files

import (
	"bytes"
	"context"
	"io"

	"golang.org/x/sys/unix"
)

// ReadLine reads a line, without its newline, and not a byte more: what follows is for whoever reads next. After the
// last line it gives io.EOF, and if ctx is cancelled its cause.
func ReadLine(ctx context.Context, fd int) (string, error) {
	offset, err := unix.Seek(fd, 0, io.SeekCurrent)
	if err == unix.ESPIPE {
		return streamLine(ctx, fd)
	}
	if err != nil {
		return "", err
	}
	return fileLine(ctx, fd, offset)
}

// fileLine reads a line of a file in blocks, and leaves the offset after it. In a device
// such as /dev/zero a line may have no end.
func fileLine(ctx context.Context, fd int, offset int64) (string, error) {
	const shortLine, block = 512, 64 << 10
	var short [shortLine]byte
	var line []byte
	for buffer := short[:]; ; {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		n, err := RetryEINTR(func() (int, error) { return unix.Pread(fd, buffer, offset+int64(len(line))) })
		if err != nil {
			return "", err
		}
		text := buffer[:n]
		length := bytes.IndexByte(text, '\n')
		switch {
		case length >= 0:
			_, err = unix.Seek(fd, offset+int64(len(line)+length+1), io.SeekStart)
			return string(append(line, text[:length]...)), err
		case n == 0 && len(line) == 0:
			return "", io.EOF
		case n == 0:
			_, err = unix.Seek(fd, offset+int64(len(line)), io.SeekStart)
			return string(line), err
		}
		line = append(line, text...)
		if len(buffer) < block {
			buffer = make([]byte, block)
		}
	}
}

// streamLine reads a line of a pipe, terminal or socket byte by byte, as nothing can
// be put back.
func streamLine(ctx context.Context, fd int) (string, error) {
	var line []byte
	for {
		var next [1]byte
		n, err := patiently(ctx, fd, unix.POLLIN, func() (int, error) { return unix.Read(fd, next[:]) })
		switch {
		case err != nil:
			return "", err
		case n > 0 && next[0] == '\n' || n <= 0 && len(line) > 0:
			return string(line), nil
		case n <= 0:
			return "", io.EOF
		}
		line = append(line, next[0])
	}
}

// ReadAtMost reads to the end, but no more than so many bytes. If ctx is cancelled it gives its cause.
func ReadAtMost(ctx context.Context, fd int, most int64) (string, error) {
	text, err := io.ReadAll(io.LimitReader(reader{ctx, fd}, most))
	return string(text), err
}

// reader reads from a descriptor that somebody else closes, until ctx is cancelled.
type reader struct {
	ctx context.Context
	fd  int
}

func (r reader) Read(buffer []byte) (int, error) {
	n, err := patiently(r.ctx, r.fd, unix.POLLIN, func() (int, error) { return unix.Read(r.fd, buffer) })
	if n == 0 && err == nil && len(buffer) > 0 {
		return 0, io.EOF
	}
	return max(n, 0), err
}
