package explain

import (
	"slices"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// script holds the functions and variables of a script, and what was found out about them.
type script struct {
	config    Config
	functions map[string]*ast.Function
	variables map[string]*constant.Variable
	lengths   map[string]bound // of functions that were measured
	assumed   []string         // the variables of the present try whose defaults were taken
	unknown   []string         // and those of which nothing is known
}

// describeReference says what a reference stands for: the default that is written with it, or
// the only text that the script assigns.
func (s *script) describeReference(ref *ast.Ref) (string, bool) {
	if v := s.variables[ref.Name]; v != nil && ref.Kind == ast.Variable && !v.Other && len(v.Texts) == 1 {
		if text := v.Texts[0]; text != "" || ref.Default == nil {
			return text, true
		}
	}
	if ref.Default != nil {
		if text, known := constant.Values(s.describeReference).Text(ref.Default); known {
			s.noteReference(&s.assumed, ref)
			return text, true
		}
	}
	s.noteReference(&s.unknown, ref)
	return "", false
}

func (s *script) noteReference(list *[]string, ref *ast.Ref) {
	if name := "$" + ref.Name; !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// header holds the clauses of a try; a time is 0 where there is none, and known tells of all of them.
type header struct {
	plan  backoff.Plan
	limit time.Duration
	each  time.Duration
	known bool
}

// readHeader reads the clauses of a try.
func (s *script) readHeader(t *ast.Try) header {
	values := constant.Values(s.describeReference)
	h := header{plan: backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: s.config.Backoff}, known: true}
	period := func(p *ast.Period, to *time.Duration) {
		if p != nil {
			d, known := values.Period(p)
			*to, h.known = d, h.known && known
		}
	}
	if t.For != nil {
		h.plan.Attempts = backoff.Unlimited
		period(t.For, &h.limit)
		h.plan.Deadline, h.plan.Limit = h.limit, h.limit
	}
	if t.Times != nil {
		n, known := values.Integer(t.Times)
		h.plan.Attempts, h.known = int(n), h.known && known
	}
	period(t.Each, &h.each)
	wait := func(p *ast.Period, to *time.Duration) {
		if p != nil {
			period(p, to)
			*to = max(*to, backoff.Shortest)
		}
	}
	h.plan.HasEvery = t.Every != nil
	wait(t.Every, &h.plan.Every)
	if b := t.Backoff; b != nil {
		h.plan.Backoff.Policy, _ = backoff.ParsePolicy(b.Policy)
		wait(b.From, &h.plan.Backoff.Initial)
		wait(b.To, &h.plan.Backoff.Max)
		for e, to := range map[ast.Expr]*float64{b.By: &h.plan.Backoff.Factor, b.Jitter: &h.plan.Backoff.Jitter} {
			if e != nil {
				n, known := values.Decimal(e)
				*to, h.known = n, h.known && known
			}
		}
	}
	return h
}

// shortestAround is the least time that the tries around a place leave to it, and the one
// that does; nil if none does.
func (s *script) shortestAround(in *ast.Place) (least time.Duration, whose *ast.Period) {
	for ; in != nil && in.Outer != nil; in = in.Outer {
		t, ok := in.Outer.Node.(*ast.Try)
		if !ok || in.Node != any(&t.Body) {
			continue
		}
		for _, p := range []*ast.Period{t.For, t.Each} {
			if d, known := constant.Values(s.describeReference).Period(p); known && (whose == nil || d < least) {
				least, whose = d, p
			}
		}
	}
	return least, whose
}
