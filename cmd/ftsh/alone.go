package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ftsh/backoff/shared/locked"
)

// aloneAsScript is the value of --alone without a name: the script's own file names its lock.
const aloneAsScript = "/"

// checkAlone refuses --alone where nothing names the lock.
func (o *options) checkAlone() error {
	switch {
	case o.alone == nil || o.help || o.version || o.manual || o.journal.goesOn:
		return nil
	case *o.alone == "":
		return errors.New("--alone=: the name is empty")
	case *o.alone != aloneAsScript:
		return nil
	case o.text != nil || o.try != nil || len(o.args) == 0 || o.args[0] == "-":
		return errors.New("--alone names its lock by the file of the script, and there is none: write --alone=NAME")
	}
	return nil
}

// lockName is the name of the lock that all runs of a script share.
func (o *options) lockName() (string, error) {
	if *o.alone != aloneAsScript {
		return "name " + *o.alone, nil
	}
	path, err := filepath.Abs(o.args[0])
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fmt.Errorf("--alone: the file of the script cannot be found: %w; write --alone=NAME", err)
	}
	return "script " + path, nil
}

// stayAlone takes the lock of the script for this shell and its guardian, until leave is called. leave is nil if
// nothing may run, and the shell ends with that status.
func (s *shell) stayAlone(script string) (leave func(), status int) {
	name, err := s.options.lockName()
	if err != nil {
		return nil, refuseToRun(err, "")
	}
	folder, err := locked.Open(locked.Path(os.Getenv("FTSH_STATE_DIR"), os.Getenv("XDG_RUNTIME_DIR")), s.clock)
	if err != nil {
		return nil, refuseToRun(err, "")
	}
	fd, err := folder.Alone(name)
	if running, ok := errors.AsType[*locked.RunningError](err); ok {
		if *s.options.alone != aloneAsScript {
			script = *s.options.alone
		}
		printWarning(script + " is not run (--alone): " + running.Error())
		return nil, statusSuspended
	}
	if err != nil {
		return nil, refuseToRun(err, "")
	}
	release := s.host.Hold(fd)
	s.alone = fd
	return func() {
		release()
		_ = unix.Close(fd)
	}, statusSuccess
}

// keepAlone lets the program that this process becomes keep the lock, or takes that back.
func (s *shell) keepAlone(keeps bool) {
	flags := unix.FD_CLOEXEC
	if keeps {
		flags = 0
	}
	if s.alone != 0 {
		_, _ = unix.FcntlInt(uintptr(s.alone), unix.F_SETFD, flags)
	}
}
