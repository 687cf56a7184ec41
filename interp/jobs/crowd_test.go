package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ftsh/backoff"
	"ftsh/interp/jobs/batch"
	"ftsh/interp/world"
	"ftsh/testdata/write"
)

// narrow is a batch system that takes arrays, of at most so many tasks, and jobs, at most so many altogether.
type narrow struct {
	batch.System
	mu        sync.Mutex
	most      int // 0: any number
	room      int
	answers   []batch.Receipt // of the first submissions
	submitted []batch.Submission
	cancelled [][]string
}

func (s *narrow) Array() batch.Array {
	return batch.Array{Most: 100, Variable: "TASK",
		Number: func(array string, task int) string { return fmt.Sprint(array, "_", task) }}
}

func (s *narrow) Submit(_ context.Context, n batch.Submission) batch.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.submitted = append(s.submitted, n)
	if len(s.submitted) <= len(s.answers) {
		return batch.Answer{Receipt: s.answers[len(s.submitted)-1]}
	}
	switch {
	case s.most > 0 && n.Tasks > s.most:
		return batch.Answer{Receipt: batch.Refused, Most: n.Tasks / 2}
	case s.room > 0 && n.Tasks > s.room:
		return batch.Answer{Receipt: batch.Full}
	}
	return batch.Answer{Number: fmt.Sprint(len(s.submitted))}
}

func (s *narrow) List(context.Context) ([]batch.Entry, error) { return nil, nil }

func (s *narrow) Cancel(_ context.Context, names []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled = append(s.cancelled, names)
	return nil
}

// tasks counts the jobs of each submission.
func (s *narrow) tasks() (tasks []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.submitted {
		tasks = append(tasks, n.Tasks)
	}
	return tasks
}

// bell is a clock whose timers a test lets go off.
type bell struct {
	hand
	rings chan func()
}

func (b *bell) AfterFunc(_ time.Duration, f func()) backoff.Timer {
	b.rings <- f
	return time.NewTimer(time.Hour)
}

// newSite is a cluster at a site, and its clock.
func newSite(t *testing.T, s *narrow) (*Cluster, *bell) {
	t.Helper()
	clock := &bell{rings: make(chan func(), 1000)}
	c, err := open(Config{System: s, Cluster: "c", Folder: filepath.Join(t.TempDir(), "jobs"), Marker: "s", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return c, clock
}

// enter has so many jobs of a crowd be submitted; what becomes of each comes out of the channel.
func enter(t *testing.T, ctx context.Context, c *Cluster, crowd *Crowd, n int, options ...string) <-chan placing {
	t.Helper()
	ended := make(chan placing, n)
	for range n {
		j := &Job{order: order{Words: texts{"true"}, Options: options}, Crowd: crowd,
			Asked: world.Job{Patience: func() time.Duration { return time.Minute }}}
		ticket, err := newTicket(c.folder, c.newName(j), j)
		if err != nil {
			t.Fatal(err)
		}
		r := &running{cluster: c, job: j, ticket: ticket}
		r.begin(1)
		go func() {
			refused, err := r.via.submit(ctx)
			ended <- placing{refused: refused, err: err, number: r.current.number}
		}()
	}
	return ended
}

// TestCrowd: jobs go in together once no other branch can have one, or a second after the first; those with other
// options by themselves.
func TestCrowd(t *testing.T) {
	s := &narrow{}
	c, clock := newSite(t, s)
	crowd := &Crowd{}
	crowd.Add(6)
	ended := enter(t, t.Context(), c, crowd, 3, "--mem=1G")
	<-clock.rings // of the group, which begins with the first
	waitFor(t, func() bool { return crowd.waiting() == 3 })
	if n := s.tasks(); len(n) != 0 {
		t.Errorf("submitted %d before the others were ready", n)
	}
	other := enter(t, t.Context(), c, crowd, 2, "--mem=2G")
	second := <-clock.rings
	waitFor(t, func() bool { return crowd.waiting() == 5 })
	second()
	numbers(t, other, "1_0", "1_1")
	crowd.Add(-1) // the last branch ends; those of the second group may have more jobs
	if n := s.tasks(); len(n) != 1 {
		t.Errorf("submitted %d, want the group whose second is over", n)
	}
	crowd.Add(-2)
	numbers(t, ended, "2_0", "2_1", "2_2")
}

// waiting counts the jobs that wait for others.
func (c *Crowd) waiting() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.groups {
		n += len(g.entrants)
	}
	return n
}

func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come to be")
		}
	}
}

// numbers wants jobs to have been submitted under these numbers.
func numbers(t *testing.T, ended <-chan placing, want ...string) {
	t.Helper()
	got := map[string]bool{}
	for range want {
		p := <-ended
		if p.refused != nil || p.err != nil {
			t.Errorf("refused %v, error %v", p.refused, p.err)
		}
		got[p.number] = true
	}
	for _, number := range want {
		if !got[number] {
			t.Errorf("nobody has number %s: %v", number, got)
		}
	}
}

// TestCrowdLimits: what the site does not take as one array goes in as smaller ones; an answer that was lost is asked
// for again under the same name; a refusal is everybody's.
func TestCrowdLimits(t *testing.T) {
	for name, c := range map[string]struct {
		site    *narrow
		tasks   []int
		refused bool
	}{
		"one array":    {site: &narrow{}, tasks: []int{10}},
		"smaller ones": {site: &narrow{most: 6}, tasks: []int{10, 5, 5}},
		"a full queue": {site: &narrow{room: 3}, tasks: []int{10, 5, 2, 3, 5, 2, 3}},
		"refused":      {site: &narrow{answers: []batch.Receipt{batch.Refused}}, tasks: []int{10}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, _ := newSite(t, c.site)
			crowd := &Crowd{}
			crowd.Add(10)
			ended := enter(t, t.Context(), cluster, crowd, 10)
			for range 10 {
				if p := <-ended; c.refused != (p.refused != nil) || p.err != nil {
					t.Errorf("refused %v, error %v", p.refused, p.err)
				}
			}
			if got := c.site.tasks(); fmt.Sprint(got) != fmt.Sprint(c.tasks) {
				t.Errorf("tasks %v, want %v", got, c.tasks)
			}
		})
	}
}

// TestCrowdCutOff: a job that is cancelled while others are awaited does not go in, and the others do.
func TestCrowdCutOff(t *testing.T) {
	s := &narrow{}
	c, _ := newSite(t, s)
	crowd := &Crowd{}
	crowd.Add(4)
	ctx, cancel := context.WithCancelCause(t.Context())
	cut := enter(t, ctx, c, crowd, 1)
	waitFor(t, func() bool { return crowd.waiting() == 1 })
	others := enter(t, t.Context(), c, crowd, 2)
	waitFor(t, func() bool { return crowd.waiting() == 3 })
	reason := errors.New("enough")
	cancel(reason)
	if p := <-cut; p.err != reason {
		t.Errorf("error %v", p.err)
	}
	crowd.Add(-2)
	numbers(t, others, "1_0", "1_1")
}

// TestArrayScript: each task of an array finds its folder, whatever its name, and what it cannot do is in its log.
func TestArrayScript(t *testing.T) {
	s := &narrow{}
	c, _ := newSite(t, s)
	own := c.folder.join("it's the program\xff")
	c.program = func() (string, error) { return own, nil }
	write.Program(t, own, "#!/bin/sh\nshift; echo \"$@\"; echo $FTSH_COMMAND\n")
	crowd := &Crowd{}
	crowd.Add(2)
	numbers(t, enter(t, t.Context(), c, crowd, 2), "1_0", "1_1")
	found, _ := filepath.Glob(c.folder.join("true-*"))
	for i := range found {
		cmd := exec.Command("/bin/sh")
		cmd.Stdin, cmd.Env = strings.NewReader(s.submitted[0].Script), []string{fmt.Sprint("TASK=", i), "FTSH_COMMAND=x"}
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %s", err, out)
		}
	}
	for _, path := range found {
		text, err := os.ReadFile(path + "/log")
		if words := strings.Fields(string(text)); err != nil || len(words) != 3 || words[0] != path || words[1] != "1" {
			t.Errorf("%v: %q", err, text)
		}
	}
}

// TestCancelsTogether: what is cancelled while a request is under way goes in with the next.
func TestCancelsTogether(t *testing.T) {
	s := &narrow{}
	c, _ := newSite(t, s)
	c.cancels.turn <- struct{}{} // a request is under way
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := c.cancel(t.Context(), []string{fmt.Sprint("job-", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, func() bool {
		c.cancels.mu.Lock()
		defer c.cancels.mu.Unlock()
		return c.cancels.next != nil && len(c.cancels.next.names) == 20
	})
	<-c.cancels.turn
	wg.Wait()
	if len(s.cancelled) != 1 {
		t.Errorf("%d requests", len(s.cancelled))
	}
}

// TestLooks: a job is looked at more often for a second after another has ended, the fewer there are the more often.
func TestLooks(t *testing.T) {
	const ended = 10 * time.Second
	for name, c := range map[string]struct {
		waiting          int
		ended, now, want time.Duration
	}{
		"none has ended":       {100, 0, ended, longestLook},
		"one has just ended":   {100, ended, ended, 100 * time.Millisecond},
		"one ended before":     {100, ended, ended + longestLook - 1, 100 * time.Millisecond},
		"one ended long ago":   {100, ended, ended + longestLook, longestLook},
		"one is left":          {1, ended, ended, firstLook},
		"more than a server":   {5000, ended, ended, longestLook},
		"others have it too":   {500, ended, ended, 500 * time.Millisecond},
		"before the first end": {1, 0, 0, longestLook},
	} {
		t.Run(name, func(t *testing.T) {
			var l looks
			l.waiting.Store(int64(c.waiting))
			l.ended.Store(int64(c.ended))
			if got := l.pauseOf(c.now, longestLook); got != c.want {
				t.Errorf("looks again after %v, want %v", got, c.want)
			}
			if got := l.pauseOf(c.now, time.Millisecond); got != time.Millisecond {
				t.Errorf("a job that just began is looked at after %v, want its own pause", got)
			}
		})
	}
}

// TestNextRequest: a batch system that does not answer is asked at most six times in the first minute, and then once a
// minute; one that is there again after half a minute is asked within 5 s.
func TestNextRequest(t *testing.T) {
	for took, want := range map[time.Duration]int{0: 6, 2 * time.Second: 5, 9 * time.Second: 5} {
		var asked []time.Duration
		for now := time.Duration(0); now < 5*time.Minute; now = nextRequest(0, now+took) {
			asked = append(asked, now)
		}
		first, later := 0, 0
		for _, at := range asked {
			if at < time.Minute {
				first++
			} else {
				later++
			}
		}
		if first > want || later > 4 {
			t.Errorf("each takes %v: asked at %v", took, asked)
		}
		late := func(at time.Duration) bool { return at >= 30*time.Second }
		if next := asked[slices.IndexFunc(asked, late)]; next > 35*time.Second {
			t.Errorf("each takes %v: after half a minute asked at %v", took, next)
		}
	}
}
