package jobs

import (
	"context"
	"fmt"
	"ftsh/interp/world"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A site runs the programs of an `on`.
type site struct {
	engine  string // as the script calls it
	options []string
	outer   *site
	cluster *Cluster      // nil: here
	slots   chan struct{} // of .limit. N; nil: any number
	pilots  *pilots       // that run its programs one after another; nil: each program is a job of its own
	engaged bool          // the pilots are its own, and not those of the site around
}

// inner makes the site of an `on` within another, or within none; without a cluster it is here. limit is how many of
// its jobs may be under way, 0 any number, and awaited how many go on from an earlier run of the script. Options of the
// next site around it with that engine are its own, too; if it has none besides, it shares the pilots of the site
// around it.
func (s *site) inner(c *Cluster, engine string, options []string, limit, awaited int) *site {
	p := &site{engine: engine, options: options, outer: s, cluster: c}
	if limit > 0 {
		p.slots = make(chan struct{}, limit)
	}
	for range min(limit, awaited) {
		p.slots <- struct{}{}
	}
	if c == nil {
		return p
	}
	if s != nil && s.engine == engine && len(options) == 0 {
		p.pilots = s.pilots
	}
	for ; s != nil; s = s.outer {
		if s.engine == engine {
			p.options = slices.Concat(s.options, options)
			break
		}
	}
	return p
}

// Engage implements [world.Site].
func (s *site) Engage(n int, w *world.Job) {
	like := jobOf(w)
	like.Options, like.Umask = s.options, umask()
	s.pilots, s.engaged = s.cluster.newPilots(n, like), true
}

// Close implements [world.Site].
func (s *site) Close() {
	if s.engaged {
		s.pilots.end()
	}
}

// IsHere implements [world.Site].
func (s *site) IsHere() bool { return s == nil || s.cluster == nil }

// run runs a job of the site to its end; see [Cluster.Run]. It waits until another job may be under way, by all limits
// around. One that goes on from an earlier run has its slots.
func (s *site) run(ctx context.Context, j *Job) (result Result, err error) {
	if j.Asked.Resumed {
		defer s.leave()
	} else {
		leave, err := s.enter(ctx, j)
		if err != nil {
			return Result{}, err
		}
		defer leave()
		j.Options, j.Umask = s.options, umask()
	}
	j.pilots = s.pilots
	if j.Asked.Begin != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		if err := s.cluster.makeAhead(j); err != nil {
			return shortOf("cannot make the folder of a job: ", err), nil
		}
		if err := j.Asked.Begin(); err != nil {
			return Result{}, err
		}
	}
	return s.cluster.Run(ctx, j)
}

// enter waits until another job may be under way.
func (s *site) enter(ctx context.Context, j *Job) (leave func(), err error) {
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
func (s *site) leave() {
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
