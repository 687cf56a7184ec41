package herd

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Runs says how often an experiment is repeated, and who follows its progress.
type Runs struct {
	Seeds int    // with how many seeds, at least 1
	First uint64 // the first of them
	// Workers says how many run at the same time at most; 0: as many as there are processors.
	Workers int
	// Progress, if not nil, is called after each run with how many of how many
	// are done; not concurrently.
	Progress func(done, all int)
}

// Each runs points × seeds simulations on all processors, and returns what
// they gave by point and seed. The order in which they run, and on how many
// processors, has no influence. When ctx is cancelled the simulations under way
// are to end at their leisure, none is begun, and what was not run is missing
// at the end of a point's list; the points that have nothing have an empty list.
func Each[R any](ctx context.Context, runs Runs, points int,
	run func(ctx context.Context, point int, seed uint64) R) [][]R {
	all := points * runs.Seeds
	results, done := make([]R, all), make([]bool, all)
	var next atomic.Int64
	var mu sync.Mutex
	finished := 0
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= all || ctx.Err() != nil {
				return
			}
			// Seeds come first, so that what there is after Ctrl-C covers all points.
			point, seed := i%points, i/points
			r := run(ctx, point, runs.First+uint64(seed))
			if ctx.Err() != nil && seed > 0 {
				return // cut short: of no use beside complete runs
			}
			mu.Lock()
			results[point*runs.Seeds+seed], done[point*runs.Seeds+seed] = r, true
			if finished++; runs.Progress != nil {
				runs.Progress(finished, all)
			}
			mu.Unlock()
		}
	}
	var workers sync.WaitGroup
	for range min(cmp.Or(runs.Workers, runtime.GOMAXPROCS(0)), all) {
		workers.Go(work)
	}
	workers.Wait()
	lists := make([][]R, points)
	for i, r := range results {
		if done[i] {
			lists[i/runs.Seeds] = append(lists[i/runs.Seeds], r)
		}
	}
	return lists
}
