package jobs

import (
	"context"
	"encoding/json"

	"ftsh/interp/journal"
	"ftsh/interp/world"
)

// Clusters opens the cluster of an engine by its name, for programs that see these variables. It waits for the batch
// system until ctx ends, and says why each time that it gets no answer. It implements [world.Elsewhere].
type Clusters func(ctx context.Context, engine string, environ []string, waits func(why string)) (*Cluster, error)

// On implements [world.Elsewhere].
func (open Clusters) On(ctx context.Context, around world.Site, line world.Line) (world.Site, error) {
	outer, _ := around.(*site)
	var c *Cluster
	if line.Engine != "here" {
		var err error
		if c, err = open(ctx, line.Engine, line.Environ, line.Waits); err != nil {
			return nil, err
		}
	}
	return outer.inner(c, line.Engine, line.Options, line.Limit, line.Awaited), nil
}

// Crowd implements [world.Elsewhere].
func (Clusters) Crowd() world.Crowd { return &Crowd{} }

// Attempts implements [world.Elsewhere].
func (Clusters) Attempts(around world.Attempts) world.Attempts {
	outer, _ := around.(*Attempts)
	return &Attempts{outer: outer}
}

// Engine implements [world.Site].
func (s *site) Engine() string { return s.engine }

// Options implements [world.Site].
func (s *site) Options() []string { return s.options }

// Run implements [world.Site].
func (s *site) Run(ctx context.Context, w *world.Job) (world.Result, error) {
	j := jobOf(w)
	if w.Begin != nil {
		j.Asked.Begin = func() error {
			w.Folder, w.Within = j.Asked.Folder, j.Asked.Within
			return w.Begin()
		}
	}
	r, err := s.run(ctx, j)
	w.Words = j.Words // one that goes on has them in its folder
	return world.Result{
		Kind: string(r.Kind), Status: r.Status, Command: r.Command, Early: r.Early, Message: r.Message,
		Explained: r.explain(s.options), Stderr: r.Stderr, Torn: r.isTorn(), Forget: r.Forget,
	}, err
}

// jobOf is what a script wants to be run, as a job.
func jobOf(w *world.Job) *Job {
	j := &Job{
		order: order{
			Script: w.Script, Words: w.Words, Shown: w.Shown, ShownOptions: w.Options, Outputs: w.Outputs, Joined: w.Joined,
			Origin: w.Origin, Dir: journal.Text(w.Dir), Site: w.Place, Outlives: w.Outlives,
		},
		Asked: *w,
	}
	j.Crowd, _ = w.Crowd.(*Crowd)
	j.Attempts, _ = w.Attempts.(*Attempts)
	if w.Tell != nil {
		j.Tell = func(p Progress) {
			w.Tell(world.Progress{Ticket: p.Ticket, State: p.State, Text: p.String(), Limit: p.Limit,
				Elapsed: p.Used.Elapsed, CPU: p.Used.CPU, Memory: p.Used.Memory})
		}
	}
	return j
}

// Save implements [world.Attempts].
func (a *Attempts) Save() json.RawMessage {
	list := a.lasting()
	if len(list) == 0 {
		return nil
	}
	text, _ := json.Marshal(list) // numbers and texts
	return text
}

// Restore implements [world.Attempts].
func (a *Attempts) Restore(saved json.RawMessage) {
	var list []FailedJob
	_ = json.Unmarshal(saved, &list) // nil: nothing was saved
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, job := range list {
		job.lasting = true
		a.failed = append(a.failed, job)
	}
}
