package interp

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"ftsh/interp/files"
)

// temporaryDir returns the directory of temporary files.
func (f *frame) temporaryDir() string {
	if value, set := f.Lookup("TMPDIR"); set {
		if dir, err := value.Text(); err == nil && dir != "" {
			return dir
		}
	}
	return "/tmp"
}

// apart takes the output of a hedged alternative in place of a file. It goes through the shell, which sees whether
// all of it could be held: a program may not say that it could not write.
type apart struct {
	*capture
	dir     files.Directory // in which the name is meant
	name    string
	flags   int
	stopped bool
}

// complete ends the writing, and says why what was written cannot be held.
func (a *apart) complete() error {
	if !a.stopped {
		a.stopped = true
		a.stop()
	}
	if err := a.spool.err; err != nil {
		name := a.dir.Show(a.name)
		return fmt.Errorf("cannot hold what is written to %s until the alternative has won: %w", name, err)
	}
	return nil
}

// keep copies what the winner wrote to where it should go.
func (a *apart) keep() error {
	if err := a.complete(); err != nil {
		return err
	}
	fd, err := files.Open(context.Background(), a.dir, a.name, a.flags)
	if err != nil {
		return err
	}
	if err = files.WriteAll(fd, a.spool.memory); err == nil && a.spool.file != nil {
		err = files.CopyAll(fd, int(a.spool.file.file.Fd()))
	}
	if err != nil {
		_ = unix.Close(fd)
		return fmt.Errorf("cannot write %s: %w", a.dir.Show(a.name), err)
	}
	return unix.Close(fd)
}
