package herd

import (
	"slices"
	"time"

	"ftsh/backoff"
)

// entry is an event that waits for its time.
type entry struct {
	at time.Duration
	Event
}

// queue holds events in the order of their times, and of their arrival where
// these are equal.
//
// It is a ladder queue. A heap of a million events touches twenty cache lines
// for each one taken out, and gets slower with every client; here an event is
// moved two or three times, sequentially, however many wait. Far events lie
// unsorted in buckets of equal width. A bucket whose turn comes is spread over
// the narrower buckets of a new rung, or, if it is small, sorted into the bottom,
// from which events are taken. Buckets keep the order of arrival, so that no
// sequence numbers need be stored.
type queue struct {
	bottom []entry // sorted; those before head were taken
	head   int
	end    time.Duration // what is due before it belongs in the bottom
	rungs  []*rung       // each covers the times before those of the one above it
	spare  []*rung       // used up
	pool   pool
	count  int
	fresh  bool // the bottom was refilled since coming was called
}

// rung is a range of times, in buckets.
type rung struct {
	start   time.Duration
	shift   uint // a bucket is 1<<shift wide
	next    int  // the first bucket that was not taken
	buckets []bucket
	end     time.Duration // of the last bucket, which takes whatever the others do not reach
}

// The numbers are measured (BenchmarkQueue): smaller bottoms mean more rungs,
// larger ones more sorting; more buckets than these do not fit the cache.
const (
	sortedAtOnce = 48   // events
	maxBottom    = 128  // events in the bottom from which on it is spread again
	perBucket    = 8    // events, about, in the bucket of a new rung
	maxBuckets   = 1024 // of a rung
)

// push puts an event in.
func (q *queue) push(e entry) {
	q.count++
	if q.count == 1 {
		q.makeReady()
	}
	if e.at < q.end {
		q.insertSorted(e)
		return
	}
	n := len(q.rungs) - 1
	for n > 0 && e.at >= q.rungs[n].end {
		n--
	}
	r := q.rungs[n]
	q.pool.addEvent(&r.buckets[r.bucketFor(e.at)], e)
}

// pop takes the next event out; false if there is none.
func (q *queue) pop() (entry, bool) {
	if q.head == len(q.bottom) && !q.refillBottom() {
		return entry{}, false
	}
	e := q.bottom[q.head]
	q.head++
	q.count--
	return e, true
}

// peek is the time of the next event, [backoff.Never] if there is none.
func (q *queue) peek() time.Duration {
	if q.head == len(q.bottom) && !q.refillBottom() {
		return backoff.Never
	}
	return q.bottom[q.head].at
}

// comingEvents is the events that are next, if that is known already.
func (q *queue) comingEvents() []entry {
	q.fresh = false
	return q.bottom[q.head:]
}

// makeReady makes an empty queue ready: one rung that takes everything.
func (q *queue) makeReady() {
	for len(q.rungs) > 0 {
		q.dropRung()
	}
	q.bottom, q.head, q.end = q.bottom[:0], 0, -1
	q.rungs = append(q.rungs, q.emptyRung(1))
	q.rungs[0].end = backoff.Never
}

// insertSorted puts an event into the bottom, after those of the same time.
func (q *queue) insertSorted(e entry) {
	if q.head > 0 && (q.head == len(q.bottom) || e.at < q.bottom[q.head].at) { // the next one, as often where few wait
		q.head--
		q.bottom[q.head] = e
		return
	}
	if len(q.bottom)-q.head >= maxBottom && q.bottom[q.head].at < q.bottom[len(q.bottom)-1].at {
		q.spillBottom()
		q.count-- // push counts it again
		q.push(e)
		return
	}
	if len(q.bottom) == cap(q.bottom) && q.head > 0 { // reuse the room of those taken
		q.bottom, q.head = q.bottom[:copy(q.bottom, q.bottom[q.head:])], 0
	}
	i := len(q.bottom)
	for i > q.head && q.bottom[i-1].at > e.at {
		i--
	}
	q.bottom = slices.Insert(q.bottom, i, e)
}

// spillBottom makes a rung of the bottom.
func (q *queue) spillBottom() {
	var b bucket
	for _, e := range q.bottom[q.head:] {
		q.pool.addEvent(&b, e)
	}
	q.bottom, q.head = q.bottom[:0], 0
	q.spreadBucket(b, q.end)
	q.end = q.rungs[len(q.rungs)-1].start
}

// refillBottom sorts the next events into the bottom; false if there are none.
func (q *queue) refillBottom() bool {
	q.bottom, q.head = q.bottom[:0], 0
	for len(q.rungs) > 0 {
		r := q.rungs[len(q.rungs)-1]
		if r.next == len(r.buckets) {
			q.dropRung()
			continue
		}
		b, end, last := r.takeBucket()
		if last {
			q.dropRung()
		}
		q.end = end
		switch {
		case b.n == 0:
		case b.n <= sortedAtOnce || end-1 <= r.startOf(r.next-1):
			q.pool.eachEvent(b, func(e entry) { q.bottom = append(q.bottom, e) })
			sortFew(q.bottom)
			q.fresh = true
			return true
		default:
			q.spreadBucket(b, end)
		}
	}
	return false
}

// spreadBucket pushes a rung that holds what a bucket held, and ends where that did.
func (q *queue) spreadBucket(b bucket, end time.Duration) {
	low, high := q.pool.boundsOf(b)
	r := q.emptyRung(min(int(b.n)/perBucket+1, maxBuckets) + 1)
	for int((high-low)>>r.shift) >= len(r.buckets)-1 {
		r.shift++
	}
	r.start, r.end = low, end
	q.rungs = append(q.rungs, r)
	q.pool.eachEvent(b, func(e entry) { q.pool.addEvent(&r.buckets[r.bucketFor(e.at)], e) })
}

// emptyRung returns an empty one with that many buckets.
func (q *queue) emptyRung(buckets int) *rung {
	r := &rung{}
	if n := len(q.spare); n > 0 {
		r, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	*r = rung{buckets: slices.Grow(r.buckets[:0], buckets)[:buckets]}
	clear(r.buckets)
	return r
}

// dropRung removes the last rung.
func (q *queue) dropRung() {
	n := len(q.rungs) - 1
	q.spare = append(q.spare, q.rungs[n])
	q.rungs = q.rungs[:n]
}

// bucketFor is the number of the bucket for that time.
func (r *rung) bucketFor(at time.Duration) int {
	return min(int(max(at-r.start, 0)>>r.shift), len(r.buckets)-1)
}

// takeBucket returns the next bucket, where it ends, and whether it is the last.
func (r *rung) takeBucket() (b bucket, end time.Duration, last bool) {
	b = r.buckets[r.next]
	r.next++
	if r.next == len(r.buckets) {
		return b, r.end, true
	}
	return b, min(r.startOf(r.next), r.end), false
}

// startOf returns the beginning of a bucket.
func (r *rung) startOf(bucket int) time.Duration {
	return r.start + time.Duration(bucket)<<r.shift
}

// sortFew sorts a few events; what is equal stays in order.
func sortFew(list []entry) {
	for i := 1; i < len(list); i++ {
		e, j := list[i], i
		for ; j > 0 && list[j-1].at > e.at; j-- {
			list[j] = list[j-1]
		}
		list[j] = e
	}
}
