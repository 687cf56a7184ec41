package files

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Open opens a file that a program will read or write. Opening a FIFO waits
// for its other end, but not longer than ctx lasts.
func Open(ctx context.Context, d Directory, name string, flags int) (int, error) {
	at, path := d.At(name)
	open := func(flags int) (int, error) {
		return RetryEINTR(func() (int, error) { return unix.Openat(at, path, flags|unix.O_CLOEXEC, 0o666) })
	}
	var info unix.Stat_t
	var fd int
	var err error
	if unix.Fstatat(at, path, &info, 0) == nil && info.Mode&unix.S_IFMT == unix.S_IFIFO {
		fd, err = openFIFO(ctx, flags, open)
	} else {
		fd, err = open(flags)
	}
	switch {
	case err == nil:
		return fd, nil
	case err == context.Cause(ctx):
		return -1, fmt.Errorf("waited for the other end of %s: %w", name, err)
	}
	return -1, fmt.Errorf("cannot open %s: %w", name, err)
}

// CheckWritable says why a file that will be opened for writing later cannot be, as far as that is known by now.
func CheckWritable(d Directory, name string) error {
	var info unix.Stat_t
	at, path := d.At(name)
	err := unix.Fstatat(at, path, &info, 0)
	switch {
	case err == unix.ENOENT: // it will be made
		at, folder := d.At(filepath.Dir(name))
		err = unix.Fstatat(at, folder, &info, 0)
	case err == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = unix.EISDIR
	case err == nil:
		err = unix.Faccessat(at, path, unix.W_OK, unix.AT_EACCESS)
	}
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", name, err)
	}
	return nil
}

// openFIFO opens a FIFO, and gives up when ctx is cancelled: then it opens the
// other end itself for a moment, so that the open that waits comes to its end.
func openFIFO(ctx context.Context, flags int, open func(flags int) (int, error)) (int, error) {
	type result struct {
		fd  int
		err error
	}
	opened := make(chan result, 1)
	go func() {
		fd, err := open(flags)
		opened <- result{fd, err}
	}()
	select {
	case got := <-opened:
		return got.fd, got.err
	case <-ctx.Done():
		other, err := open(unix.O_RDWR | unix.O_NONBLOCK)
		if err == nil {
			defer func() { _ = unix.Close(other) }()
		}
		if got := <-opened; got.err == nil {
			_ = unix.Close(got.fd)
		}
		return -1, context.Cause(ctx)
	}
}

func RetryEINTR(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

// Temporary opens a file without a name, of which nothing stays when it is closed.
func Temporary(dir string) (int, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return fd, nil
	}
	// Some file systems (NFS, older overlays) know no O_TMPFILE.
	for range 100 {
		name := filepath.Join(dir, ".ftsh-"+strconv.FormatUint(rand.Uint64(), 36))
		fd, err = unix.Open(name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			return fd, unix.Unlink(name)
		}
		if err != unix.EEXIST {
			break
		}
	}
	return -1, TemporaryError{fmt.Errorf("cannot make a temporary file in %s: %w", dir, err)}
}

// CopyAll copies a file from its beginning.
func CopyAll(to, from int) error {
	buffer := make([]byte, 64<<10)
	for offset := int64(0); ; {
		n, err := RetryEINTR(func() (int, error) { return unix.Pread(from, buffer, offset) })
		if n <= 0 {
			return err
		}
		if err := WriteAll(to, buffer[:n]); err != nil {
			return err
		}
		offset += int64(n)
	}
}

// WriteAll writes everything.
func WriteAll(fd int, text []byte) error {
	for len(text) > 0 {
		n, err := RetryEINTR(func() (int, error) { return unix.Write(fd, text) })
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// patiently reads or writes a stream of the script in parts, and not before it is
// Ready: a pipe may have somebody at its other end who never does anything. It
// gives up when ctx is cancelled. Those who share the stream must not find it
// non-blocking, so it is asked.
func patiently(ctx context.Context, fd int, events int16, call func() (int, error)) (int, error) {
	if err := Ready(ctx, fd, events); err != nil {
		return 0, err
	}
	return RetryEINTR(call)
}

// Ready waits until something can be read or written.
func Ready(ctx context.Context, fd int, events int16) error {
	both := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: -1, Events: unix.POLLIN}}
	if n, err := unix.Poll(both[:1], 0); n > 0 || err != nil && err != unix.EINTR {
		return nil // an error is told by reading or writing itself
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("cannot wait: %w", err)
	}
	both[1].Fd = int32(wake)
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_, _ = unix.Write(wake, []byte{0, 0, 0, 0, 0, 0, 0, 1})
	})
	_, _ = RetryEINTR(func() (int, error) { return unix.Poll(both, -1) })
	if !stop() {
		<-woken
	}
	_ = unix.Close(wake)
	if both[0].Revents == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// WritePatiently writes everything, unless ctx is cancelled before.
func WritePatiently(ctx context.Context, fd int, text []byte) error {
	const part = 4096 // a pipe that is ready takes as much without waiting
	for len(text) > 0 {
		now := text[:min(len(text), part)]
		n, err := patiently(ctx, fd, unix.POLLOUT, func() (int, error) { return unix.Write(fd, now) })
		if err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// TemporaryError is the error of something that is held in a temporary file.
type TemporaryError struct{ Err error }

// Error tells why.
func (e TemporaryError) Error() string { return e.Err.Error() }

// Unwrap gives what went wrong with it.
func (e TemporaryError) Unwrap() error { return e.Err }
