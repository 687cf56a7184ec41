package journal

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Config says how a journal is opened. The zero value works.
type Config struct {
	FS   FS               // nil: that of the machine
	Now  func() time.Time // nil: time.Now
	Host string           // "": the name of the host
	// Machine names the machine; "": what /etc/machine-id says, or that of D-Bus.
	Machine string
	// AfterFunc calls a function after a while, on its own goroutine; stop reports whether it
	// kept it from being called. nil: time.AfterFunc.
	AfterFunc func(after time.Duration, call func()) (stop func() bool)
	// Hook is called before and after each write, sync, rename, unlink and so on, with a text like
	// "before write NAME"; nil: not.
	Hook func(point string)
	// Warn is told what somebody should know, though all is well; nil: nobody is.
	Warn func(text string)
	// Before is asked about a journal that is there before anything about it is changed: what it holds, as far as it
	// can be read, and which file the lock is that was just taken. Its error is that of Open or Restart; nil: all may.
	Before func(image *Image, lock FileID) error
	// Synced is told how many lines the file has that are on disk, before less may be there, and after more is; nil:
	// nobody is.
	Synced func(lines int)
	// OnDisk says what Synced was told last, once the lock is taken, which is given, or, for Read, before the file is
	// read: less in the file is damage. 0: that is not known. Its error is that of Open; nil: nothing is known.
	OnDisk func(lock FileID) (lines int, err error)
	// SyncAll has [Journal.SyncAll] call sync(2).
	SyncAll bool

	unchained bool  // a fault of tests: checks do not cover those before
	limit     int64 // for tests: instead of rewriteFrom
	long      int   // for tests: instead of longestValue
}

func (c Config) withDefaults() Config {
	if c.FS == nil {
		c.FS = machine{}
	}
	if c.Hook != nil {
		c.FS = hooked{c.FS, c.Hook}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.AfterFunc == nil {
		c.AfterFunc = func(after time.Duration, call func()) func() bool { return time.AfterFunc(after, call).Stop }
	}
	if c.Before == nil {
		c.Before = func(*Image, FileID) error { return nil }
	}
	if c.Synced == nil {
		c.Synced = func(int) {}
	}
	if c.OnDisk == nil {
		c.OnDisk = func(FileID) (int, error) { return 0, nil }
	}
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	if c.Host == "" {
		c.Host, _ = os.Hostname()
	}
	if c.Machine == "" {
		c.Machine = machineID()
	}
	if c.limit == 0 {
		c.limit = rewriteFrom
	}
	if c.long == 0 {
		c.long = longestValue
	}
	return c
}

// Journal is an open journal. Safe for concurrent use.
type Journal struct {
	config  Config
	path    string
	fs      FS
	image   *Image
	lock    *os.File
	lockID  FileID // zero: the file system has no file for it
	release func() // the lock
	folder  File   // that the file is in

	busy        chan struct{} // full while somebody has the file: what follows up to synced
	file        File
	fileID      FileID
	position          // the end of the file
	syncedLines int   // lines of the file that are known to be on disk
	base        int64 // bytes that it had after it was rewritten
	reserved    int64 // up to where room is reserved
	unreserving bool  // the file system cannot do that
	valued      bool  // NAME.d is there
	written     Mark  // the last in the file
	garbage     []int64

	synced atomic.Uint64 // the last Mark on disk

	mu      sync.Mutex // guards what follows, and that records go by in order
	mark    Mark       // the last given
	pending []pending
	anew    bool  // the file is to be rewritten whatever its length is
	files   int64 // the last name given in NAME.d
	err     error // sticky
	closed  bool
	timer   *timer         // nil: nothing waits for being written
	timers  sync.WaitGroup // that are running
}

// Open takes the lock of a journal, and recovers it, or makes it with its folder. The error is a
// *BusyError, a *CorruptError or a *ForeignError, or says why it cannot be made or read.
func Open(path string, config Config) (*Journal, error) {
	config = config.withDefaults()
	folder, err := openFolder(config.FS, path, true)
	if err != nil {
		return nil, err
	}
	j := &Journal{config: config, path: path, fs: config.FS, folder: folder, busy: make(chan struct{}, 1)}
	if j.lock, j.release, err = takeLock(j.fs, path); err != nil {
		_ = folder.Close()
		return nil, err
	}
	if j.lockID, err = lockID(j.lock); err == nil {
		err = j.openFile()
	}
	if err != nil {
		j.closeFiles()
		return nil, err
	}
	return j, nil
}

// openFile recovers the file, or makes it.
func (j *Journal) openFile() error {
	known, err := j.config.OnDisk(j.lockID)
	if err != nil {
		return err
	}
	file, err := openOwn(j.fs, j.path, unix.O_RDWR)
	if err == unix.ENOENT && known == 0 {
		return j.createFile()
	}
	if err != nil {
		return orGone(err, j.path, known)
	}
	j.file = file
	r, err := j.recoverFile(file, known)
	if err == nil {
		err = j.noteFile()
	}
	if err != nil {
		return err
	}
	j.image, j.position, j.base, j.syncedLines = r.image, r.position, r.base, r.lines
	j.image.readAgain = j.readReleased
	j.config.Synced(j.syncedLines)
	return j.sweepLeftovers()
}

// createFile makes the file: beside itself, so that it is never there in part.
func (j *Journal) createFile() error {
	now := j.config.Now()
	j.image = newImage()
	j.image.began, j.image.last, j.image.machine, j.image.host = now, now, j.config.Machine, j.config.Host
	if err := j.rewriteFile(); err != nil {
		return failureOf(j.path, "made", err)
	}
	j.syncedLines = j.lines
	j.config.Synced(j.syncedLines)
	j.warnOfMemory()
	return j.sweepLeftovers()
}

// recoverFile reads the file, cuts it behind the last good line, and syncs that and its name: the
// shell before may have died before it did.
func (j *Journal) recoverFile(file File, known int) (*recovered, error) {
	text, err := readAll(file)
	if err != nil {
		return nil, failureOf(j.path, "read", err)
	}
	r, err := recoverText(j.path, text, known, j.config.unchained)
	if err != nil {
		return nil, err
	}
	if err := r.checkMachine(j.config); err != nil {
		return nil, err
	}
	if err := j.config.Before(r.image, j.lockID); err != nil {
		return nil, err
	}
	if err := r.readValues(j.fs); err != nil {
		return nil, err
	}
	if r.torn > 0 {
		j.config.Warn(tornWarning(j.path, r, int64(len(text))-r.size))
		err = file.Truncate(r.size)
	}
	if from := r.claimedEnd(); err == nil && from < r.size {
		_, err = file.WriteAt(text[from:r.size], from)
	}
	for _, f := range []File{file, j.folder} {
		if err == nil {
			err = f.Sync()
		}
	}
	if err != nil {
		return nil, &WriteError{j.path, "written", err}
	}
	j.warnOfMemory()
	return r, nil
}

// Image is the tree as it stands: [Journal.Write] changes it.
func (j *Journal) Image() *Image { return j.image }

// Lock is the descriptor that holds the lock, for another process that is to hold it, too, when this
// process is gone; nil if the file system has none. It must not be closed.
func (j *Journal) Lock() *os.File { return j.lock }

// LockID tells which file the lock is; zero: the file system has none.
func (j *Journal) LockID() FileID { return j.lockID }

// Err returns what has gone wrong with a write or a sync: nothing further may begin then. It stays.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// SyncAll calls sync(2) if Config.SyncAll wants that: what programs have written is on disk
// before a record that they have ended is.
func (j *Journal) SyncAll() {
	if j.config.SyncAll {
		j.fs.SyncAll()
	}
}

// Close syncs what was written, and frees the lock for all that hold it. The error is that of Err.
func (j *Journal) Close() error {
	j.mu.Lock()
	mark, again := j.mark, j.closed
	j.closed = true
	j.disarmTimer()
	j.mu.Unlock()
	if again {
		return j.Err()
	}
	j.timers.Wait()
	_ = j.Sync(context.Background(), mark)
	err := j.Err()
	if err == nil && j.reserved > j.size {
		_ = j.file.Truncate(j.size) // gives back what was reserved
	}
	j.closeFiles()
	return err
}

// closeFiles closes the file and its folder, and frees the lock.
func (j *Journal) closeFiles() {
	if j.file != nil {
		_ = j.file.Close()
	}
	_ = j.folder.Close()
	j.release()
}
