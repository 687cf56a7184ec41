package expand

import "sort"

// Sequence is the items of a loop's list. Ranges in it take no memory, however
// long they are. It is immutable and safe for concurrent use.
//
//	for i := range items.Len() {
//		item := items.At(i)
//	}
type Sequence struct {
	runs []run
	len  int
}

// run is items that follow each other: the texts, or if there are none, count
// numbers from first on, or if there are none, the value.
type run struct {
	end         int // how many items of the Sequence there are up to this run's end
	texts       []string
	first, step int64
	count       int
	value       Value
}

// Len is how many items there are.
func (s *Sequence) Len() int { return s.len }

// At is the item at index i, from 0 to Len-1.
func (s *Sequence) At(i int) Value {
	r := &s.runs[0]
	if i >= r.end {
		r = &s.runs[sort.Search(len(s.runs), func(n int) bool { return i < s.runs[n].end })]
	}
	return r.item(i)
}

// item is the Sequence's item at index i, which lies in the run.
func (r *run) item(i int) Value {
	switch {
	case r.texts != nil:
		return String(r.texts[len(r.texts)-(r.end-i)])
	case r.count > 0:
		return Int(r.first + int64(r.count-(r.end-i))*r.step)
	}
	return r.value
}
