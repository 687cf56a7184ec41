package jobs

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// recorder writes what comes through a pipe to a file of the job. The programs have no hold of the file itself: one
// that opens /dev/stdout anew would empty it.
type recorder struct {
	input *os.File // what the programs write to, once it is connected
	pipe  *os.File
	file  *os.File
	ended chan struct{}

	failed func(error) // called once with err, if there is one; set before it is connected; nil: nobody is told

	mu  sync.Mutex
	err error // what was written is not in the file
}

func newRecorder(path string) (*recorder, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC | os.O_APPEND | unix.O_NOFOLLOW
	file, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{file: file, ended: make(chan struct{})}, nil
}

// connect makes the pipe.
func (r *recorder) connect() (err error) {
	if r.pipe, r.input, err = os.Pipe(); err == nil {
		go r.copyAll()
	}
	return err
}

// copyAll copies until the other end is closed, or finish is called. After an error it goes on reading, so that the
// programs can end.
func (r *recorder) copyAll() {
	defer close(r.ended)
	buffer := make([]byte, 16<<10)
	for {
		n, err := r.pipe.Read(buffer)
		r.write(buffer[:n])
		if err != nil {
			return
		}
	}
}

func (r *recorder) write(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(text) == 0 || r.err != nil {
		return
	}
	if _, r.err = r.file.Write(text); r.err != nil && r.failed != nil {
		r.failed(r.err)
	}
}

// finish takes what is in the pipe, now that the programs have ended. What they left behind may hold the other end, and
// is not waited for.
func (r *recorder) finish() error {
	if r.pipe == nil {
		return nil
	}
	_ = r.input.Close()
	_ = r.pipe.SetReadDeadline(time.Unix(1, 0))
	<-r.ended
	connection, err := r.pipe.SyscallConn()
	if err == nil {
		_ = r.pipe.SetReadDeadline(time.Time{})
		err = connection.Read(func(fd uintptr) bool {
			r.drain(int(fd))
			return true
		})
	}
	_ = r.pipe.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, err)
}

// drain takes what is in the pipe at this moment.
func (r *recorder) drain(fd int) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := unix.Read(fd, buffer)
		if n <= 0 && err != unix.EINTR {
			return
		}
		r.write(buffer[:max(0, n)])
	}
}
