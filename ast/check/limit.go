package check

import (
	"fmt"
	"math"
	"slices"
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
		if limit, whose := s.shortestAround(c.in, nil); known && d >= limit {
			s.addFinding(c.node.Pos, fmt.Sprintf("this never ends: %s ends after %s", whose, constant.Brief(limit)),
				"sleep for less, or lengthen the limit")
		}
	}
}

// compareLimits compares the times of a try with each other, and with those around it.
func compareLimits(s *script) {
	for _, t := range s.tries {
		bound, whose := s.shortestAround(t.in, nil)
		if d, known := constant.Values(nil).Period(t.node.For); known {
			s.reportExceeding(t.node.For, "this limit of", d, bound, whose)
			if d < bound {
				bound, whose = d, "the try itself"
			}
		}
		if d, known := constant.Values(nil).Period(t.node.Each); known {
			s.reportExceeding(t.node.Each, "each of", d, bound, whose)
		}
	}
}

// reportExceeding reports a time that is longer than what is left to it.
func (s *script) reportExceeding(p *ast.Period, what string, d, bound time.Duration, whose string) {
	if d > bound {
		most := constant.Brief(bound)
		s.addFinding(p.Pos, fmt.Sprintf("%s %s never passes: %s ends after %s", what, constant.Brief(d), whose, most),
			"write a time of at most "+most+", or lengthen the other")
	}
}

// shortestAround is the shortest time that the tries around a place leave to it, and whose it is. In a function it is
// the longest that one of the calls leaves.
func (s *script) shortestAround(in *ast.Place, seen []string) (shortest time.Duration, whose string) {
	shortest, whose = s.boundHere(in)
	f, _ := nearestAround[*ast.Function](in)
	if f == nil || slices.Contains(seen, f.Name) || len(s.callsOf(f.Name)) == 0 {
		return shortest, whose
	}
	longest, caller := time.Duration(-1), ""
	for _, call := range s.callsOf(f.Name) {
		if d, by := s.shortestAround(call, append(seen, f.Name)); d > longest {
			longest, caller = d, by
		}
	}
	if longest < shortest {
		return longest, caller
	}
	return shortest, whose
}

// boundHere is the shortest time that the tries around a place leave to it, and whose it is.
func (s *script) boundHere(in *ast.Place) (shortest time.Duration, whose string) {
	for ; in != nil && in.Outer != nil; in = in.Outer {
		if t, ok := in.Outer.Node.(*ast.Try); ok && in.Node == any(&t.Body) {
			return s.boundIn(t, in.Outer.Outer)
		}
	}
	return math.MaxInt64, ""
}

// boundIn is the bound of a try's group, which is computed once.
func (s *script) boundIn(t *ast.Try, in *ast.Place) (shortest time.Duration, whose string) {
	if b, known := s.bounds[t]; known {
		return b.shortest, b.whose
	}
	shortest, whose = s.boundHere(in)
	if d, known := constant.Values(nil).Period(t.For); known && d <= shortest {
		shortest, whose = d, fmt.Sprintf("the try of line %d", t.For.Pos.Line)
	}
	if d, known := constant.Values(nil).Period(t.Each); known && d < shortest {
		shortest, whose = d, fmt.Sprintf("each attempt of the try of line %d", t.Each.Pos.Line)
	}
	s.bounds[t] = timeBound{shortest, whose}
	return shortest, whose
}

// timeBound is the shortest time that is left to a place, and whose it is.
type timeBound struct {
	shortest time.Duration
	whose    string
}
