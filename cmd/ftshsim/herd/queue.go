package herd

import (
	"time"

	"ftsh/backoff"
)

// entry is an event that waits for its time.
type entry struct {
	at     time.Duration
	number uint64 // of those pushed
	Event
	function *function // instead of an Event; nil: the Event
}

// before reports whether an event happens before another: those of the same time in the order in which they came.
func (e *entry) before(other *entry) bool {
	if e.at != other.at {
		return e.at < other.at
	}
	return e.number < other.number
}

// queue is a heap of events: the next one is first, and none is before the one that stands at half of its place.
type queue struct {
	heap   []entry
	pushed uint64
}

// push puts an event in.
func (q *queue) push(e entry) {
	q.pushed++
	e.number = q.pushed
	place := len(q.heap)
	q.heap = append(q.heap, e)
	for place > 0 {
		above := (place - 1) / 2
		if !e.before(&q.heap[above]) {
			break
		}
		q.heap[place] = q.heap[above]
		place = above
	}
	q.heap[place] = e
}

// pop takes the next event out. There must be one.
func (q *queue) pop() entry {
	next, last := q.heap[0], q.heap[len(q.heap)-1]
	q.heap = q.heap[:len(q.heap)-1]
	place := 0
	for below := 1; below < len(q.heap); below = 2*place + 1 {
		if below+1 < len(q.heap) && q.heap[below+1].before(&q.heap[below]) {
			below++
		}
		if last.before(&q.heap[below]) {
			break
		}
		q.heap[place] = q.heap[below]
		place = below
	}
	if len(q.heap) > 0 {
		q.heap[place] = last
	}
	return next
}

// peek is the time of the next event, [backoff.Never] if there is none.
func (q *queue) peek() time.Duration {
	if len(q.heap) == 0 {
		return backoff.Never
	}
	return q.heap[0].at
}
