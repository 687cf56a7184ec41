package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Runner runs jobs.
type Runner interface {
	// Run runs a job to its end; see [Cluster.Run].
	Run(ctx context.Context, j *Job) (Result, error)
	// Make makes the folder of a job that outlives the shell; see [Cluster.Make].
	Make(j *Job) error
}

// An Engine runs jobs, and can have some of them run others.
type Engine interface {
	Runner
	// Pilots makes jobs that run programs one after another; see [Cluster.Pilots].
	Pilots(n int, like *Job) (programs Runner, end func())
}

// A Site runs the programs of an `on`.
type Site struct {
	Engine  string // as the script calls it
	Options []string

	outer  *Site
	runner Runner        // nil: here
	slots  chan struct{} // of .limit. N; nil: any number
	pilots bool          // they run programs one after another
	end    func()        // ends them; nil: these are another's
}

// ErrNoEngine tells that there is nobody to submit jobs.
var ErrNoEngine = errors.New("cannot be used here: there is nobody to submit jobs")

// Inner makes the site of an `on` within another, or within none. limit is how many of its jobs may be under way; 0:
// any number.
func (s *Site) Inner(engine string, options []string, limit int) *Site {
	p := &Site{Engine: engine, Options: options, outer: s}
	if limit > 0 {
		p.slots = make(chan struct{}, limit)
	}
	return p
}

// Open finds the engine of the site. Options of the next site around it with that engine are its own, too; if it has
// none besides, it shares the pilots of the site around it.
func (s *Site) Open(engines func(name string) (Engine, error)) (Engine, error) {
	own := len(s.Options) > 0
	for outer := s.outer; outer != nil; outer = outer.outer {
		if outer.Engine == s.Engine {
			s.Options = slices.Concat(outer.Options, s.Options)
			break
		}
	}
	engine, err := engines(s.Engine)
	if err != nil {
		return nil, err
	}
	s.runner = engine
	if outer := s.outer; !own && outer != nil && outer.Engine == s.Engine && outer.pilots {
		s.runner, s.pilots = outer.runner, true
	}
	return engine, nil
}

// Engage has pilots run the programs of the site.
func (s *Site) Engage(engine Engine, n int, like *Job) {
	like.Options, like.Umask = s.Options, umask()
	s.runner, s.end = engine.Pilots(n, like)
	s.pilots = true
}

// Close ends the pilots of the site.
func (s *Site) Close() {
	if s.end != nil {
		s.end()
	}
}

// IsHere reports whether programs run here.
func (s *Site) IsHere() bool { return s == nil || s.runner == nil }

// Occupy takes the slots of jobs that go on from an earlier run of the script.
func (s *Site) Occupy(jobs int) {
	for range min(cap(s.slots), jobs) {
		s.slots <- struct{}{}
	}
}

// Run runs a job of the site to its end; see [Cluster.Run]. It waits until another job may be under way, by all limits
// around. One that goes on from an earlier run has its slots.
func (s *Site) Run(ctx context.Context, j *Job) (result Result, err error) {
	if j.Resumed {
		defer s.leave()
	} else {
		leave, err := s.enter(ctx, j)
		if err != nil {
			return Result{}, err
		}
		defer leave()
		j.Options, j.Umask = s.Options, umask()
	}
	if j.Begin != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		if err := s.runner.Make(j); err != nil {
			return shortOf("cannot make the folder of a job: ", err), nil
		}
		if err := j.Begin(); err != nil {
			return Result{}, err
		}
	}
	return s.runner.Run(ctx, j)
}

// enter waits until another job may be under way.
func (s *Site) enter(ctx context.Context, j *Job) (leave func(), err error) {
	var taken []chan struct{}
	leave = func() {
		for _, slots := range taken {
			<-slots
		}
	}
	for ; s != nil; s = s.outer {
		if s.slots == nil {
			continue
		}
		select {
		case s.slots <- struct{}{}:
			taken = append(taken, s.slots)
			continue
		default:
			j.tell(Progress{Limit: cap(s.slots), Reason: fmt.Sprintf(".limit. %d", cap(s.slots))})
		}
		select {
		case s.slots <- struct{}{}:
			taken = append(taken, s.slots)
		case <-ctx.Done():
			leave()
			return nil, context.Cause(ctx)
		}
	}
	return leave, nil
}

// leave frees the slots that a job goes on with from an earlier run.
func (s *Site) leave() {
	for ; s != nil; s = s.outer {
		select {
		case <-s.slots:
		default:
		}
	}
}

// umask is this process's, read without changing it.
func umask() int {
	const usual = 0o022
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "\nUmask:")
	line, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseInt(strings.TrimSpace(line), 8, 32)
	if err != nil {
		return usual
	}
	return int(mask)
}
