package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// syncWithin is after what time a record is on disk if nobody asks for it.
	syncWithin = 100 * time.Millisecond
	// room says how many bytes are kept free for the records to come, and reserveStep how many are
	// reserved at once.
	room        = 64 << 10
	reserveStep = 256 << 10
	// lineFrame is more than a line has around its body.
	lineFrame = 128
)

// A timer syncs what was written after a while.
type timer struct{ stop func() bool }

// Write appends a record, and changes the tree. It keeps nothing of what it is given, and does not
// wait for the disk: an error, of a value that is not JSON, too, shows in Sync and Err.
func (j *Journal) Write(r Record) Mark {
	mark, drain := j.addPending(r)
	roomy := drain && j.writeNow()
	if r.Casual && !roomy {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.err == nil && !j.closed {
			j.armTimer()
		}
	}
	return mark
}

// writeNow writes what is pending, unless another goroutine holds the file and will sync it.
// It reports whether all is in the file, and there is room for the ends of what has begun.
func (j *Journal) writeNow() bool {
	select {
	case j.busy <- struct{}{}:
	default:
		return false
	}
	defer func() { <-j.busy }()
	j.writePending()
	return j.size+room <= j.reserved
}

// addPending puts a record behind those that are pending, and says whether it can be written at once.
func (j *Journal) addPending(r Record) (mark Mark, drain bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.mark++
	now := j.config.Now()
	j.image.mu.Lock()
	p, err := j.encodeRecord(r, now)
	if now.After(j.image.last) {
		j.image.last = now
	}
	j.image.mu.Unlock()
	if err == nil && j.closed {
		err = errors.New("it is closed")
	}
	if err != nil {
		j.failLocked("written", err)
	}
	if j.err != nil {
		return j.mark, false
	}
	j.anew = j.anew || r.Anew
	if j.pending = append(j.pending, p); !r.Casual {
		j.armTimer()
	}
	return j.mark, len(p.values) == 0
}

// Sync waits until that record, and with it all before, is on disk. Those that come together share one
// sync. The error is that of Err, or the cause with which ctx was cancelled.
func (j *Journal) Sync(ctx context.Context, mark Mark) error {
	if j.IsSynced(mark) {
		return nil
	}
	select {
	case j.busy <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-j.busy }()
	if j.IsSynced(mark) { // another's sync was for this, too
		return nil
	}
	j.writePending()
	j.syncWritten()
	if j.IsSynced(mark) {
		return nil
	}
	return j.Err()
}

// IsSynced reports whether that record, and with it all before, is on disk.
func (j *Journal) IsSynced(mark Mark) bool { return Mark(j.synced.Load()) >= mark }

// takePending takes all records that are pending.
func (j *Journal) takePending() []pending {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.takeLocked()
}

func (j *Journal) takeLocked() []pending {
	batch := j.pending
	j.pending = nil
	j.image.mu.Lock()
	defer j.image.mu.Unlock()
	j.garbage = append(j.garbage, j.image.dropped...)
	j.image.dropped = nil
	return batch
}

// requeue undoes takePending.
func (j *Journal) requeue(batch []pending) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(batch, j.pending...)
}

// writePending writes what is pending. The caller has the file.
func (j *Journal) writePending() {
	if j.Err() != nil {
		return
	}
	batch := j.takePending()
	length := 0
	for _, p := range batch {
		length += len(p.body) + lineFrame
	}
	batch, full := j.recordsThatFit(batch, int64(length))
	if full != nil {
		defer j.noteFailure("written", full)
	}
	if len(batch) == 0 {
		return
	}
	if err := j.storeValues(batch); err != nil {
		j.noteFailure("written", err)
		return
	}
	if err := j.displaced(); err != nil {
		j.noteFailure("written", err)
		return
	}
	next := j.position
	text := make([]byte, 0, length)
	for _, p := range batch {
		text = next.appendLine(text, j.syncedLines, p.body)
	}
	if _, err := j.file.WriteAt(text, j.size); err != nil {
		j.noteFailure("written", err)
		return
	}
	j.position, j.written = next, batch[len(batch)-1].mark
}

// recordsThatFit returns the records before the first that begins something, if there is no room for those to come:
// what does not begin must not be said to have begun. The error says that there is none.
func (j *Journal) recordsThatFit(batch []pending, length int64) ([]pending, error) {
	first := slices.IndexFunc(batch, func(p pending) bool { return p.begins })
	if first < 0 {
		return batch, nil
	}
	if err := j.reserveRoom(length); err != nil {
		return batch[:first], noRoom(err)
	}
	return batch, nil
}

func noRoom(err error) error { return fmt.Errorf("no room for what is to come: %w", err) }

// syncWritten syncs what has been written. The caller has the file.
func (j *Journal) syncWritten() {
	if j.Err() != nil {
		return
	}
	if j.hasGrown() {
		err := j.rewriteFile()
		if err == nil {
			j.markSynced()
			return
		}
		if !errors.Is(err, errFull) {
			j.noteFailure("rewritten", err)
			return
		}
		j.base = j.size // when it has doubled again there may be room
		if j.writePending(); j.Err() != nil {
			return
		}
	}
	if err := j.reserveRoom(0); err != nil {
		j.noteFailure("written", noRoom(err))
		return
	}
	if err := j.file.Sync(); err != nil {
		j.noteFailure("synced", err)
		return
	}
	j.markSynced()
}

// markSynced records that all that was written is on disk.
func (j *Journal) markSynced() {
	j.syncedLines = j.lines
	j.config.Synced(j.syncedLines)
	j.synced.Store(uint64(j.written))
	j.discardValues()
}

// reserveRoom makes sure that there is room for so many bytes and, after them, for the ends of what begins.
func (j *Journal) reserveRoom(length int64) error {
	if j.size+length+room <= j.reserved {
		return nil
	}
	err := j.reserveAt(j.file, j.size, length+reserveStep)
	if err == nil {
		j.reserved = j.size + length + reserveStep
	}
	return err
}

// reserveAt reserves room in a file, if the file system can do that.
func (j *Journal) reserveAt(file File, at, length int64) error {
	if j.unreserving {
		return nil
	}
	err := file.Reserve(at, length)
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		j.unreserving = true
		j.config.Warn(fmt.Sprintf("the file system of the journal %s cannot reserve room: if the disk is full "+
			"when a command ends, its end cannot be recorded", j.path))
		return nil
	}
	return err
}

// armTimer starts the timer that syncs what was written. A Sync leaves the timer armed, and it then finds nothing to
// do: to arm one wakes a thread, which a script of short commands would pay with each. j.mu is held.
func (j *Journal) armTimer() {
	if j.timer != nil {
		return
	}
	t := &timer{}
	j.timer = t
	j.timers.Add(1)
	t.stop = j.config.AfterFunc(syncWithin, func() {
		defer j.timers.Done()
		j.mu.Lock()
		mark := j.mark
		if j.timer == t {
			j.timer = nil
		}
		j.mu.Unlock()
		_ = j.Sync(context.Background(), mark)
	})
}

// disarmTimer ends the timer. j.mu is held.
func (j *Journal) disarmTimer() {
	if j.timer != nil && j.timer.stop() {
		j.timers.Done()
	}
	j.timer = nil
}

// noteFailure notes the first error; nothing is written after it.
func (j *Journal) noteFailure(what string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failLocked(what, err)
}

func (j *Journal) failLocked(what string, err error) {
	if j.err == nil {
		j.err = &WriteError{j.path, what, err}
	}
}

func failureOf(path, what string, err error) error {
	return fmt.Errorf("the journal %s cannot be %s: %w", path, what, err)
}
