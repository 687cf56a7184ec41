package main

import (
	"encoding/json"
	"fmt"
	"time"

	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/process/procfs"
)

// namedShell identifies the shell that runs a script in its journal, for the next one, which has to know that it is
// dead. A lock that is free does not tell that: it may be another file by now.
type namedShell struct {
	procfs.Name
	Lock string `json:"lock"` // which file the lock was
}

// ownShell is this shell, with the lock that it has.
func ownShell(lock journal.FileID) namedShell { return namedShell{procfs.OwnName(), lock.String()} }

// shellOf is the shell that a journal names; false: none.
func shellOf(image *journal.Image) (n namedShell, named bool) {
	text, named := image.Get("", durable.KeyShell)
	return n, named && json.Unmarshal(text, &n) == nil
}

// verdict says whether another shell may go on after a look at the one that is named.
type verdict uint8

const (
	mayGoOn verdict = iota
	itRuns
	cannotTell
)

// judgeLife decides whether another shell may go on. Where nobody can look, the lock tells if it is the very file
// that the shell had locked: the kernel frees that when its holders are gone.
func (n namedShell) judgeLife(life procfs.Life, lock journal.FileID) verdict {
	switch {
	case life == procfs.Alive:
		return itRuns
	case life == procfs.Dead || n.Lock == lock.String():
		return mayGoOn
	}
	return cannotTell
}

// whyOutlived says why this shell, which has the lock, may not go on with a journal that names another; nil: that is
// dead. One that is just ending has freed its lock already: that is waited for.
func (n namedShell) whyOutlived(name string, lock journal.FileID) error {
	const pause, ending = 10 * time.Millisecond, 500 * time.Millisecond
	life := n.Life()
	for waited := time.Duration(0); life == procfs.Alive && waited < ending; waited += pause {
		time.Sleep(pause)
		life = n.Life()
	}
	switch n.judgeLife(life, lock) {
	case itRuns:
		return fmt.Errorf("the journal %s is being run by process %d, "+
			"though its lock was free: it was removed or replaced", name, n.PID())
	case cannotTell:
		return fmt.Errorf("the journal %s names a shell that ran it, and whether that is dead cannot be looked at "+
			"from here: %s; its lock proves nothing, as it is not the file that the shell had locked. "+
			"Go on where the shell ran, with its /proc", name, n.whereabouts())
	}
	return nil
}

// whereabouts says of a shell what could be looked for.
func (n namedShell) whereabouts() string {
	if pid := n.PID(); pid != 0 {
		return fmt.Sprintf("it is process %d, in %s", pid, n.Space)
	}
	return "it could not read its own /proc"
}

// runnerOf is the process that runs a script now; 0 with busy: it is dead, and what it left is still being ended.
func runnerOf(path string, image *journal.Image) (pid int, busy bool) {
	if pid, busy = journal.Holder(path, journal.Config{}); busy {
		return pid, true
	}
	if n, named := shellOf(image); named && n.Life() == procfs.Alive {
		return n.PID(), true
	}
	return 0, false
}
