package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// factor says how often a try, a loop or the calls of a function repeat what is in them.
type factor struct {
	count int64
	try   bool
	why   string // the count cannot be said
}

// often holds the factors around a place, the outermost first.
type often []factor

// total combines all factors: it has the first reason why a count cannot be said.
func (o often) total() factor {
	all := factor{count: 1}
	for _, f := range o {
		all = factor{product(all.count, f.count), all.try || f.try, cmp.Or(all.why, f.why)}
	}
	return all
}

// by adds a factor within the others, unless it changes nothing.
func (o often) by(f factor) often {
	switch all := o.total(); {
	case f.count == 1 && f.why == "" && (all.try || !f.try):
		return o // it changes nothing
	case all.try && (all.why != "" || all.count == math.MaxInt64):
		return o // nothing changes that
	}
	return append(slices.Clip(o), f)
}

// repeated returns the place within something that is repeated.
func (p place) repeated(f factor) place {
	p.often = p.often.by(f)
	return p
}

// oftenAt says how often a place is reached each time that the outermost try around it runs.
func (s *script) oftenAt(p place) (all often) {
	if p.within == nil {
		return p.often
	}
	all = s.oftenCalled(p.within)
	for _, f := range p.often {
		all = all.by(f)
	}
	return all
}

// oftenCalled says how often a function is called; several calls are one factor, their sum.
func (s *script) oftenCalled(f *function) often {
	if f.counted {
		return f.often
	}
	f.counted = true
	f.often = often{{count: 1, try: true, why: "function " + f.node.Name + " calls itself"}}
	var all factor
	var one often
	for _, call := range f.calls {
		one = s.oftenAt(call)
		t := one.total()
		all = factor{sum(all.count, t.count), all.try || t.try, max(all.why, t.why)}
	}
	if f.often = one; len(f.calls) != 1 {
		f.often = often{all}
	}
	return f.often
}

// describeOften says how often the group of a try at a place is attempted in all, where tries around it repeat it; ""
// if none does.
func (s *script) describeOften(attempts factor, p place) string {
	around := s.oftenAt(p)
	first := slices.IndexFunc(around, func(f factor) bool { return f.try })
	if attempts.count <= 1 && attempts.why == "" || first < 0 {
		return ""
	}
	around = around[first:] // loops around the outermost try do not count
	all := append(slices.Clip(around), attempts).total()
	switch {
	case all.why != "":
		return "not known, with the tries around it: " + all.why
	case all.count == attempts.count:
		return ""
	case all.count == math.MaxInt64:
		return "no limit: with the tries around it, more often than can be counted"
	default:
		text := ""
		for _, f := range around {
			if f.count != 1 {
				text += fmt.Sprintf("%d × ", f.count)
			}
		}
		return fmt.Sprintf("at most %s%d = %d times, with the tries around it", text, attempts.count, all.count)
	}
}
