package jobs

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ftsh/backoff"
	"ftsh/interp/brief"
)

// The programs of a batch system may hang. So no job waits for one of them: a request is made beside, and who needs
// its answer looks for it as it looks for the status of a job. There are three kinds: errands, submissions
// ([Cluster.request]), and what ends jobs ([Cluster.end]).

// errands are requests that are made for all jobs of a cluster: for the list of the queue, say. They end with the last
// of the jobs.
type errands struct {
	mu      sync.Mutex
	current *shift // nil: no job is under way
}

// shift is a time without a break in which jobs are under way.
type shift struct {
	jobs  int
	ctx   context.Context
	stop  context.CancelFunc
	under sync.WaitGroup
}

// use lets errands be made until done is called. The last done cuts off those that are under way, and waits for them.
func (e *errands) use() (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == nil {
		e.current = &shift{}
		e.current.ctx, e.current.stop = context.WithCancel(context.Background())
	}
	s := e.current
	s.jobs++
	return func() {
		e.mu.Lock()
		s.jobs--
		last := s.jobs == 0
		if last {
			e.current = nil
		}
		e.mu.Unlock()
		if last {
			s.stop()
			s.under.Wait()
		}
	}
}

// begin begins an errand, unless it is busy with that already.
func (e *errands) begin(busy *atomic.Bool, clock backoff.Clock, do func(ctx context.Context)) {
	if !busy.CompareAndSwap(false, true) {
		return
	}
	begun := e.start(func(ctx context.Context) {
		defer busy.Store(false)
		ctx, done := backoff.WithDeadline(ctx, clock, clock.Now()+requestLimit, errSlow)
		defer done()
		do(ctx)
	})
	if !begun {
		busy.Store(false)
	}
}

// start begins an errand; false: the last job has just ended.
func (e *errands) start(do func(ctx context.Context)) (begun bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.current
	if s != nil {
		s.under.Go(func() { do(s.ctx) })
	}
	return s != nil
}

// silence records since when a batch system owes an answer, and what it has said instead. Safe for concurrent use.
type silence struct {
	mu    sync.Mutex
	since time.Duration // 0: it owes none
	why   string        // "": it has said nothing
}

// owes notes that an answer is wanted from now on.
func (s *silence) owes(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == 0 {
		s.since = now
	}
}

// failed notes what was said that is no answer, if that is not nothing.
func (s *silence) failed(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why != "" {
		s.why = why
	}
}

// ended notes an answer.
func (s *silence) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since, s.why = 0, ""
}

// text returns what was said, and for how long there is no answer; "": nothing was said, and it has not been owed for
// long yet.
func (s *silence) text(now, long time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	why, d := s.why, now-s.since
	switch {
	case s.since == 0 || why == "" && d < long:
		return ""
	case why == "":
		why = "the batch system has said nothing"
	case d < time.Second:
		return why
	default:
		why += ","
	}
	if d < 100*time.Second {
		d = d.Truncate(time.Second)
	} else {
		d = d.Truncate(time.Minute)
	}
	return why + " for " + brief.Time(d)
}

// When a silence is worth a word: while a job waits, and where a limit has passed meanwhile.
const (
	longSilence  = 5 * time.Second
	shortSilence = time.Second
)
