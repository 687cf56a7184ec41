package explain

import (
	"cmp"
	"fmt"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// tryBound is the attempts and the waits between them, at most the limit; then catch and finally.
func (l longest) tryBound(t *ast.Try) bound {
	h := l.readHeader(t)
	all := l.attemptsBound(t, h)
	if t.For != nil {
		if h.limit == 0 {
			return bound{why: fmt.Sprintf("the limit of the try of line %d is not known", t.For.Pos.Line)}
		}
		all = all.cutOffAt(h.limit)
	}
	after := l.groupBound(t.Catch)
	if t.Catch != nil && l.leavesAround(t.Catch) && !after.isEndless() {
		_, far := t.Catch.List[len(t.Catch.List)-1].Node.(*ast.Command)
		after = bound{last: after.total(), near: !far}
	}
	return all.followedBy(after).followedBy(l.groupBound(t.Finally))
}

// leavesAround reports whether a group ends what is around it: its last statement does not return.
func (l longest) leavesAround(g *ast.Group) bool {
	if len(g.List) == 0 {
		return false
	}
	switch n := g.List[len(g.List)-1].Node.(type) {
	case *ast.Return, *ast.Break:
		return true
	case *ast.Command:
		if len(n.Words) == 0 {
			return false
		}
		name, _ := n.Words[0].Literal()
		return l.functions[name] == nil && (name == "exit" || name == "failure" || name == "giveup")
	}
	return false
}

// attemptsBound is as many attempts as may be, with the longest waits, and as many questions to verify.
func (l longest) attemptsBound(t *ast.Try, h header) bound {
	switch {
	case !h.known || h.plan.Attempts == backoff.Unlimited:
		return bound{why: "how often it is tried is not known"}
	case t.Via != nil && h.plan.Attempts > 0:
		return bound{why: fmt.Sprintf("the try of line %d waits for its resource", t.For.Pos.Line)}
	case t.Verify != nil && t.For != nil:
		return bound{why: fmt.Sprintf("verify is asked until the limit of line %d passes", t.For.Pos.Line)}
	}
	floor := l.retryAfter(&t.Body).either(l.retryAfter(t.Verify))
	all := l.repeatedBound(&t.Body, t, h, floor)
	if t.Verify == nil {
		return all
	}
	questions := int64(h.plan.Attempts)
	if t.Key != nil {
		questions++ // before the first attempt
	}
	return all.followedBy(l.repeatedBound(t.Verify, t, h, floor).repeatedTimes(questions))
}

// repeatedBound is a group of a try, run as often as there may be attempts, with the longest waits.
func (l longest) repeatedBound(g *ast.Group, t *ast.Try, h header, floor bound) bound {
	one, count := l.groupBound(g), int64(h.plan.Attempts)
	if count > 1 || t.Catch != nil {
		one = one.countedEachTime() // a failure in it does not end what is around
	}
	if t.Each != nil && h.each > 0 {
		one = one.cutOffAt(h.each)
	}
	switch {
	case one.isEndless() || count <= 1:
		return one.repeatedTimes(count)
	case h.plan.Backoff.Policy == backoff.Normal && !h.plan.HasEvery && t.For == nil && count > 2:
		return bound{why: "the waits of the policy normal have no longest"}
	case floor.isEndless():
		return floor
	}
	taken := time.Duration(0)
	if h.plan.HasEvery {
		taken = one.time // the attempt before has taken a part of the wait
	}
	total := bound{}
	for _, w := range h.longestWaits() {
		total = total.followedBy(bound{time: max(0, w.time-taken, floor.time)}.repeatedTimes(w.count))
	}
	return one.repeatedTimes(count).followedBy(total)
}

// waits is so many waits of the same length.
type waits struct {
	time  time.Duration
	count int64
}

// longestWaits are the waits between all attempts, each as long as it can be; those that are not simulated together.
func (h header) longestWaits() (list []waits) {
	simulated := simulateStarts(h.plan, loaded{almostOne})
	for i := 1; i < len(simulated); i++ {
		list = append(list, waits{simulated[i] - simulated[i-1], 1})
	}
	more := int64(h.plan.Attempts) - int64(len(simulated))
	if more <= 0 || len(simulated) < mostStarts {
		return list
	}
	last := list[len(list)-1].time
	if grows := last > list[len(list)-2].time; grows {
		last = max(last, cmp.Or(h.plan.Backoff.Max, time.Hour))
	}
	return append(list, waits{last, more})
}

// retryAfter is the longest time for which a retryafter puts the next attempt off; endless where that is not
// written out.
func (l longest) retryAfter(g *ast.Group) (most bound) {
	seen := map[string]bool{}
	var visit func(g *ast.Group)
	visit = func(g *ast.Group) {
		if g == nil {
			return
		}
		ast.Walk(g, nil, func(node any, _ *ast.Place) bool {
			name := ""
			switch n := node.(type) {
			case *ast.Command:
				if len(n.Words) > 0 {
					name, _ = n.Words[0].Literal()
				}
				if name == "retryafter" && l.functions[name] == nil {
					most = most.either(l.putOff(n))
				}
			case *ast.Call:
				name = n.Name
			case *ast.Try:
				return true
			}
			if f := l.functions[name]; f != nil && !seen[name] {
				seen[name] = true
				visit(&f.Body)
			}
			return true
		})
	}
	visit(g)
	return most
}

// putOff is the time that a retryafter names.
func (l longest) putOff(c *ast.Command) bound {
	if len(c.Words) == 2 {
		if text, known := constant.Values(l.describeReference).Text(c.Words[1]); known {
			if d, isTime := constant.Seconds(text); isTime {
				return bound{time: d}
			}
		}
	}
	return bound{why: fmt.Sprintf("the retryafter of line %d puts attempts off as long as it is told", c.Pos.Line)}
}
