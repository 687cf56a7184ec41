package interp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// Durable makes a script durable: it keeps in a journal what place it has reached and
// what state it has there, and a later run goes on from it.
type Durable struct {
	Journal *journal.Journal // must be set
	// Canonical gives statements without comments, as they are compared with those that
	// have begun. Must be set.
	Canonical func(list ...ast.Stmt) string
	// Boot tells one boot of the machine from another: while it stays the same, the
	// Runner's clock goes on where it was. Empty: it may not be the same.
	Boot string
	// Wall is the date and time; nil: time.Now.
	Wall func() time.Time
	// Shell names this shell to the next one, as JSON, which the journal keeps as [KeyShell] until the script has finished;
	// nil: it does not.
	Shell json.RawMessage
	// Abandon runs the finally groups that are owed, and nothing else.
	Abandon bool

	ends   endedUnits
	around func(f *frame, unit *place, pos ast.Pos, run func() error) error // for tests: runs units; nil: run does
}

// durable is the journal of a script that runs. It is safe for concurrent use by all frames.
type durable struct {
	*Durable
	past      *journal.Image
	run       *Runner
	ctx       context.Context // of the whole script
	cancel    context.CancelCauseFunc
	zero      time.Duration // what the script's time is ahead of the clock; that counts from the beginning of 1970
	rebooted  bool          // an earlier run was in another boot of the machine: devices may have other numbers
	continued bool          // an earlier run has begun the script
	sums      sums
	inputs    inputs
	secret    secrets
}

// Suspended is how a durable script ends that can go on later: nothing further was begun.
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

// moment is where the script's time stands, as each record says.
type moment struct {
	Time  time.Duration `json:"time"`  // of the script, in nanoseconds since 1970
	Clock time.Duration `json:"clock"` // of the machine, since its boot
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

// openDurable prepares a run with a journal.
func (r *Runner) openDurable(ctx context.Context) (*durable, context.Context) {
	d := &durable{Durable: r.Config.Durable, run: r}
	d.past = d.Journal.Image()
	d.zero = d.time(r.clock.Now()) - r.clock.Now()
	var boot string
	d.rebooted = d.read("", keyBoot, &boot) && boot != d.Boot
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	var pid int
	if d.read("", keyPID, &pid) {
		r.pid = pid
	}
	return d, d.ctx
}

// time is the script's time when the clock of the machine shows that. Within one boot it goes on with
// that clock; after that by date and time, and never back.
func (d *Durable) time(clock time.Duration) time.Duration {
	now := d.wallNow()
	var last moment
	var boot string
	read(d.Journal.Image(), "", keyBoot, &boot)
	switch {
	case !read(d.Journal.Image(), "", keyNow, &last):
		return now
	case d.Boot != "" && boot == d.Boot && clock >= last.Clock:
		return last.Time + clock - last.Clock
	}
	return max(now, last.Time)
}

// wallNow is the date and time, as time since 1970.
func (d *Durable) wallNow() time.Duration {
	wall := time.Now
	if d.Wall != nil {
		wall = d.Wall
	}
	return time.Duration(wall().UnixNano())
}

// toScript is a moment on the clock in the script's time, which other runs share.
func (d *durable) toScript(at time.Duration) time.Duration { return after(at, d.zero) }

// toClock is the reverse.
func (d *durable) toClock(at time.Duration) time.Duration { return at - d.zero }

// now is the change that tells the time of a record.
func (d *durable) now() journal.Change {
	clock := d.run.clock.Now()
	return change("", keyNow, moment{d.toScript(clock), clock})
}

// read gives what the journal has of a node; false: nothing.
func (d *durable) read(path, key string, value any) bool { return read(d.past, path, key, value) }

func read(image *journal.Image, path, key string, value any) bool {
	text, found := image.Get(path, key)
	return found && json.Unmarshal(text, value) == nil
}

// change is one change to the journal. Nothing that is written there fails to be JSON.
func change(path, key string, value any) journal.Change {
	text, err := json.Marshal(value)
	if err != nil {
		panic("a record that is no JSON: " + err.Error())
	}
	return journal.Change{Path: path, Key: key, Value: text}
}

// sync waits until what was written is on disk. If that fails nothing further begins.
func (d *durable) sync(m journal.Mark) error {
	err := d.Journal.Sync(context.WithoutCancel(d.ctx), m)
	if err != nil {
		d.cancel(&Suspended{err})
	}
	return err
}

// suspending reports whether the script stops where it is, to go on later.
func (d *durable) suspending() bool { return d != nil && !d.Abandon && d.ctx.Err() != nil }

// ended is how the script has ended: what was suspended has not, anything else is kept as its result.
func (d *durable) ended(f *frame, file *ast.File, err error) error {
	if cause, _ := context.Cause(d.ctx).(*Suspended); cause != nil {
		return cause
	}
	if d.suspending() {
		return &Suspended{context.Cause(d.ctx)}
	}
	result, whole := change("", keyResult, d.saveEnding(err)), change("", keyWhole, d.sumsOf(file))
	if failed := d.sync(f.record("finished", nil, result, whole, journal.Change{Key: KeyShell})); failed != nil {
		return &Suspended{failed}
	}
	return err
}

// Finished gives what a finished journal says of how the script ended; false: it has not.
// The error is nil, a *[Failure] or an *[Exit].
func Finished(image *journal.Image) (err error, finished bool) {
	text, found := image.Get("", keyResult)
	var e savedEnding
	if !found || json.Unmarshal(text, &e) != nil {
		return nil, false
	}
	return e.error(nil), true
}
