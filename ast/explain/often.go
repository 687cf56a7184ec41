package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// factor is a try or loop, or the calls of a function, that does what is in it so often.
type factor struct {
	count int64
	try   bool
	why   string // the count cannot be said
	open  bool   // only a time limits the count
}

// often is what stands around a place, from outside inwards.
type often []factor

// by is what stands around a place within one thing more.
func (o often) by(f factor) often {
	tried := slices.ContainsFunc(o, func(f factor) bool { return f.try })
	switch {
	case f.count == 1 && f.why == "" && !f.open && (tried || !f.try):
		return o // it changes nothing
	case tried && (o.why() != "" || o.isOpen() || o.product() == math.MaxInt64):
		return o // nothing changes that
	}
	return append(slices.Clip(o), f)
}

func (o often) product() int64 {
	n := int64(1)
	for _, f := range o {
		n = product(n, f.count)
	}
	return n
}

func (o often) isOpen() bool { return slices.ContainsFunc(o, func(f factor) bool { return f.open }) }

// why says why it cannot be said how often; "" if it can.
func (o often) why() string {
	for _, f := range o {
		if f.why != "" {
			return f.why
		}
	}
	return ""
}

// repeated is the place within something that is done so often.
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
	if !f.counted {
		f.counted = true
		f.often = often{{count: 1, try: true, why: "function " + f.node.Name + " calls itself"}}
		var calls []often
		for _, call := range f.calls {
			calls = append(calls, s.oftenAt(call))
		}
		f.often = sumOf(calls)
	}
	return f.often
}

func sumOf(calls []often) often {
	if len(calls) == 1 {
		return calls[0]
	}
	all := factor{}
	for _, o := range calls {
		all.count, all.open, all.why = sum(all.count, o.product()), all.open || o.isOpen(), max(all.why, o.why())
		all.try = all.try || slices.ContainsFunc(o, func(f factor) bool { return f.try })
	}
	return often{all}
}

// describeOften says how often the group of a try at a place is attempted in all, where tries around it repeat it; ""
// if none does.
func (s *script) describeOften(attempts int64, p place) string {
	all := s.oftenAt(p)
	first := slices.IndexFunc(all, func(f factor) bool { return f.try })
	if attempts <= 1 || first < 0 {
		return ""
	}
	all = all[first:] // loops around the outermost try do not count
	switch n := product(all.product(), attempts); {
	case all.why() != "":
		return "not known, with the tries around it: " + all.why()
	case all.isOpen() || all.product() == 1:
		return ""
	case n == math.MaxInt64:
		return "no limit: with the tries around it, more often than can be counted"
	default:
		var text strings.Builder
		for _, f := range all {
			if f.count != 1 {
				fmt.Fprintf(&text, "%d × ", f.count)
			}
		}
		return fmt.Sprintf("at most %s%d = %d times, with the tries around it", text.String(), attempts, n)
	}
}
