package jobs

import (
	"context"
	"sync/atomic"
	"time"

	"ftsh/backoff"
)

// rhythm says how often to look at what is waited for: after first, then less and less often, each time by that factor.
type rhythm struct {
	first, longest time.Duration
	factor         float64
}

// How often a shell looks for the status of a job: a look costs some microseconds on this machine and a request to the
// server of a network file system.
const (
	firstLook   = 20 * time.Millisecond
	longestLook = time.Second
	slower      = 1.25
)

// ofEnd is the rhythm in which a shell looks for the end of a job, and ofProgram for that of a pilot's program, which
// is short; ofBegin that for its begin, or its end once it is being ended.
var (
	ofEnd     = rhythm{firstLook, longestLook, slower}
	ofProgram = rhythm{firstPoll, longestLook, slower}
	ofBegin   = rhythm{firstLook, longestLook / 4, slower}
)

// await waits until a look says that there is nothing more to wait for, or ctx ends.
func (r rhythm) await(ctx context.Context, clock backoff.Clock, look func() (done bool)) error {
	return r.awaitAtRate(ctx, clock, look, func(_, pause time.Duration) time.Duration { return pause })
}

// awaitAtRate is await with another time for each pause.
func (r rhythm) awaitAtRate(ctx context.Context, clock backoff.Clock, look func() bool,
	rate func(now, pause time.Duration) time.Duration) error {
	for pause := r.first; !look(); pause = min(time.Duration(float64(pause)*r.factor), r.longest) {
		now := clock.Now()
		if err := backoff.Sleep(ctx, clock, now+rate(now, pause)); err != nil {
			return err
		}
	}
	return nil
}

// looks raises the rate of looks after a job has ended: those of its crowd tend to end at about the same time.
type looks struct {
	waiting atomic.Int64 // jobs that are looked at
	ended   atomic.Int64 // when one was last seen to have ended, on the clock; 0: none was
}

// lookShare is added for each waiting job to the time between two looks at one of them: so all looks of a shell
// are at most 1,000 in a second, as many as 1,000 jobs have of which none ends.
const lookShare = time.Millisecond

// pauseOf is when to look again at a job whose own pause is that long.
func (l *looks) pauseOf(now, pause time.Duration) time.Duration {
	ended := time.Duration(l.ended.Load())
	if ended == 0 || now-ended >= longestLook {
		return pause
	}
	return min(pause, max(firstLook, time.Duration(l.waiting.Load())*lookShare))
}

// rate is pauseOf, but for what waits longer: that is looked at together with whatever else is due in the same time of
// firstLook, so that a hundred jobs do not wake the shell a thousand times in a second.
func (l *looks) rate(now, pause time.Duration) time.Duration {
	if pause = l.pauseOf(now, pause); pause < 2*firstLook {
		return pause
	}
	return (now + pause).Truncate(firstLook) + firstLook - now
}
