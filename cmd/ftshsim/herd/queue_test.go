package herd

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
)

// shapes are ways in which the delays of events are spread.
var shapes = []struct {
	name string
	draw func(r *rand.Rand) time.Duration
}{
	{"uniform", func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(time.Hour))) }},
	{"exponential", func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(time.Second)) }},
	{"skewed", func(r *rand.Rand) time.Duration { return time.Duration(math.Exp(r.Float64() * 30)) }},
	{"equal", func(*rand.Rand) time.Duration { return time.Second }},
	{"now", func(*rand.Rand) time.Duration { return 0 }},
	{"few values", func(r *rand.Rand) time.Duration { return time.Duration(r.IntN(3)) }},
	{"near and far", func(r *rand.Rand) time.Duration {
		return []time.Duration{time.Millisecond, 1000 * time.Hour, 5, Horizon - 1}[r.IntN(4)]
	}},
}

// TestQueueOrder compares with a sorted list, which is never wrong.
func TestQueueOrder(t *testing.T) {
	for _, shape := range shapes {
		for _, n := range []int{1, 3, 50, 3000} {
			t.Run(shape.name+" "+strconv.Itoa(n), func(t *testing.T) { againstList(t, shape.draw, n) })
		}
	}
}

func againstList(t *testing.T, draw func(*rand.Rand) time.Duration, n int) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var q queue
	var list []entry
	now, number := time.Duration(0), uint32(0)
	for range 6 * n {
		for len(list) < n && (len(list) == 0 || r.IntN(8) > 0) {
			e := entry{at: min(now+draw(r), Horizon-1), Event: Event{Who: number}}
			number++
			q.push(e)
			i, _ := slices.BinarySearchFunc(list, e, func(a, b entry) int {
				if a.at > b.at {
					return 1
				}
				return -1 // so that equal times stay in order
			})
			list = slices.Insert(list, i, e)
		}
		if at := q.peek(); at != list[0].at {
			t.Fatalf("next event at %v, want %v", at, list[0].at)
		}
		e := q.pop()
		if e.at != list[0].at || e.Event != list[0].Event {
			t.Fatalf("got %v, want %v", e, list[0])
		}
		now, list = e.at, list[1:]
	}
	if len(q.heap) != len(list) {
		t.Errorf("there are %d, want %d", len(q.heap), len(list))
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, shape := range shapes[:3] {
		for _, n := range []int{10, 10_000, 1_000_000} {
			b.Run(shape.name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				r := rand.New(rand.NewPCG(1, 1))
				var q queue
				for range n {
					q.push(entry{at: shape.draw(r)})
				}
				for b.Loop() {
					e := q.pop()
					q.push(entry{at: min(e.at+shape.draw(r), Horizon-1)})
				}
			})
		}
	}
}
