package check

import (
	"fmt"
	"math"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
)

func limitRules() []Rule {
	return []Rule{{
		Code: "F103", Level: Error, Page: "limits", look: limits,
		Title: "a limit that cannot hold, since another around it is shorter",
		Finds: `try for 10 minutes each 1 hour
    make
end`,
		Passes: `try for 1 hour each 10 minutes
    try for 5 minutes
        make
    end
end`,
	}}
}

// limits compares the times of a try with each other, and with those around it.
func limits(s *script) {
	for _, t := range s.tries {
		bound, whose := bound(t.in)
		if d, known := constant.Values(nil).Period(t.node.For); known {
			s.exceeds(t.node.For, "this limit of", d, bound, whose)
			if d < bound {
				bound, whose = d, "the try itself"
			}
		}
		if d, known := constant.Values(nil).Period(t.node.Each); known {
			s.exceeds(t.node.Each, "each of", d, bound, whose)
		}
	}
}

// exceeds reports a time that is longer than what is left to it.
func (s *script) exceeds(p *ast.Period, what string, d, bound time.Duration, whose string) {
	if d > bound {
		most := constant.Brief(bound)
		s.report(p.Pos, fmt.Sprintf("%s %s never passes: %s ends after %s", what, constant.Brief(d), whose, most),
			"write a time of at most "+most+", or lengthen the other")
	}
}

// bound is the shortest time that the tries around a place leave to it, and whose it is.
func bound(in *ast.Place) (shortest time.Duration, whose string) {
	shortest = math.MaxInt64
	for ; in != nil && in.Outer != nil; in = in.Outer {
		t, ok := in.Outer.Node.(*ast.Try)
		if !ok || in.Node != any(&t.Body) {
			continue
		}
		if d, known := constant.Values(nil).Period(t.For); known && d < shortest {
			shortest, whose = d, fmt.Sprintf("the try of line %d", t.For.Pos.Line)
		}
		if d, known := constant.Values(nil).Period(t.Each); known && d < shortest {
			shortest, whose = d, fmt.Sprintf("each attempt of the try of line %d", t.Each.Pos.Line)
		}
	}
	return shortest, whose
}
