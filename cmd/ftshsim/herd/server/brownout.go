package server

import "time"

// Brownout is a time during which a server works more slowly.
type Brownout struct {
	From, To time.Duration
	Share    float64 // of its speed that is left, above 0 and up to 1
}

// speedAt is the share of its speed that a server has at that time.
func (s *Spec) speedAt(now time.Duration) float64 {
	for _, b := range s.Brownouts {
		if now >= b.From && now < b.To {
			return b.Share
		}
	}
	return 1
}

// workLasts returns how long some work takes that begins then: longer as far as a brown-out covers it.
func (s *Spec) workLasts(begin, work time.Duration) time.Duration {
	now := begin
	for _, b := range s.Brownouts {
		if b.To <= now {
			continue
		}
		before := max(b.From-now, 0)
		within := time.Duration(float64(b.To-now-before) * b.Share)
		switch {
		case work <= before:
			return now + work - begin
		case work <= before+within:
			return now + before + time.Duration(float64(work-before)/b.Share) - begin
		}
		now, work = b.To, work-before-within
	}
	return now + work - begin
}
