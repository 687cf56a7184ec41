package herd

import "time"

// chunk holds some events of a bucket. It has no pointers, so that the garbage
// collector need not look into a million of them.
type chunk struct {
	entries [chunkSize]entry
	next    int32 // of the same bucket; 0 is none
}

const (
	// with next a kilobyte; smaller ones make the processor wait for memory, larger ones lie there half empty
	chunkSize = 63
	slabSize  = 64 // a small crowd needs no more than the first, and simulations of those are many
)

// bucket is a list of chunks, all but the last of them full.
type bucket struct {
	first, last int32
	n           int32 // events
}

// pool is the memory of all buckets of a queue. Chunk number 0 is not used.
type pool struct {
	slabs []*[slabSize]chunk
	free  int32 // the first chunk of a list of free ones
	used  int32 // chunks that were ever used
	seen  int32 // keeps what ahead reads
}

func (p *pool) chunkAt(n int32) *chunk { return &p.slabs[n/slabSize][n%slabSize] }

// addEvent appends an event to a bucket.
func (p *pool) addEvent(b *bucket, e entry) {
	place := b.n % chunkSize
	if place == 0 {
		c := p.emptyChunk()
		if b.n == 0 {
			b.first = c
		} else {
			p.chunkAt(b.last).next = c
		}
		b.last = c
	}
	p.chunkAt(b.last).entries[place] = e
	b.n++
}

// emptyChunk returns the number of an empty chunk.
func (p *pool) emptyChunk() int32 {
	if n := p.free; n != 0 {
		p.free = p.chunkAt(n).next
		p.chunkAt(n).next = 0
		return n
	}
	p.used++
	if int(p.used) >= len(p.slabs)*slabSize {
		p.slabs = append(p.slabs, new([slabSize]chunk))
	}
	return p.used
}

// eachEvent hands out the events of a bucket in order and frees its chunks on the way.
func (p *pool) eachEvent(b bucket, do func(entry)) {
	for at := b.first; b.n > 0; {
		c := p.chunkAt(at)
		p.lookAhead(c)
		for i := range min(b.n, chunkSize) {
			do(c.entries[i])
		}
		b.n -= min(b.n, chunkSize)
		next := c.next
		c.next, p.free = p.free, at
		at = next
	}
}

// lookAhead looks at the chunk after this one, so that it comes from memory while
// this one is read: a third of the time of a queue of a million (BenchmarkQueue).
func (p *pool) lookAhead(c *chunk) { p.seen += p.chunkAt(c.next).next }

// boundsOf returns the first and the last time in a bucket that is not empty.
func (p *pool) boundsOf(b bucket) (low, high time.Duration) {
	low = p.chunkAt(b.first).entries[0].at
	high = low
	for at, left := b.first, b.n; left > 0; left -= chunkSize {
		c := p.chunkAt(at)
		p.lookAhead(c)
		for i := range min(left, chunkSize) {
			low, high = min(low, c.entries[i].at), max(high, c.entries[i].at)
		}
		at = c.next
	}
	return low, high
}
