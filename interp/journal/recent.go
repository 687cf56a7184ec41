package journal

import (
	"iter"
	"slices"
	"time"
)

// recent is something of which nothing is left in the tree.
type recent struct {
	at   time.Time
	text string
}

const (
	// recently is the time that such things are kept.
	recently = 60 * time.Second
	// mostRecent limits them: a script that loops fast must not make its journal long.
	mostRecent = 100
)

// rememberRecent keeps something for a while. The image must be locked, or be nobody else's yet.
func (i *Image) rememberRecent(at time.Time, text string) {
	if len(i.recent) == mostRecent {
		i.recent = slices.Delete(i.recent, 0, 1)
	}
	i.recent = append(i.recent, recent{at, text})
}

// Recent gives what happened within 60 s before the last record, and when, at most 100 of it, the last at the end.
func (i *Image) Recent() iter.Seq2[time.Time, string] {
	i.mu.RLock()
	list := i.recentList()
	i.mu.RUnlock()
	return func(yield func(time.Time, string) bool) {
		for _, r := range list {
			if !yield(r.at, r.text) {
				return
			}
		}
	}
}

func (i *Image) recentList() (list []recent) {
	for _, r := range i.recent {
		if i.last.Sub(r.at) <= recently {
			list = append(list, r)
		}
	}
	return list
}
