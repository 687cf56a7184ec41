package shared

import "time"

// Window counts something over the last so long, in slices of a twentieth of
// that: what has just become too old may still be counted for one slice more.
type Window struct {
	Slice  int64 // the number of the current slice
	Counts [slices]int32
}

const slices = 20

// Add moves the window to that time and adds to the count.
func (w *Window) Add(now, length time.Duration, n int32) {
	current := int64(now / sliceOf(length))
	for w.Slice < current {
		w.Slice = max(w.Slice+1, current-slices)
		w.Counts[w.Slice%slices] = 0
	}
	w.Counts[w.Slice%slices] += n
}

// Sum is the count over the window.
func (w *Window) Sum(now, length time.Duration) (sum float64) {
	w.Add(now, length, 0)
	for _, n := range w.Counts {
		sum += float64(n)
	}
	return sum
}

// sliceOf returns the length of a slice of a window.
func sliceOf(length time.Duration) time.Duration { return max(length/slices, 1) }
