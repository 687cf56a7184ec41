package jobs

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/brief"
	"ftsh/interp/jobs/batch"
)

// queue is the list of this user's jobs as all shells of the machine share it, in a file: the
// batch system is asked once for all of them. Times are on the machine's clock since boot.
type queue struct {
	in     folder
	name   string // of the file; its lock stands beside it
	system batch.System
	clock  backoff.Clock

	asking sync.Mutex // by this shell
	mu     sync.Mutex
	seen   os.FileInfo // of the file that is held here; each answer is a file of its own
	held   snapshot
	failed time.Duration // when the last question of this shell was not answered
	silent time.Duration // when the first of those was asked that were not answered in a row; 0: the last was
	why    string        // why the last was not answered

	answered func(ctx context.Context) // told of each answer; nil: nobody is
}

// silence says why the batch system does not answer, and for how long it has not; "": it does.
func (q *queue) silence() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.silent == 0 {
		return ""
	}
	return silentFor(q.why, q.clock.Now()-q.silent)
}

// silentFor is why somebody does not answer, and for how long.
func silentFor(why string, d time.Duration) string {
	switch {
	case d < time.Second:
		return why
	case d < 100*time.Second:
		d = d.Truncate(time.Second)
	default:
		d = d.Truncate(time.Minute)
	}
	return why + ", for " + brief.Time(d)
}

// snapshot is one answer.
type snapshot struct {
	Asked   time.Duration `json:"asked"` // what was submitted before is in it
	Took    time.Duration `json:"took"`
	Boot    string        `json:"boot"`
	Entries []batch.Entry `json:"entries"`

	byName map[string][]batch.Entry
}

// latest is the newest answer, asked for now if that is due and nobody else is just doing it. An
// answer is due when the last is older than age.
func (q *queue) latest(ctx context.Context, age time.Duration) *snapshot {
	now := q.clock.Now()
	s := q.look()
	due := max(age, 5*s.Took)
	if s.Asked != 0 && now-s.Asked < due || !q.asking.TryLock() {
		return s
	}
	defer q.asking.Unlock()
	if q.failed != 0 && now-q.failed < min(due, 5*time.Second) {
		return s
	}
	lock, err := os.OpenFile(q.in.join(q.name+".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return s
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return s
	}
	if s = q.look(); s.Asked != 0 && q.clock.Now()-s.Asked < due {
		return s // another shell was faster
	}
	return q.ask(ctx, s)
}

// ask asks the batch system.
func (q *queue) ask(ctx context.Context, before *snapshot) *snapshot {
	request, done := backoff.WithDeadline(ctx, q.clock, q.clock.Now()+requestLimit, errSlow)
	defer done()
	asked := q.clock.Now()
	entries, err := q.system.List(request)
	if err != nil { // it says nothing of the jobs
		q.mu.Lock()
		defer q.mu.Unlock()
		if ctx.Err() != nil {
			if q.clock.Now()-asked < time.Second {
				return before // it did not get the time
			}
			err = errSlow
		}
		if q.failed, q.why = q.clock.Now(), err.Error(); q.silent == 0 {
			q.silent = asked
		}
		return before
	}
	s := snapshot{Asked: asked, Took: q.clock.Now() - asked, Boot: bootID(), Entries: entries}
	if text, err := json.Marshal(s); err == nil {
		_ = q.in.replace(q.name, q.name+"."+randomWord(), text)
	}
	q.mu.Lock()
	q.held, q.failed, q.silent = s.indexed(), 0, 0
	held := q.held
	q.mu.Unlock()
	if q.answered != nil {
		q.answered(ctx)
	}
	return &held
}

// look reads the file, if it has changed.
func (q *queue) look() *snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	info, err := os.Stat(q.in.join(q.name))
	if err == nil && (q.seen == nil || !os.SameFile(info, q.seen) || !info.ModTime().Equal(q.seen.ModTime())) {
		var s snapshot
		if q.in.readJSON(q.name, &s) == nil && s.Boot == bootID() && s.Asked <= q.clock.Now() && s.Asked > q.held.Asked {
			q.held = s.indexed()
		}
		q.seen = info
	}
	held := q.held
	return &held
}

func (s snapshot) indexed() snapshot {
	s.byName = make(map[string][]batch.Entry, len(s.Entries))
	for _, e := range s.Entries {
		s.byName[e.Name] = append(s.byName[e.Name], e)
	}
	return s
}

// called are the lines of what is called by these names.
func (s *snapshot) called(names []string) (entries []batch.Entry) {
	for _, name := range names {
		entries = append(entries, s.byName[name]...)
	}
	return entries
}

// bootID names this boot of the machine.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(text)
}
