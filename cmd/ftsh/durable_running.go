package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/durable"
	"ftsh/interp/journal"
	"ftsh/interp/process"
)

// running is a file beside the journal that says which commands are under way. It need not outlast the
// machine, so it is never synced: a shell that finds the one before dead ends these commands, if the
// guardian was killed, too. The first block has the shell's marker and, as its last word, how many lines of the journal
// are on disk; each word after it has the number of a command or 0. At its end a shell that could not write to the
// journal leaves there what it knows of commands that had ended, as the block has room on disk.
type running struct {
	mu    sync.Mutex
	file  *os.File // nil: it could not be made
	slots map[uint64]int64
	free  []int64
	next  int64

	header runningHeader
	lines  int // of the journal that are on disk
}

const (
	runningSuffix = ".running"
	runningHead   = 4096
	runningWord   = 8
	runningLines  = runningHead - runningWord // where the number of lines stands
)

// runningHeader tells whose the commands are.
type runningHeader struct {
	Boot   string      `json:"boot"`
	Shell  *namedShell `json:"shell"`
	Marker string      `json:"marker"`
	Born   uint64      `json:"born"`

	Ended []durable.EndedUnit `json:"ended,omitempty"` // commands that had ended, which the journal does not say

	lines int // of the journal that were on disk
}

// endRunning ends what a dead shell has left, and gives what that knew of commands that had ended. The journal that
// named the shell may be gone.
func (d *durableRun) endRunning(cfg process.Config) ([]durable.EndedUnit, error) {
	header, words := readRunning(d.path)
	if !header.isOfThisBoot() {
		d.listed = bootID() == ""
		return header.Ended, nil
	}
	left := process.Left{Marker: header.Marker, Born: header.Born}
	for ; len(words) >= runningWord; words = words[runningWord:] {
		if number := binary.LittleEndian.Uint64(words); number != 0 {
			left.Numbers = append(left.Numbers, number)
		}
	}
	d.listed = len(left.Numbers) > 0
	var err error
	if d.remains, err = left.End(cfg); err != nil {
		return nil, fmt.Errorf("cannot end what the shell before has left: %w", err)
	}
	return header.Ended, nil
}

// readRunning reads the file. The zero header is that of none: it is not there, or not ours, or the shell before died
// while it made it.
func readRunning(path string) (header runningHeader, words []byte) {
	file, err := openRunning(path, unix.O_RDONLY)
	if err != nil {
		return header, nil
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil || len(text) < runningHead || json.Unmarshal(bytes.TrimRight(text[:runningLines], "\x00"),
		&header) != nil {
		return runningHeader{}, nil
	}
	header.lines = int(binary.LittleEndian.Uint64(text[runningLines:]))
	return header, text[runningHead:]
}

func (h *runningHeader) isOfThisBoot() bool { return h.Boot != "" && h.Boot == bootID() }

// linesOnDisk returns how many lines of a journal were on disk. The file is never synced: after a reboot it says no
// more than that a shell had a journal.
func (h *runningHeader) linesOnDisk() int {
	if h.Boot != "" && !h.isOfThisBoot() {
		return 1
	}
	return h.lines
}

// checkBefore is [journal.Config.OnDisk] for a shell that takes the journal over: the one before must be dead. The
// journal that named it may be gone.
func (d *durableRun) checkBefore(lock journal.FileID) (lines int, err error) {
	header, _ := readRunning(d.path)
	if header.Shell != nil && header.isOfThisBoot() {
		err = header.Shell.whyOutlived(d.name, lock)
	}
	if d.options.journal.restart {
		return 0, err
	}
	return header.linesOnDisk(), err
}

// readJournal reads a journal that others may be writing.
func readJournal(path string) (*journal.Image, error) {
	return journal.Read(path, journal.Config{OnDisk: func(journal.FileID) (int, error) {
		header, _ := readRunning(path)
		return header.linesOnDisk(), nil
	}})
}

// encodeHeader gives the header as JSON, unless that is too long.
func (h runningHeader) encodeHeader() (text []byte, fits bool) {
	text, err := json.Marshal(h)
	return text, err == nil && len(text) <= runningLines
}

func openRunning(path string, flag int) (*os.File, error) {
	return os.OpenFile(path+runningSuffix, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

// beginFile makes the file for a shell whose commands have that marker.
func (r *running) beginFile(path string, shell namedShell, left process.Left) {
	r.header = runningHeader{Boot: bootID(), Shell: &shell, Marker: left.Marker, Born: left.Born}
	header, fits := r.header.encodeHeader()
	if !fits {
		return
	}
	file, err := openRunning(path, unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return // the journal itself says so if nothing can be written
	}
	if _, err := file.Write(append(header, make([]byte, runningHead-len(header))...)); err != nil {
		_ = file.Close()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file, r.slots = file, make(map[uint64]int64)
	r.writeWord(runningLines, uint64(r.lines))
}

// noteSynced is told how many lines of the journal are on disk.
func (r *running) noteSynced(lines int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines = lines; r.file != nil {
		r.writeWord(runningLines, uint64(lines))
	}
}

func (r *running) writeWord(at int64, number uint64) {
	var word [runningWord]byte
	binary.LittleEndian.PutUint64(word[:], number)
	_, _ = r.file.WriteAt(word[:], at)
}

// noteCommand is told that a command is under way, or no more.
func (r *running) noteCommand(number uint64, under bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return
	}
	slot, known := r.slots[number]
	switch {
	case under:
		if n := len(r.free); n > 0 {
			slot, r.free = r.free[n-1], r.free[:n-1]
		} else {
			slot = r.next
			r.next++
		}
		r.slots[number] = slot
	case !known:
		return
	default:
		delete(r.slots, number)
		r.free = append(r.free, slot)
		number = 0
	}
	r.writeWord(runningHead+slot*runningWord, number)
}

// endFile removes the file, as nothing is under way any more, unless the next shell has to know of commands that ended.
func (r *running) endFile(path string, ended []durable.EndedUnit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return
	}
	if len(ended) == 0 || !r.leaveEnded(ended) {
		r.removeFile(path)
	}
	_ = r.file.Close()
	r.file = nil
}

// removeFile removes the file, but not that of another shell, which has it where the lock was removed.
func (r *running) removeFile(path string) {
	ours, err := r.file.Stat()
	if now, failed := os.Lstat(path + runningSuffix); err == nil && failed == nil && os.SameFile(ours, now) {
		_ = os.Remove(path + runningSuffix)
	}
}

// leaveEnded writes which commands had ended, the last of them if there is no room for all. No more is written than
// was there before: there may be a reason why the journal cannot be written.
func (r *running) leaveEnded(ended []durable.EndedUnit) bool {
	for ; len(ended) > 0; ended = ended[1:] {
		r.header.Ended = ended
		if text, fits := r.header.encodeHeader(); fits {
			_, err := r.file.WriteAt(text, 0)
			_ = r.file.Sync() // it is there for the next shell in any case, unless the machine stops
			return err == nil
		}
	}
	return false
}
