package explain

import (
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// reading reads values, and notes of which variables they were made.
type reading struct {
	*script
	assumed []string // those whose defaults were taken
	unknown []string // those of which nothing is known
}

func (r *reading) values() constant.Values { return r.describeReference }

// describeReference says what a reference stands for: the only text that the script assigns, or
// the default that is written with it.
func (r *reading) describeReference(ref *ast.Ref) (string, bool) {
	name := "$" + ref.Name
	if v := r.variables[ref.Name]; v != nil && ref.Kind == ast.Variable && !v.Other && len(v.Texts) == 1 {
		if text := v.Texts[0]; text != "" || ref.Default == nil {
			return text, true
		}
	}
	if ref.Default != nil {
		if text, known := r.values().Text(ref.Default); known {
			if !slices.Contains(r.assumed, name) {
				r.assumed = append(r.assumed, name)
			}
			return text, true
		}
	}
	if !slices.Contains(r.unknown, name) {
		r.unknown = append(r.unknown, name)
	}
	return "", false
}

func (r *reading) describeAssumed() string {
	if len(r.assumed) == 0 {
		return ""
	}
	return line("assumed", "the defaults of "+strings.Join(r.assumed, " "))
}

// header holds the clauses of a try: a time is 0 where there is none, and known says whether all values are.
type header struct {
	reading
	plan  backoff.Plan
	limit time.Duration
	each  time.Duration
	known bool
}

// readHeader reads the clauses of a try.
func (s *script) readHeader(t *ast.Try) *header {
	h := &header{reading: reading{script: s}, known: true,
		plan: backoff.Plan{Deadline: backoff.Never, Attempts: 1, Backoff: s.config.Backoff}}
	if t.For != nil {
		h.plan.Attempts = backoff.Unlimited
		h.period(t.For, &h.limit)
		h.plan.Deadline, h.plan.Limit = h.limit, h.limit
	}
	if t.Times != nil {
		n, known := h.values().Integer(t.Times)
		h.plan.Attempts, h.known = int(n), h.known && known
	}
	h.period(t.Each, &h.each)
	h.plan.HasEvery = t.Every != nil
	h.wait(t.Every, &h.plan.Every)
	if b := t.Backoff; b != nil {
		h.plan.Backoff.Policy, _ = backoff.ParsePolicy(b.Policy)
		h.wait(b.From, &h.plan.Backoff.Initial)
		h.wait(b.To, &h.plan.Backoff.Max)
		h.decimal(b.By, &h.plan.Backoff.Factor)
		h.decimal(b.Jitter, &h.plan.Backoff.Jitter)
	}
	return h
}

func (h *header) period(p *ast.Period, to *time.Duration) {
	if p != nil {
		d, known := h.values().Period(p)
		*to, h.known = d, h.known && known
	}
}

// wait reads a wait, which no script can make shorter than the shortest.
func (h *header) wait(p *ast.Period, to *time.Duration) {
	if h.period(p, to); p != nil {
		*to = max(*to, backoff.Shortest)
	}
}

func (h *header) decimal(e ast.Expr, to *float64) {
	if e != nil {
		n, known := h.values().Decimal(e)
		*to, h.known = n, h.known && known
	}
}
