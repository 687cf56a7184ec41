package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// A Script is a durable one: it keeps in a journal what place it has reached and what state it has there, and a later
// run goes on from it. What runs is safe for concurrent use by all branches.
type Script struct {
	Journal *journal.Journal // must be set
	// Canonical gives statements without comments, as they are compared with those that
	// have begun. Must be set.
	Canonical func(list ...ast.Stmt) string
	// Boot tells one boot of the machine from another: while it stays the same, the
	// clock goes on where it was. Empty: it may not be the same.
	Boot string
	// Wall is the date and time; nil: time.Now.
	Wall func() time.Time
	// Shell names this shell to the next one, as JSON, which the journal keeps as [KeyShell] until the script has
	// finished; nil: it does not.
	Shell json.RawMessage
	// Begun is what the caller keeps at the root of the journal from the record on that begins the script: both are
	// there, or neither is.
	Begun []Change
	// Abandon runs the finally groups that are owed, and nothing else.
	Abandon bool
	// Image holds what a dry run reads; nil: what the Journal has.
	Image *Image

	dry bool // nothing is started, and nothing written

	ends endedUnits
	came visited

	past      *journal.Image
	clock     func() time.Duration // of the machine
	secrets   Secrets
	ctx       context.Context // of the whole script
	cancel    context.CancelCauseFunc
	zero      time.Duration // what the script's time is ahead of the clock; that counts from the beginning of 1970
	rebooted  bool          // an earlier run was in another boot of the machine: devices may have other numbers
	continued bool          // an earlier run has begun the script
	sums      sums
	inputs    inputs
}

// Suspended is the error of a durable script that has stopped and can go on later: nothing further was begun.
type Suspended struct{ Why error }

// Error tells why.
func (s *Suspended) Error() string {
	if errors.Is(s.Why, journal.ErrDisplaced) {
		return "the script is suspended: " + s.Why.Error()
	}
	return "the script is suspended, and the journal keeps its place: " + s.Why.Error()
}

// Unwrap gives the reason.
func (s *Suspended) Unwrap() error { return s.Why }

// errAbandoned is the cause with which a script that is abandoned is cut off.
var errAbandoned = errors.New("the script was abandoned")

// A moment tells the script's time and the clock's, as each record does.
type moment struct {
	Time  time.Duration `json:"time"`  // of the script, in nanoseconds since 1970
	Clock time.Duration `json:"clock"` // of the machine, since its boot
}

// encode gives the moment as JSON. Each record has one: encoding/json takes ten times as long.
func (m moment) encode() json.RawMessage {
	text := make([]byte, 0, 64)
	text = strconv.AppendInt(append(text, `{"time":`...), int64(m.Time), 10)
	text = strconv.AppendInt(append(text, `,"clock":`...), int64(m.Clock), 10)
	return append(text, '}')
}

// The keys of the root of the journal.
const (
	keyNow    = "now"
	keyArgs   = "args"
	keyPID    = "pid"
	keyBoot   = "boot" // of the machine when a shell last began or continued
	keyResult = "result"
	// KeyShell is, of the root of a journal, the shell that runs its script.
	KeyShell = "shell"
)

// Secrets must not be in the journal.
type Secrets interface {
	// Any reports whether there are any: then nothing that a program says is kept.
	Any() bool
	// Hide replaces them in a text for people.
	Hide(text string) string
	// LeaveOut returns the value of a key without what holds one.
	LeaveOut(key string, value json.RawMessage) json.RawMessage
}

// Open prepares a run. clock gives what the clock of the machine shows. The context that is returned is cut off
// when the script is suspended; close ends it.
func (s *Script) Open(
	ctx context.Context, clock func() time.Duration, secrets Secrets,
) (running context.Context, close func()) {
	s.past, s.clock, s.secrets = s.image(), clock, secrets
	s.zero = s.time(clock()) - clock()
	var boot string
	s.rebooted = s.read("", keyBoot, &boot) && boot != s.Boot
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s.ctx, func() { s.cancel(nil) }
}

// image gives what the script reads of its journal.
func (s *Script) image() *Image {
	if s.Image != nil {
		return s.Image
	}
	return s.Journal.Image()
}

// PID returns the value of $$, which stays that of the first run.
func (s *Script) PID(own int) int {
	s.read("", keyPID, &own)
	return own
}

// Begin goes to where an earlier run was, or begins: it gives the place of the whole script, and makes files those
// with which the script goes on, until close is called. The state is taken over by restore, before it is first written.
func (s *Script) Begin(
	state State, restore func(), files []int, pid int, args []string,
) (top *Place, close func(), err error) {
	top = &Place{script: s, written: -1}
	top.resume(true)
	restore()
	if s.dry {
		return top, func() {}, nil
	}
	s.inputs.open(s, files)
	kind, own := "script", []Change{Set("", keyPID, pid), Set("", keyBoot, s.Boot), {Key: KeyShell, Value: s.Shell}}
	if s.continued = top.resumed; s.continued {
		kind = "continued"
	} else {
		own = append(append(own, Set("", keyGiven, texts(args))), s.Begun...)
	}
	if err := s.sync(top.record(state, kind, own...)); err != nil {
		return top, s.inputs.close, &Suspended{err}
	}
	return top, s.inputs.close, nil
}

// Continued reports whether an earlier run has begun the script.
func (s *Script) Continued() bool { return s.continued }

// Context is that of the whole script, which is cut off when that is suspended or abandoned.
func (s *Script) Context() context.Context { return s.ctx }

// Suspend stops the script where it is, to go on later.
func (s *Script) Suspend(why error) { s.cancel(&Suspended{why}) }

// Suspending reports whether the script stops where it is, to go on later.
func (s *Script) Suspending() bool { return s != nil && !s.Abandon && s.ctx.Err() != nil }

// Rebooted reports whether an earlier run was in another boot of the machine: devices may have other numbers.
func (s *Script) Rebooted() bool { return s.rebooted }

// time is the script's time when the clock of the machine shows that. Within one boot it goes on with
// that clock; after that by date and time, and never back.
func (s *Script) time(clock time.Duration) time.Duration {
	now := s.wallNow()
	var last moment
	var boot string
	read(s.image(), "", keyBoot, &boot)
	switch {
	case !read(s.image(), "", keyNow, &last):
		return now
	case s.Boot != "" && boot == s.Boot && clock >= last.Clock:
		return last.Time + clock - last.Clock
	}
	return max(now, last.Time)
}

// wallNow is the date and time, as time since 1970.
func (s *Script) wallNow() time.Duration {
	wall := time.Now
	if s.Wall != nil {
		wall = s.Wall
	}
	return time.Duration(wall().UnixNano())
}

// ToScript is a moment on the clock in the script's time, which other runs share; never stays never.
func (s *Script) ToScript(at time.Duration) time.Duration {
	if s.zero > 0 && at > math.MaxInt64-s.zero {
		return math.MaxInt64
	}
	return at + s.zero
}

// ToClock is the reverse.
func (s *Script) ToClock(at time.Duration) time.Duration { return at - s.zero }

// Ahead returns by how much the script's time is ahead of the clock.
func (s *Script) Ahead() time.Duration { return s.zero }

// now is the change that tells the time of a record.
func (s *Script) now() Change {
	clock := s.clock()
	return Change{Key: keyNow, Value: moment{s.ToScript(clock), clock}.encode()}
}

// Past gives what an earlier run has left at a node; false: nothing.
func (s *Script) Past(path, key string, value any) bool { return s.read(path, key, value) }

// Release lets go of what Past has given, of which there is no further use.
func (s *Script) Release(path, key string) {
	if !s.dry {
		s.past.Release(path, key)
	}
}

// PastKeys lists what an earlier run has left at a node.
func (s *Script) PastKeys(path string) []string { return s.past.Keys(path) }

func (s *Script) read(path, key string, value any) bool { return read(s.past, path, key, value) }

func read(image *journal.Image, path, key string, value any) bool {
	text, found := image.Get(path, key)
	return found && json.Unmarshal(text, value) == nil
}

// write writes a record without secrets.
func (s *Script) write(r journal.Record) journal.Mark {
	if s.secrets.Any() {
		for i, c := range r.Changes {
			if c.Value != nil {
				r.Changes[i].Value = s.secrets.LeaveOut(c.Key, c.Value)
			}
		}
	}
	return s.Journal.Write(r)
}

// LeaveOut takes out of the journal what holds a value that was not known as a secret's when it was written, from the
// file, too.
func (s *Script) LeaveOut() {
	if changes := s.withSecrets("", nil); len(changes) > 0 && !s.dry {
		// it has suspended the script
		_ = s.sync(s.Journal.Write(journal.Record{Kind: "secret", Changes: changes, Anew: true}))
	}
}

// withSecrets adds what is to be changed at a node and below.
func (s *Script) withSecrets(path string, changes []Change) []Change {
	for _, key := range s.image().Keys(path) {
		value, _ := s.image().Get(path, key)
		if left := s.secrets.LeaveOut(key, value); !bytes.Equal(left, value) {
			changes = append(changes, Change{Path: path, Key: key, Value: left})
		}
	}
	for _, child := range s.image().Children(path) {
		changes = s.withSecrets(join(path, child), changes)
	}
	return changes
}

// sync waits until what was written is on disk. If that fails nothing further begins.
func (s *Script) sync(m journal.Mark) error {
	err := s.Journal.Sync(context.WithoutCancel(s.ctx), m)
	if err != nil {
		s.Suspend(err)
	}
	return err
}

// End tells how the script has ended: what was suspended has not, anything else is kept as its result, which is ending.
func (s *Script) End(top *Place, state State, file *ast.File, ending func() any, err error) error {
	if s.dry {
		return err
	}
	if cause, _ := context.Cause(s.ctx).(*Suspended); cause != nil {
		return cause
	}
	if s.Suspending() {
		return &Suspended{context.Cause(s.ctx)}
	}
	result, whole := Set("", keyResult, ending()), Set("", keyWhole, s.sumsOf(file))
	if failed := s.sync(top.record(state, "finished", result, whole, Change{Key: KeyShell})); failed != nil {
		return &Suspended{failed}
	}
	return err
}

// Image is the content of a journal.
type Image = journal.Image

// Result reads how the script of a journal has ended; false: it has not.
func Result(image *Image, ending any) bool { return read(image, "", keyResult, ending) }
