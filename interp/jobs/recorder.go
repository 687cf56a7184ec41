package jobs

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/output"
)

// recorder writes what comes through a pipe to a file of the job. The programs have no hold of the file itself: one
// that opens /dev/stdout anew would empty it.
type recorder struct {
	drain *output.Drain // nil: it is not connected
	file  *os.File

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
	return &recorder{file: file}, nil
}

// connect makes the pipe.
func (r *recorder) connect(s *output.Store) (err error) {
	r.drain, err = s.Drain(r.write)
	return err
}

// write writes to the file. After an error it drops what comes, so that the programs can end.
func (r *recorder) write(text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if _, r.err = r.file.Write(text); r.err != nil && r.failed != nil {
		r.failed(r.err)
	}
}

// finish takes what is in the pipe, now that the programs have ended. What they left behind may hold the other end, and
// is not waited for.
func (r *recorder) finish() error {
	if r.drain != nil {
		r.drain.Stop()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
