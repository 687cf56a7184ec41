package journal

import (
	"slices"
	"time"
)

// Recent is something of which nothing is left in the tree.
type Recent struct {
	At   time.Time
	Text string
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
	i.recent = append(i.recent, Recent{at, text})
}

// Recent gives what happened within 60 s before the last record, at most 100 of it, the last at the end.
func (i *Image) Recent() []Recent {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.recentList()
}

func (i *Image) recentList() (list []Recent) {
	for _, r := range i.recent {
		if i.last.Sub(r.At) <= recently {
			list = append(list, r)
		}
	}
	return list
}
