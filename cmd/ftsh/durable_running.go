package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ftsh/interp/process"
)

// running is a file beside the journal that says which commands are under way. It need not outlast the
// machine, so it is never synced: a shell that finds the one before dead ends these commands, if the
// guardian was killed, too. The first block has the shell's marker, and each word after it the
// number of a command or 0.
type running struct {
	mu    sync.Mutex
	file  *os.File // nil: it could not be made
	slots map[uint64]int64
	free  []int64
	next  int64
}

const (
	runningSuffix = ".running"
	runningHead   = 4096
	runningWord   = 8
)

// runningHeader tells whose the commands are.
type runningHeader struct {
	Boot   string `json:"boot"`
	Marker string `json:"marker"`
	Born   uint64 `json:"born"`
}

// endRunning ends what a dead shell has left. The caller has the lock of the journal.
func endRunning(path string, cfg process.Config) error {
	file, err := openRunning(path, unix.O_RDONLY)
	if err != nil {
		return nil // it is not there, or not ours
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil || len(text) < runningHead {
		return nil // the shell before died while it made it
	}
	var header runningHeader
	head, words := bytes.TrimRight(text[:runningHead], "\x00"), text[runningHead:]
	if json.Unmarshal(head, &header) != nil || header.Boot == "" || header.Boot != bootID() {
		return nil
	}
	left := process.Left{Marker: header.Marker, Born: header.Born}
	for ; len(words) >= runningWord; words = words[runningWord:] {
		if number := binary.LittleEndian.Uint64(words); number != 0 {
			left.Numbers = append(left.Numbers, number)
		}
	}
	return process.EndLeft(cfg, left)
}

func openRunning(path string, flag int) (*os.File, error) {
	return os.OpenFile(path+runningSuffix, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

// begin makes the file for a shell whose commands have that marker.
func (r *running) begin(path string, left process.Left) {
	header, err := json.Marshal(runningHeader{bootID(), left.Marker, left.Born})
	if err != nil || len(header) > runningHead {
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
}

// note is told that a command is under way, or no more.
func (r *running) note(number uint64, under bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return
	}
	var word [runningWord]byte
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
		binary.LittleEndian.PutUint64(word[:], number)
	case known:
		delete(r.slots, number)
		r.free = append(r.free, slot)
	}
	_, _ = r.file.WriteAt(word[:], runningHead+slot*runningWord)
}

// end removes the file: nothing is under way.
func (r *running) end(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = os.Remove(path + runningSuffix)
		_ = r.file.Close()
		r.file = nil
	}
}
