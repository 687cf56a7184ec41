package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
)

// scripted is a batch system that answers and runs what a test says.
type scripted struct {
	system
	mu        sync.Mutex
	clock     bubble
	submitted []time.Duration
	asked     []time.Duration
	job       func(t ticket, n int)         // what the n-th submission does, from 1
	queue     func(at time.Duration) string // the state of the newest; "": it is missing, "?": there is no answer
	name      string
}

func (s *scripted) Submit(_ context.Context, n batch.Submission) batch.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, s.submitted = n.Name, append(s.submitted, s.clock.Now())
	path := filepath.Dir(n.Log)
	go s.job(ticketAt(path), len(s.submitted))
	return batch.Answer{Number: "7"}
}

func (s *scripted) List(context.Context) ([]batch.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, s.clock.Now())
	switch state := s.queue(s.clock.Now()); state {
	case "?":
		return nil, errors.New("no answer")
	case "":
		return nil, nil
	default:
		return []batch.Entry{{Number: "7", Name: s.name, Kind: batch.Kind(state)}}, nil
	}
}

func (s *scripted) Cancel(context.Context, []string) error { return nil }
func (s *scripted) Requeues([]string) bool                 { return false }
func (s *scripted) Signals() bool                          { return false }

// taken is output that the shell was given, and when.
type taken struct {
	text string
	at   time.Duration
}

// await runs a job at a scripted system; it tells how it ended, when, and what was taken of its output.
func (s *scripted) await(t *testing.T) (result Result, after time.Duration, output []taken) {
	t.Helper()
	s.clock = bubble{time.Now().Add(-time.Hour)} // 0 would mean never
	began := s.clock.Now()
	c, err := open(Config{
		System: s, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s",
		Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	inner := s.queue
	s.queue = func(at time.Duration) string { return inner(at - began) }
	result, err = c.Run(t.Context(), &Job{
		order: order{Words: texts{"true"}}, Asked: world.Job{Patience: func() time.Duration { return time.Minute },
			Output: func(_ context.Context, _ int, text []byte) error {
				output = append(output, taken{string(text), s.clock.Now() - began})
				return nil
			}}})
	if err != nil {
		t.Error(err)
	}
	for _, list := range [][]time.Duration{s.submitted, s.asked} {
		for i := range list {
			list[i] -= began
		}
	}
	return result, s.clock.Now() - began, output
}

// put writes a file of a job.
func put(t *testing.T, job ticket, name, text string) {
	file, err := os.OpenFile(job.join(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = file.WriteString(text)
		_ = file.Close()
	}
	if err != nil {
		t.Error(err)
	}
}

// TestOutputIsNotLate: what a job writes is handed on after 2 s at most, also when it has been silent for long.
func TestOutputIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := []time.Duration{0, 100 * time.Millisecond, 3 * time.Second, time.Minute, time.Hour}
		s := &scripted{queue: func(time.Duration) string { return "running" }}
		s.job = func(job ticket, _ int) {
			began := time.Now()
			if _, won, err := job.take(1, claim{Number: "7", Word: "w"}); !won || err != nil {
				t.Error(won, err)
			}
			for _, at := range times {
				time.Sleep(at - time.Since(began))
				put(t, job, stdoutName, "x")
			}
			time.Sleep(time.Minute)
			put(t, job, statusName(1), string(asJSON(status{Sizes: map[string]int64{stdoutName: int64(len(times))}})))
		}
		result, _, output := s.await(t)
		if result.Kind != batch.Succeeded || len(output) != len(times) {
			t.Fatalf("%v, taken %v", result, output)
		}
		for i, o := range output {
			if late := o.at - times[i]; late < 0 || late > 2*time.Second {
				t.Errorf("what was written after %v was taken %v later", times[i], late)
			}
		}
	})
}

// TestOutputSeenLate: a status counts when as much output is to be seen as it says; after 60 s the job is lost.
func TestOutputSeenLate(t *testing.T) {
	for name, c := range map[string]struct {
		seen time.Duration
		kind batch.Kind
	}{"in time": {50 * time.Second, batch.Succeeded}, "too late": {80 * time.Second, batch.Lost}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				late := make(chan struct{})
				s := &scripted{queue: func(time.Duration) string { return "running" }}
				s.job = func(job ticket, _ int) {
					defer close(late)
					put(t, job, stdoutName, "a")
					put(t, job, statusName(1), string(asJSON(status{Sizes: map[string]int64{stdoutName: 3}})))
					time.Sleep(c.seen)
					put(t, job, stdoutName, "bc")
				}
				result, after, output := s.await(t)
				<-late
				const look = longestLook + time.Millisecond
				if end := min(c.seen, 2*defaultInterval); result.Kind != c.kind || after < end || after > end+2*look {
					t.Errorf("%v after %v", result, after)
				}
				var text string
				for _, o := range output {
					text += o.text
				}
				if c.kind == batch.Succeeded && text != "abc" {
					t.Errorf("taken %q", text)
				}
			})
		})
	}
}

const long = 10 * time.Minute

func beginVanished(t *testing.T, job ticket) {
	claimedBy(claim{Number: "7", Submission: "s", Word: "w"})(t, job)
}

func endVanished(t *testing.T, job ticket, n int) {
	put(t, job, statusName(n), string(asJSON(status{})))
}

var vanishedCases = map[string]struct {
	queue       func(t *testing.T, at time.Duration) string
	job         func(t *testing.T, job ticket, n int)
	kind        batch.Kind
	submissions int
	least, most time.Duration // until it has ended
}{
	"no answer for long": {
		func(*testing.T, time.Duration) string { return "?" },
		func(t *testing.T, job ticket, n int) { time.Sleep(6 * long); endVanished(t, job, n) },
		batch.Succeeded, 1, 6 * long, 6*long + time.Minute},
	"waits for long": {
		func(*testing.T, time.Duration) string { return "queued" },
		func(t *testing.T, job ticket, n int) { time.Sleep(6 * long); endVanished(t, job, n) },
		batch.Succeeded, 1, 6 * long, 6*long + time.Minute},
	"missing once": {
		func(_ *testing.T, at time.Duration) string {
			if at > long && at < long+45*time.Second {
				return ""
			}
			return "running"
		},
		func(t *testing.T, job ticket, n int) {
			beginVanished(t, job)
			time.Sleep(2 * long)
			endVanished(t, job, n)
		},
		batch.Succeeded, 1, 2 * long, 2*long + time.Minute},
	"missing after it had begun": {
		func(_ *testing.T, at time.Duration) string {
			if at > long {
				return ""
			}
			return "running"
		},
		func(t *testing.T, job ticket, _ int) { beginVanished(t, job) },
		batch.Lost, 1, long + time.Minute, long + 4*time.Minute},
	"missing before it had begun": {
		func(_ *testing.T, at time.Duration) string {
			if at > long && at < long+2*time.Minute {
				return ""
			}
			return "queued"
		},
		func(t *testing.T, job ticket, n int) {
			if n > 1 {
				time.Sleep(long)
				endVanished(t, job, n)
			}
		},
		batch.Succeeded, 2, 2*long + time.Minute, 2*long + 4*time.Minute},
	"a status after the second answer": {
		func(*testing.T, time.Duration) string { return "" },
		func(t *testing.T, job ticket, n int) {
			beginVanished(t, job)
			time.Sleep(85 * time.Second)
			endVanished(t, job, n)
		},
		batch.Succeeded, 1, 85 * time.Second, 2 * time.Minute},
	"ends before the queue is asked": {
		func(t *testing.T, _ time.Duration) string { t.Error("the queue was asked"); return "?" },
		func(t *testing.T, job ticket, n int) { time.Sleep(25 * time.Second); endVanished(t, job, n) },
		batch.Succeeded, 1, 25 * time.Second, 30 * time.Second},
}

// TestVanished: no answer means nothing, and neither does waiting; a job that is missing from two answers 60 s apart,
// and shows no status after the second, is lost, or submitted again if it had not begun.
func TestVanished(t *testing.T) {
	for name, c := range vanishedCases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{queue: func(at time.Duration) string { return c.queue(t, at) },
					job: func(job ticket, n int) { c.job(t, job, n) }}
				result, after, _ := s.await(t)
				if result.Kind != c.kind || len(s.submitted) != c.submissions || after < c.least || after > c.most {
					t.Errorf("%v after %v, submitted %v", result, after, s.submitted)
				}
				for i := 1; i < len(s.asked); i++ {
					if gap := s.asked[i] - s.asked[i-1]; gap < defaultInterval && c.queue(t, 0) != "?" {
						t.Errorf("asked %v after %v", s.asked[i], s.asked[i-1])
					}
				}
			})
		})
	}
}

// slowSystem takes 10 s for each list.
type slowSystem struct {
	system
	clock *hand
}

func (s *slowSystem) List(context.Context) ([]batch.Entry, error) {
	s.lists.Add(1)
	s.clock.now.Add(int64(10 * time.Second))
	return nil, nil
}

// TestSlowList: a batch system that takes long for a list of the queue is asked less often: after five times as long.
func TestSlowList(t *testing.T) {
	in, err := makeFolder(filepath.Join(t.TempDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	clock := &hand{}
	clock.now.Store(int64(time.Hour))
	s := &slowSystem{clock: clock}
	q := &queue{in: in, name: ".queue", system: s, clock: clock, errands: &errands{}}
	for _, c := range []struct {
		later time.Duration
		lists int64
	}{{0, 1}, {39 * time.Second, 1}, {2 * time.Second, 2}} { // 10 s have passed while it answered
		clock.now.Add(int64(c.later))
		q.answer(30 * time.Second)
		if n := s.lists.Load(); n != c.lists {
			t.Errorf("%d lists %v later, want %d", n, c.later, c.lists)
		}
	}
}

// TestClaimReportedLost: who is told by a network file system that its claim has failed, and reads it, has it.
func TestClaimReportedLost(t *testing.T) {
	job := newJob(t, false)
	mine := claim{Number: "7", Submission: "s", Word: "w"}
	claimedBy(mine)(t, job)
	if _, won, err := job.take(1, mine); !won || err != nil { // link(2) says that the name is there
		t.Error(won, err)
	}
}
