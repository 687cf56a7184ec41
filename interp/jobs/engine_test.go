package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
	"ftsh/testdata/skip"
)

// system is a batch system that only lists.
type system struct {
	batch.System
	lists   atomic.Int64
	entries []batch.Entry
	err     error
}

func (s *system) List(context.Context) ([]batch.Entry, error) {
	s.lists.Add(1)
	return s.entries, s.err
}

func (s *system) Here(func(string) string) (number, node, group string) { return "7", "n1", "" }
func (s *system) Owns(string) (owned, reserved bool)                    { return false, false }
func (s *system) Signals() bool                                         { return false }

// hand is a clock that a test moves.
type hand struct{ now atomic.Int64 }

func (h *hand) Now() time.Duration { return time.Duration(h.now.Load()) }
func (h *hand) AfterFunc(time.Duration, func()) backoff.Timer {
	return time.NewTimer(time.Hour)
}

// newJob is a ticket in a folder of its own.
func newJob(t *testing.T, requeue bool) ticket {
	t.Helper()
	in, err := makeFolder(filepath.Join(t.TempDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := newTicket(in, "job-1",
		&Job{order: order{Words: texts{"true"}, Requeue: requeue, Outputs: 1}, Asked: world.Job{Inputs: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestOneWinner: of all that claim a job at the same time, one has it, and all read the same.
func TestOneWinner(t *testing.T) {
	job := newJob(t, false)
	var wg sync.WaitGroup
	var winners atomic.Int64
	held := make([]claim, 50)
	for i := range held {
		wg.Go(func() {
			got, won, err := job.take(1, claim{Number: "1", Word: randomWord()})
			if err != nil {
				t.Error(err)
			}
			if held[i] = got; won {
				winners.Add(1)
			}
		})
	}
	wg.Wait()
	if winners.Load() != 1 {
		t.Errorf("%d winners", winners.Load())
	}
	for _, h := range held {
		if h != held[0] {
			t.Errorf("one read %v, another %v", h, held[0])
		}
	}
	if left, _ := filepath.Glob(job.join("claim.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestBegin: who may run the programs of a job, and who may not.
func TestBegin(t *testing.T) {
	for name, c := range map[string]struct {
		before  func(t *testing.T, job ticket)
		requeue bool
		mine    bool
		left    batch.Kind // the status that is there afterwards
	}{
		"first":               {before: func(*testing.T, ticket) {}, mine: true},
		"after the shell":     {before: claimedBy(claim{Shell: true, Word: "w"})},
		"after another":       {before: claimedBy(claim{Number: "8", Submission: "s", Word: "w"})},
		"a number used twice": {before: claimedBy(claim{Number: "7", Submission: "other", Word: "w"})},
		"started again":       {before: claimedBy(claim{Number: "7", Submission: "s", Word: "w"}), left: batch.Lost},
		"requeued":            {before: claimedBy(claim{Number: "7", Submission: "s", Word: "w"}), requeue: true, mine: true},
		"after its end":       {before: endedWith("exit"), left: "exit"},
		"without a folder":    {before: func(t *testing.T, job ticket) { _ = job.remove() }},
	} {
		t.Run(name, func(t *testing.T) {
			job := newJob(t, c.requeue)
			c.before(t, job)
			a, err := Begin([]string{string(job.folder), "1", "s"}, &system{})
			if c.mine != (err == nil) || err != nil && !errors.Is(err, ErrNotMine) {
				t.Errorf("error %v", err)
			}
			if s, _, _ := job.ended(1); s.Kind != c.left {
				t.Errorf("status %q, want %q", s.Kind, c.left)
			}
			if !c.mine {
				return
			}
			if err := a.end(Ending{Kind: "exit", Status: 3}); err != nil {
				t.Fatal(err)
			}
			if s, there, missing := job.ended(1); !there || missing != "" || s.Status != 3 || s.Number != "7" {
				t.Errorf("status %v, there %v, missing %q", s, there, missing)
			}
		})
	}
}

func claimedBy(who claim) func(*testing.T, ticket) {
	return func(t *testing.T, job ticket) {
		if _, won, err := job.take(1, who); !won || err != nil {
			t.Fatal(won, err)
		}
	}
}

func endedWith(kind batch.Kind) func(*testing.T, ticket) {
	return func(t *testing.T, job ticket) {
		if err := job.write(statusName(1), asJSON(status{Ending: Ending{Kind: kind}})); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEndedNeedsOutput: a status counts when as much output is to be seen as it says; one of an
// earlier submission does not count for a later.
func TestEndedNeedsOutput(t *testing.T) {
	job := newJob(t, false)
	if err := job.write(statusName(1), asJSON(status{Sizes: map[string]int64{"stdout": 3, "stderr": 0}})); err != nil {
		t.Fatal(err)
	}
	if _, there, missing := job.ended(1); !there || missing != "stdout" {
		t.Errorf("there %v, missing %q", there, missing)
	}
	if err := job.write("stdout", []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if _, there, missing := job.ended(1); !there || missing != "" {
		t.Errorf("there %v, missing %q", there, missing)
	}
	if _, there, _ := job.ended(2); there {
		t.Error("the second submission has the status of the first")
	}
}

// TestTrusted: nothing of others, and nothing that is open to them, is taken: neither the folder nor what is in it.
func TestTrusted(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"open to others": func(path string) error { return os.Chmod(path, 0o744) },
		"a link": func(path string) error {
			return errors.Join(os.Rename(path, path+".other"), os.Symlink(path+".other", path))
		},
		"another's": func(path string) error { return os.Chown(path, os.Geteuid()+1, -1) },
	} {
		for _, file := range []string{"", "job"} {
			t.Run(name+" "+file, func(t *testing.T) {
				job := newJob(t, false)
				if err := spoil(job.join(file)); errors.Is(err, os.ErrPermission) {
					skip.Test(t, "files cannot be given to others here: %v", err)
				} else if err != nil {
					t.Fatal(err)
				}
				if _, _, err := openTicket(string(job.folder)); err == nil {
					t.Error("it was taken")
				}
			})
		}
	}
}

// bubble is the clock of a synctest bubble, in which nothing takes long.
type bubble struct{ began time.Time }

func (b bubble) Now() time.Duration { return time.Since(b.began) }
func (b bubble) AfterFunc(at time.Duration, f func()) backoff.Timer {
	return time.AfterFunc(at-b.Now(), f)
}

// deadly is a batch system whose node ends all jobs before they can begin, or never starts those that it shows as
// running.
type deadly struct {
	system
	clock     backoff.Clock
	verdict   batch.Entry // how the queue has all jobs
	mu        sync.Mutex
	submitted []time.Duration
	cancelled int
}

var notStarted = batch.Entry{Kind: batch.Lost, Message: "it could not be started"}

func (d *deadly) Submit(_ context.Context, s batch.Submission) batch.Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.submitted = append(d.submitted, d.clock.Now())
	e := d.verdict
	e.Number, e.Name = "7", s.Name
	d.entries = append(d.entries, e)
	return batch.Answer{Number: "7"}
}

func (d *deadly) Requeues([]string) bool { return false }

func (d *deadly) List(context.Context) ([]batch.Entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entries), nil
}

func (d *deadly) Cancel(context.Context, []string) error {
	d.cancelled++
	return nil
}

// TestDiesAtOnce: a job that ends before it can begin is submitted five times more, the first time as soon as that is
// known, then after waits that grow from half to the whole of 30 s, 1, 2 and 4 minutes.
func TestDiesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deadly{verdict: notStarted}
		d.run(t, 0, 2*defaultInterval)
	})
}

// TestManyDieAtOnce: where many jobs end before they can begin, only the first few are submitted again as soon as
// that is known.
func TestManyDieAtOnce(t *testing.T) { synctest.Test(t, manyDieAtOnce) }

func manyDieAtOnce(t *testing.T) {
	d := &deadly{verdict: notStarted, clock: bubble{time.Now()}}
	c, err := open(Config{
		System: d, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s",
		Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	const jobs, few = 50, 4
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			j := &Job{order: order{Words: texts{"true"}},
				Asked: world.Job{Patience: func() time.Duration { return time.Minute }}}
			if result, err := c.Run(t.Context(), j); result.Kind != batch.Lost {
				t.Errorf("result %v, error %v", result, err)
			}
		})
	}
	all.Wait()
	if n := len(d.submitted); n != jobs*(1+repeats) {
		t.Errorf("%d submissions, want %d", n, jobs*(1+repeats))
	}
	early := 0
	for _, at := range d.submitted[jobs:] {
		if at-d.submitted[0] < defaultInterval+defaultInterval/2 { // the queue is asked for after one
			early++
		}
	}
	if early > few {
		t.Errorf("%d jobs were submitted again at once, want %d at most", early, few)
	}
}

// TestNeverBegins: a job that is listed as running and does not begin is submitted again after 10 minutes, likewise.
func TestNeverBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &deadly{verdict: batch.Entry{Kind: batch.Running}}
		d.run(t, 10*time.Minute, 10*time.Minute+2*defaultInterval)
		if d.cancelled != 1+repeats {
			t.Errorf("%d of %d jobs were cancelled", d.cancelled, 1+repeats)
		}
	})
}

// run runs a job, which is known not to begin some time after each submission.
func (d *deadly) run(t *testing.T, least, most time.Duration) {
	d.clock = bubble{time.Now()}
	c, err := open(Config{
		System: d, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s",
		Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Run(t.Context(), &Job{order: order{Words: texts{"true"}},
		Asked: world.Job{Patience: func() time.Duration { return time.Minute }}})
	if err != nil || result.Kind != batch.Lost {
		t.Errorf("result %v, error %v", result, err)
	}
	if len(d.submitted) != 1+repeats {
		t.Fatalf("%d submissions, want %d", len(d.submitted), 1+repeats)
	}
	for n, pause := range []time.Duration{0, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		least, most := least+pause/2, most+pause+longestLook
		if gap := d.submitted[n+1] - d.submitted[n]; gap < least || gap > most {
			t.Errorf("submission %d came after %v, want between %v and %v", n+2, gap, least, most)
		}
	}
}

// TestCancelledWhileItWaits: a job that somebody cancels while it waits to be submitted again is not submitted.
func TestCancelledWhileItWaits(t *testing.T) { synctest.Test(t, cancelledWhileItWaits) }

func cancelledWhileItWaits(t *testing.T) {
	d := &deadly{clock: bubble{time.Now()}, verdict: notStarted}
	c, err := open(Config{
		System: d, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s",
		Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	submitted := 0
	cancel := func(p Progress) {
		if p.State != stateWaiting || submitted > 0 {
			return
		}
		submitted = len(d.submitted)
		if begun, err := (&Left{Path: c.folder.join(p.Ticket), State: "queued"}).abandon(); begun || err != nil {
			t.Error(begun, err)
		}
	}
	result, err := c.Run(t.Context(), &Job{
		order: order{Words: texts{"true"}}, Asked: world.Job{Patience: func() time.Duration { return time.Minute }},
		Tell: cancel})
	if err != nil || result.Kind != batch.Cancelled || submitted == 0 || len(d.submitted) != submitted {
		t.Errorf("result %v, error %v, %d submissions, %d when it was cancelled", result, err, len(d.submitted), submitted)
	}
}

// answer waits for the end of a question, if one is asked.
func (q *queue) answer(age time.Duration) *snapshot {
	done := q.errands.use()
	q.latest(age)
	for q.asking.Load() {
		time.Sleep(time.Millisecond)
	}
	done()
	return q.look()
}

// TestErrands: what is begun once nobody is left is not done, and what is under way then is cut off and waited for.
func TestErrands(t *testing.T) {
	e, clock := &errands{}, bubble{time.Now()}
	var busy, ended atomic.Bool
	done := e.use()
	other := e.use()
	began := make(chan struct{})
	e.begin(&busy, clock, func(ctx context.Context) {
		close(began)
		<-ctx.Done()
		e.begin(&ended, clock, func(context.Context) { t.Error("it was begun") })
		ended.Store(true)
	})
	<-began
	done()
	if ended.Load() {
		t.Error("it was cut off while it was wanted")
	}
	if other(); !ended.Load() || busy.Load() {
		t.Error("it was not waited for")
	}
}

// TestOneList: shells share one list of the queue, which is asked for when the last is too old, and not again at
// once when it failed.
func TestOneList(t *testing.T) {
	in, err := makeFolder(filepath.Join(t.TempDir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	clock, s := &hand{}, &system{entries: []batch.Entry{{Number: "1", Name: "a"}}}
	clock.now.Store(int64(time.Hour))
	shells := make([]*queue, 50)
	for i := range shells {
		shells[i] = &queue{in: in, name: ".queue", system: s, clock: clock, errands: &errands{}}
	}
	var wg sync.WaitGroup
	look := func() {
		for _, q := range shells {
			wg.Go(func() { q.answer(30 * time.Second) })
		}
		wg.Wait()
	}
	look()
	if n := s.lists.Load(); n != 1 {
		t.Errorf("%d lists at first, want 1", n)
	}
	clock.now.Add(int64(29 * time.Second))
	look()
	if n := s.lists.Load(); n != 1 {
		t.Errorf("%d lists after 29 s, want 1", n)
	}
	clock.now.Add(int64(2 * time.Second))
	look()
	if n := s.lists.Load(); n != 2 {
		t.Errorf("%d lists after 31 s, want 2", n)
	}
	if got := shells[49].latest(30 * time.Second); len(got.byName["a"]) != 1 {
		t.Errorf("another shell sees %v", got.Entries)
	}
}

// TestRemoved: a job that the shell has claimed never begins, also if it is started while the shell removes its folder.
func TestRemoved(t *testing.T) {
	for n := 0; n < 400; n += 10 {
		job := newJob(t, false)
		claimedBy(claim{Shell: true, Word: "w"})(t, job)
		began := make(chan error)
		go func() {
			_, err := begin(string(job.folder), 1, "s", "", &system{})
			began <- err
		}()
		time.Sleep(time.Duration(n) * time.Microsecond)
		if err := job.remove(); err != nil {
			t.Fatal(err)
		}
		if err := <-began; !errors.Is(err, ErrNotMine) {
			t.Fatalf("%d µs later: %v", n, err)
		}
		if job.has("") {
			t.Fatalf("%d µs later: the folder is there", n)
		}
	}
}
