package check

import (
	"fmt"
	"math"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// forbidden finds clauses that contradict the purpose of their try.
func forbidden(s *script) {
	values := constant.Values(nil)
	for _, x := range s.tries {
		t := x.node
		limit, limited := values.Period(t.For)
		if every, known := values.Period(t.Every); known && limited && every >= limit {
			s.addFinding(t.Every.Pos, fmt.Sprintf("every %s allows one attempt only: the try ends after %s",
				constant.Brief(every), constant.Brief(limit)), "write a shorter time, or lengthen the limit")
		}
		if n, known := values.Integer(t.Times); known && n == 0 {
			s.addFinding(t.Times.At(), "0 times makes no attempt, and the try fails",
				"write how many attempts there may be, or leave it out")
		}
		if b := t.Backoff; b != nil {
			from, known := values.Period(b.From)
			if known && limited && from > limit {
				s.addFinding(b.From.Pos, fmt.Sprintf("a first wait of %s is longer than the try, which ends after %s",
					constant.Brief(from), constant.Brief(limit)), "write a shorter time behind from, or lengthen the limit")
			}
			if to, both := values.Period(b.To); known && both && from > to {
				s.addFinding(b.From.Pos, fmt.Sprintf("the first wait of %s is above the longest, %s",
					constant.Brief(from), constant.Brief(to)), "write from the shorter time to the longer")
			}
		}
	}
	for _, c := range s.commands {
		s.oversleeps(c)
	}
}

// oversleeps reports a sleep that the limits around it always cut off, where no catch is there for that.
func (s *script) oversleeps(c at[*ast.Command]) {
	if t := s.toolOf(c.node); t.name == "sleep" && len(t.list) > 1 &&
		tryAround(c.in, func(t *ast.Try, g *ast.Group) bool { return t.Catch != nil && g == &t.Body }) == nil {
		d, known := constant.Seconds(strings.Join(t.arguments(), " "))
		if b := s.boundAround(c.in); known && d >= b.time {
			s.addFinding(c.node.Pos, fmt.Sprintf("this never ends: %s ends after %s", b.whose, constant.Brief(b.time)),
				"sleep for less, or lengthen the limit")
		}
	}
}

// timeBound is the shortest time that is left to a place, and whose it is.
type timeBound struct {
	time  time.Duration
	whose string
}

// compareLimits compares the times of a try with each other, and with those around it.
func compareLimits(s *script) {
	for _, t := range s.tries {
		bound := s.boundAround(t.in)
		if d, known := constant.Values(nil).Period(t.node.For); known {
			s.reportExceeding(t.node.For, "this limit of", d, bound)
			if d < bound.time {
				bound = timeBound{d, "the try itself"}
			}
		}
		if d, known := constant.Values(nil).Period(t.node.Each); known {
			s.reportExceeding(t.node.Each, "each of", d, bound)
		}
	}
}

// reportExceeding reports a time that is longer than what is left to it.
func (s *script) reportExceeding(p *ast.Period, what string, d time.Duration, bound timeBound) {
	if d > bound.time {
		most := constant.Brief(bound.time)
		s.addFinding(p.Pos, fmt.Sprintf("%s %s never passes: %s ends after %s", what, constant.Brief(d), bound.whose, most),
			"write a time of at most "+most+", or lengthen the other")
	}
}

// boundAround returns what the tries around a place leave to it, also those around the calls of a function that it is
// in.
func (s *script) boundAround(in *ast.Place) timeBound {
	here := s.boundHere(in)
	if f, _ := nearestAround[*ast.Function](in); f != nil {
		if outside := s.boundOfCalls(f.Name); outside.time < here.time {
			return outside
		}
	}
	return here
}

// boundOfCalls is the longest that one of the calls leaves to a function, which is computed once.
func (s *script) boundOfCalls(function string) timeBound {
	if b, known := s.outside[function]; known {
		return b
	}
	s.outside[function] = timeBound{time: math.MaxInt64} // where it calls itself, or nothing calls it
	longest := timeBound{time: -1}
	for _, call := range s.callsOf(function) {
		if b := s.boundAround(call); b.time > longest.time {
			longest = b
		}
	}
	if longest.time >= 0 {
		s.outside[function] = longest
	}
	return s.outside[function]
}

// boundHere returns what the tries around a place in the same function leave to it.
func (s *script) boundHere(in *ast.Place) timeBound {
	for ; in != nil && in.Outer != nil; in = in.Outer {
		if t, ok := in.Outer.Node.(*ast.Try); ok && in.Node == any(&t.Body) {
			return s.boundIn(t, in.Outer.Outer)
		}
	}
	return timeBound{time: math.MaxInt64}
}

// boundIn is the bound of a try's group, which is computed once.
func (s *script) boundIn(t *ast.Try, in *ast.Place) timeBound {
	if b, known := s.bounds[t]; known {
		return b
	}
	b := s.boundHere(in)
	if d, known := constant.Values(nil).Period(t.For); known && d <= b.time {
		b = timeBound{d, fmt.Sprintf("the try of line %d", t.For.Pos.Line)}
	}
	if d, known := constant.Values(nil).Period(t.Each); known && d < b.time {
		b = timeBound{d, fmt.Sprintf("each attempt of the try of line %d", t.Each.Pos.Line)}
	}
	s.bounds[t] = b
	return b
}
