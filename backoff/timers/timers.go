// Package timers keeps what a clock has still to do, in the order of time.
//
// Both clocks of the shell use it: the one that follows the kernel, and the
// virtual one of tests and simulations.
package timers

import (
	"container/heap"
	"sync"
	"time"
)

// Queue holds the timers of one clock. The zero Queue is empty. Its lock guards
// it and, where the clock wishes, the clock's own state: all methods of Queue
// are called with it held.
type Queue struct {
	sync.Mutex
	timers earliestFirst
	count  uint64 // of all timers ever added
}

// Timer is a function that waits for its time.
type Timer struct {
	At  time.Duration
	Run func()

	queue  *Queue
	number uint64 // which of those at the same time comes first
	place  int    // in the heap
}

// removed is the place of a timer that is no longer in the heap.
const removed = -1

// Add puts a timer into the queue.
func (q *Queue) Add(at time.Duration, run func()) *Timer {
	t := &Timer{At: at, Run: run, queue: q, number: q.count}
	q.count++
	heap.Push(&q.timers, t)
	return t
}

// Take takes the first timer out of the queue if its time is not after until. Else due is
// nil, and next is that timer, which stays in the queue; nil if there is none.
func (q *Queue) Take(until time.Duration) (due, next *Timer) {
	if len(q.timers) == 0 {
		return nil, nil
	}
	if next = q.timers[0]; next.At > until {
		return nil, next
	}
	return heap.Pop(&q.timers).(*Timer), nil
}

// Clear drops all timers.
func (q *Queue) Clear() {
	for _, t := range q.timers {
		t.place = removed
	}
	q.timers = nil
}

// Stop takes the timer out of its queue, which must not be locked by the caller.
// It reports whether the timer was still in it.
func (t *Timer) Stop() bool {
	t.queue.Lock()
	defer t.queue.Unlock()
	if t.place == removed {
		return false
	}
	heap.Remove(&t.queue.timers, t.place)
	return true
}

// earliestFirst is a heap; of timers for the same time, the one added first is first.
type earliestFirst []*Timer

func (h earliestFirst) Len() int { return len(h) }

func (h earliestFirst) Less(i, j int) bool {
	if h[i].At != h[j].At {
		return h[i].At < h[j].At
	}
	return h[i].number < h[j].number
}

func (h earliestFirst) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *earliestFirst) Push(x any) {
	t := x.(*Timer)
	t.place = len(*h)
	*h = append(*h, t)
}

func (h *earliestFirst) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil // so that what it refers to can be freed
	*h = (*h)[:last]
	t.place = removed
	return t
}
