package repl

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// history is the file that keeps the statements that were typed, readable for the user alone (passwords happen).
// Each statement is a line, in which \n stands for a newline and \\ for a backslash. It is appended with one write,
// under a lock that is held where the file is rewritten, too: sessions lose nothing of each other.
type history struct {
	path     string            // "": nothing is kept
	patience time.Duration     // how long its lock is waited for
	warn     func(text string) // says, once, that something is wrong with the file; nil: nobody is told
	fresh    bool              // nothing was in it
	ours     []string          // what was appended
	hides    func(string) bool // reports what must not be kept of ours; nil: nothing
}

// lockPatience limits the wait for the lock of the history. Whoever holds it longer is stopped, or on a machine
// that does not answer.
const lockPatience = 100 * time.Millisecond

// lockPause is the time between two tries for the lock.
const lockPause = 2 * time.Millisecond

// historyLimit limits the statements that are kept. The file is rewritten when it holds twice as many.
const historyLimit = 10_000

// loadStatements returns the statements, the oldest first. Of those that occur more than once it keeps the last. It
// takes out of the file what was appended and must not be kept.
func (h *history) loadStatements() []string {
	file, locked := h.openLocked()
	if file == nil && h.path != "" {
		file, _ = os.Open(h.path)
	}
	defer file.Close()
	bytes, err := io.ReadAll(file)
	if err != nil {
		return nil
	}
	h.fresh = len(bytes) == 0
	lines := strings.Split(string(bytes), "\n")
	kept := foldRepeated(lines)
	secret := func(text string) bool { return h.hides != nil && h.hides(text) && slices.Contains(h.ours, text) }
	if secrets := slices.ContainsFunc(kept, secret); locked && (secrets || len(lines) > 2*historyLimit) {
		kept = slices.DeleteFunc(kept, secret)
		h.replaceFile(kept)
	}
	return kept
}

// foldRepeated leaves out empty lines, and those that come again later, and returns the last statements of the rest.
func foldRepeated(lines []string) []string {
	seen := make(map[string]bool, len(lines))
	kept := make([]string, 0, min(len(lines), historyLimit))
	for i := len(lines) - 1; i >= 0 && len(kept) < historyLimit; i-- {
		text := strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(lines[i])
		if text != "" && !seen[text] {
			seen[text] = true
			kept = append(kept, text)
		}
	}
	slices.Reverse(kept)
	return kept
}

// appendStatement appends a statement. What cannot be written is lost: nothing that is typed may fail for that.
func (h *history) appendStatement(text string) {
	h.ours = append(h.ours, text)
	for range 10 {
		file, locked := h.openLocked()
		if file == nil {
			return
		}
		_, err := file.WriteString(encodeEntry(text))
		kept := locked || h.isCurrent(file)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			h.complain("cannot write the history: " + err.Error())
		}
		if err != nil || kept { // else the holder of the lock has put a new file in its place
			return
		}
	}
}

func (h *history) complain(text string) {
	if h.warn != nil {
		h.warn(text)
		h.warn = nil
	}
}

func encodeEntry(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text) + "\n"
}

// openLocked opens the file, makes it if it is not there, and locks it, if nobody else holds the lock for long. Nil: it
// cannot be written.
func (h *history) openLocked() (file *os.File, locked bool) {
	if h.path == "" {
		return nil, false
	}
	err := os.MkdirAll(filepath.Dir(h.path), 0o700)
	for late := time.Now().Add(h.patience); err == nil; {
		if file, err = os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
			break
		}
		held := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
		if held && h.isCurrent(file) {
			_ = file.Chmod(0o600) // also of one that is older
			return file, true
		}
		if time.Now().After(late) {
			h.complain("another program locks the history; going on without the lock")
			return file, false
		}
		_ = file.Close() // another session has put a new one in its place meanwhile
		if !held {
			time.Sleep(lockPause)
		}
	}
	h.complain("the history cannot be written, only read: " + err.Error())
	return nil, false
}

// isCurrent reports whether a file is the one that the path leads to.
func (h *history) isCurrent(file *os.File) bool {
	ours, err1 := file.Stat()
	there, err2 := os.Stat(h.path)
	return err1 == nil && err2 == nil && os.SameFile(ours, there)
}

// replaceFile puts a new file in the place of the old, which is locked.
func (h *history) replaceFile(entries []string) {
	var text strings.Builder
	for _, entry := range entries {
		text.WriteString(encodeEntry(entry))
	}
	path, err := makeTemporary(filepath.Dir(h.path), ".history-*", text.String())
	if err == nil {
		err = os.Rename(path, h.path)
	}
	if err != nil {
		_ = os.Remove(path)
	}
}
