package value

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

// Len counts the items; nil has none.
func (s *Sequence) Len() int {
	if s == nil {
		return 0
	}
	return s.len
}

// At is the item at index i, from 0 to Len-1.
func (s *Sequence) At(i int) Value {
	r := &s.runs[0]
	if i >= r.end {
		r = &s.runs[sort.Search(len(s.runs), func(n int) bool { return i < s.runs[n].end })]
	}
	return r.itemAt(i)
}

// Items is a Sequence of those values.
func Items(values ...Value) *Sequence {
	s := &Sequence{len: len(values)}
	for i, value := range values {
		s.runs = append(s.runs, run{end: i + 1, value: value})
	}
	return s
}

// Texts is a Sequence of those texts, which nobody may change any more.
func Texts(texts []string) *Sequence {
	s := &Sequence{len: len(texts)}
	if len(texts) > 0 {
		s.runs = []run{{end: len(texts), texts: texts}}
	}
	return s
}

// Numbers is a Sequence of count numbers, at least 1, from first on.
func Numbers(first, step int64, count int) *Sequence {
	return &Sequence{runs: []run{{end: count, first: first, step: step, count: count}}, len: count}
}

// Concat is a Sequence of all items of the parts, in their order; false if there are more than math.MaxInt of them.
func Concat(parts ...*Sequence) (all *Sequence, ok bool) {
	if len(parts) == 1 {
		return parts[0], true
	}
	all = &Sequence{}
	for _, part := range parts {
		for _, r := range part.runs {
			r.end += all.len
			all.runs = append(all.runs, r)
		}
		if all.len += part.len; all.len < 0 {
			return nil, false
		}
	}
	return all, true
}

// Progression gives what Numbers was called with, or a range in a list of its own; false
// if the items are no such numbers.
func (s *Sequence) Progression() (first, step int64, ok bool) {
	if len(s.runs) != 1 || s.runs[0].texts != nil || s.runs[0].count == 0 {
		return 0, 0, false
	}
	return s.runs[0].first, s.runs[0].step, true
}

// itemAt is the Sequence's item at index i, which lies in the run.
func (r *run) itemAt(i int) Value {
	switch {
	case r.texts != nil:
		return String(r.texts[len(r.texts)-(r.end-i)])
	case r.count > 0:
		return Int(r.first + int64(r.count-(r.end-i))*r.step)
	}
	return r.value
}

// From is the items from index i on.
func (s *Sequence) From(i int) *Sequence {
	rest := &Sequence{len: s.len - i}
	before := 0
	for _, r := range s.runs {
		skipped := max(0, i-before)
		before = r.end
		if r.end -= i; r.end <= 0 {
			continue
		}
		if r.count > 0 {
			r.first, r.count = r.first+int64(skipped)*r.step, r.count-skipped
		}
		rest.runs = append(rest.runs, r)
	}
	return rest
}

// Share is called before the items are kept beside where they were made for.
func (s *Sequence) Share() {
	for _, r := range s.runs {
		if blob, large := r.value.Blob(); large {
			blob.Share()
		}
	}
}
