package journal

import "fmt"

// BusyError says that another shell has the journal.
type BusyError struct {
	Path string
	PID  int // 0: the shell that took it is dead, and its guardian is still ending what it left
}

func (e *BusyError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("the shell that ran the journal %s is gone, and what it left is still being ended", e.Path)
	}
	return fmt.Sprintf("the journal %s is being run by process %d", e.Path, e.PID)
}

// CorruptError says that a journal is damaged where it was known to be on disk.
type CorruptError struct {
	Path   string
	Line   int // from 1
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the journal %s is damaged in line %d: %s", e.Path, e.Line, e.Reason)
}

// ForeignError says that a journal is not to be trusted, or is of another machine.
type ForeignError struct {
	Path   string
	Reason string // what was found, and what to do
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the journal %s is refused: %s", e.Path, e.Reason)
}
