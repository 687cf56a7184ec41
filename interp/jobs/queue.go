package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
)

// queue is the list of this user's jobs as all shells of the machine share it, in a file: the
// batch system is asked once for all of them, beside what they do. Times are on the machine's clock since boot.
type queue struct {
	in     folder
	name   string // of the file; its lock stands beside it
	system batch.System
	clock  backoff.Clock

	errands *errands
	asking  atomic.Bool // by this shell
	silent  silence

	mu     sync.Mutex
	seen   os.FileInfo // of the file that is held here; each answer is a file of its own
	held   snapshot
	failed time.Duration // when the last question of this shell was not answered

	answered func() // told of each answer; nil: nobody is
}

// snapshot is one answer.
type snapshot struct {
	Asked   time.Duration `json:"asked"` // what was submitted before is in it
	Took    time.Duration `json:"took"`
	Boot    string        `json:"boot"`
	Entries []batch.Entry `json:"entries"`

	byName map[string][]batch.Entry
}

// latest returns the newest answer. If that is older than age the batch system is asked beside, unless somebody is just
// doing that.
func (q *queue) latest(age time.Duration) *snapshot {
	s := q.look()
	if q.isDue(s, age) {
		q.silent.owes(q.clock.Now())
		q.errands.begin(&q.asking, q.clock, func(ctx context.Context) { q.ask(ctx, age) })
	}
	return s
}

// isDue reports whether an answer is too old, and the last question not just failed.
func (q *queue) isDue(s *snapshot, age time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	now, due := q.clock.Now(), max(age, 5*s.Took)
	tooOld := s.Asked == 0 || now-s.Asked >= due
	return tooOld && (q.failed == 0 || now-q.failed >= min(due, 5*time.Second))
}

// ask asks the batch system, if no other shell is doing that or has just done it.
func (q *queue) ask(ctx context.Context, age time.Duration) {
	lock, err := os.OpenFile(q.in.join(q.name+".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return
	}
	defer lock.Close()
	if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !q.isDue(q.look(), age) {
		return
	}
	asked := q.clock.Now()
	entries, err := q.system.List(ctx)
	if err != nil { // it says nothing of the jobs
		q.fail(err)
		return
	}
	s := snapshot{Asked: asked, Took: q.clock.Now() - asked, Boot: bootID(), Entries: entries}
	if text, err := json.Marshal(s); err == nil {
		_ = q.in.replace(q.name, q.name+"."+randomWord(), text)
	}
	q.mu.Lock()
	q.hold(s)
	q.mu.Unlock()
	if q.answered != nil {
		q.answered()
	}
}

// fail notes that a question was not answered.
func (q *queue) fail(why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed = q.clock.Now()
	said := why.Error()
	if unanswered, is := errors.AsType[*batch.Unanswered](why); is {
		said = unanswered.Said
	}
	q.silent.failed(said)
}

// hasFailedSince reports whether a question was not answered since a moment.
func (q *queue) hasFailedSince(at time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failed > at
}

// hold keeps an answer. With the lock held.
func (q *queue) hold(s snapshot) {
	q.held, q.failed = s.indexed(), 0
	q.silent.ended()
}

// look reads the file, if it has changed.
func (q *queue) look() *snapshot {
	q.mu.Lock()
	defer q.mu.Unlock()
	info, err := os.Stat(q.in.join(q.name))
	if err == nil && (q.seen == nil || !os.SameFile(info, q.seen) || !info.ModTime().Equal(q.seen.ModTime())) {
		var s snapshot
		if q.in.readJSON(q.name, &s) == nil && s.Boot == bootID() && s.Asked <= q.clock.Now() && s.Asked > q.held.Asked {
			q.hold(s)
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
