package programs

import "golang.org/x/sys/unix"

// pipeSize is the capacity of a pipe, in bytes.
const pipeSize = 64 << 10

// listener reads what a program writes, up to a length. It uses no poller of the runtime, which ends the program
// where no descriptor is left.
type listener struct {
	streams [2]stream // standard output and standard error
	wake    int       // an eventfd: the program has ended
	most    int       // bytes that are kept of both
	tooLong bool      // there were more
	cancel  func()    // ends the program
	done    chan struct{}
}

// stream is a pipe and what came through it.
type stream struct {
	read, write int
	text        []byte
}

// listen begins to read; cancel is called once there is too much.
func listen(most int, cancel func()) (l *listener, err error) {
	l = &listener{most: most, cancel: cancel, done: make(chan struct{}), wake: -1}
	for i := range l.streams {
		l.streams[i] = stream{read: -1, write: -1}
	}
	for i := range l.streams {
		var ends [2]int
		if err = unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			l.close()
			return nil, err
		}
		l.streams[i].read, l.streams[i].write = ends[0], ends[1]
	}
	if l.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		l.close()
		return nil, err
	}
	go l.run()
	return l, nil
}

// run reads until the program has ended, and then what is there: somebody that it has left may have the pipes, too.
func (l *listener) run() {
	defer close(l.done)
	buffer := make([]byte, pipeSize)
	for ended, patience := false, -1; ; {
		polled := [3]unix.PollFd{{Fd: int32(l.wake), Events: unix.POLLIN}}
		for i := range l.streams {
			polled[i+1] = unix.PollFd{Fd: int32(l.streams[i].read), Events: unix.POLLIN}
		}
		if _, err := unix.Poll(polled[:], patience); err != nil {
			continue
		}
		for i := range l.streams {
			if polled[i+1].Revents != 0 {
				l.take(&l.streams[i], buffer)
			}
		}
		if ended {
			return
		}
		if ended = polled[0].Revents != 0; ended {
			patience = 0
		}
	}
}

// take reads once from a stream that has something, or has come to its end.
func (l *listener) take(s *stream, buffer []byte) {
	n, err := unix.Read(s.read, buffer)
	switch {
	case err == unix.EINTR:
	case n <= 0:
		_ = unix.Close(s.read)
		s.read = -1
	case len(l.streams[0].text)+len(l.streams[1].text)+n > l.most || l.tooLong:
		l.tooLong = true
		l.cancel()
	default:
		s.text = append(s.text, buffer[:n]...)
	}
}

// end gives what the program has written, which has ended.
func (l *listener) end() (stdout, stderr string) {
	for i := range l.streams {
		_ = unix.Close(l.streams[i].write)
		l.streams[i].write = -1
	}
	_, _ = unix.Write(l.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	<-l.done
	l.close()
	return string(l.streams[0].text), string(l.streams[1].text)
}

// close closes what is open.
func (l *listener) close() {
	for _, fd := range []int{l.streams[0].read, l.streams[0].write, l.streams[1].read, l.streams[1].write, l.wake} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
