package journal

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// BusyError says that another shell has the journal.
type BusyError struct {
	Path string
	PID  int // 0: the shell that took it is dead, and its guardian is still ending what it left
}

// Error names the process that has the journal, if one has.
func (e *BusyError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("the shell that ran the journal %s is gone, and what it left is still being ended", e.Path)
	}
	return fmt.Sprintf("the journal %s is being run by process %d", e.Path, e.PID)
}

// CorruptError says that a journal is damaged where it was known to be on disk.
type CorruptError struct {
	Path   string
	Line   int    // from 1
	Reason string // what is wrong there
}

// Error names the line, and says what is wrong with it.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("the journal %s is damaged in line %d: %s", e.Path, e.Line, e.Reason)
}

// orGone returns the error of opening a journal: one that is not there, though it was on disk, is damaged.
func orGone(err error, path string, known int) error {
	if err == unix.ENOENT && known > 0 {
		return &CorruptError{Path: path, Line: 1, Reason: "it was on disk, and the file is gone"}
	}
	return err
}

// WriteError says that a journal that is there cannot be written any more, for a reason that may pass.
type WriteError struct {
	Path string
	What string // could not be done: written, synced, rewritten
	Err  error
}

// Error says what could not be done, and why.
func (e *WriteError) Error() string {
	return fmt.Sprintf("the journal %s cannot be %s: %v", e.Path, e.What, e.Err)
}

// Unwrap gives what went wrong.
func (e *WriteError) Unwrap() error { return e.Err }

// ForeignError says that a journal is not to be trusted, or is of another machine.
type ForeignError struct {
	Path   string
	Reason string // what was found, and what to do
}

// Error says why the journal is refused.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("the journal %s is refused: %s", e.Path, e.Reason)
}
