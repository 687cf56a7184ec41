package explain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// bound is how long something takes at the longest. Where it has no end, why says so.
type bound struct {
	time time.Duration
	why  string
}

func (b bound) endless() bool { return b.why != "" }

// then is the bound of one thing after another.
func (b bound) then(next bound) bound {
	switch {
	case b.endless():
		return b
	case next.endless():
		return next
	case next.time > math.MaxInt64-b.time:
		return bound{math.MaxInt64, ""}
	}
	return bound{b.time + next.time, ""}
}

// or is the bound of one of two things, or of both at the same time.
func (b bound) or(other bound) bound {
	if b.endless() || !other.endless() && b.time >= other.time {
		return b
	}
	return other
}

// times is the bound of something done so often.
func (b bound) times(n int64) bound {
	if b.endless() || b.time == 0 || n <= 0 {
		return bound{0, b.why}
	}
	if n > math.MaxInt64/int64(b.time) {
		return bound{math.MaxInt64, ""}
	}
	return bound{b.time * time.Duration(n), ""}
}

// within is the bound of something that a limit cuts off.
func (b bound) within(limit time.Duration) bound {
	if b.endless() || b.time > limit {
		return bound{limit, ""}
	}
	return b
}

// longest measures groups.
type longest struct{ *script }

func (l longest) group(g *ast.Group) (sum bound) {
	if g == nil {
		return sum
	}
	for i := range g.List {
		sum = sum.then(l.node(g.List[i].Node, g.List[i].Pos))
	}
	return sum
}

func (l longest) node(n ast.Node, pos ast.Pos) bound {
	switch n := n.(type) {
	case *ast.Command:
		return l.command(n)
	case *ast.Pipeline:
		var most bound
		for _, stage := range n.Stages {
			most = most.or(l.command(stage))
		}
		return most
	case *ast.Try:
		return l.try(n)
	case *ast.For:
		return l.loop(n, pos)
	case *ast.While:
		return bound{why: fmt.Sprintf("the while loop of line %d may go on for ever", pos.Line)}
	case *ast.If:
		return l.conditional(n, pos)
	case *ast.On:
		return l.group(&n.Body)
	case *ast.SourceFile:
		if n.File != nil {
			return l.group(&n.File.Body)
		}
	case *ast.Assign:
		return l.calls(n.Value)
	case *ast.Return:
		return l.calls(n.Value)
	}
	return bound{}
}

// command is endless for a program: nothing but a try around it limits it.
func (l longest) command(c *ast.Command) bound {
	if len(c.Words) == 0 {
		return bound{}
	}
	name, literal := c.Words[0].Literal()
	switch {
	case l.functions[name] != nil:
		return l.function(name)
	case name == "sleep":
		return l.sleep(c)
	case literal && name != "exec" && l.config.IsBuiltin != nil && l.config.IsBuiltin(name):
		return bound{}
	case !literal:
		name = "the command"
	}
	return bound{why: fmt.Sprintf("%s in line %d has no limit of time", name, c.Pos.Line)}
}

func (l longest) sleep(c *ast.Command) bound {
	var words []string
	for _, w := range c.Words[1:] {
		text, known := constant.Values(l.value).Text(w)
		if !known {
			return bound{why: fmt.Sprintf("sleep in line %d waits as long as a variable says", c.Pos.Line)}
		}
		words = append(words, text)
	}
	d, known := constant.Seconds(strings.Join(words, " "))
	if !known {
		return bound{}
	}
	return bound{time: d}
}

// function is the body of a function. One that calls itself has no bound.
func (l longest) function(name string) bound {
	if b, known := l.lengths[name]; known {
		return b
	}
	l.lengths[name] = bound{why: "function " + name + " calls itself"}
	l.lengths[name] = l.group(&l.functions[name].Body)
	return l.lengths[name]
}

// calls is the functions that an expression calls.
func (l longest) calls(e ast.Expr) (sum bound) {
	if e == nil {
		return sum
	}
	ast.Walk(&ast.Group{List: []ast.Stmt{{Node: &ast.Return{Value: e}}}}, nil, func(node any, _ *ast.Place) bool {
		if c, ok := node.(*ast.Call); ok && l.functions[c.Name] != nil {
			sum = sum.then(l.function(c.Name))
		}
		return true
	})
	return sum
}

func (l longest) conditional(n *ast.If, pos ast.Pos) bound {
	most := l.group(n.Else)
	var tests bound
	for i := range n.Branches {
		b := &n.Branches[i]
		tests = tests.then(l.calls(b.Test.Expr))
		if b.Test.Try != nil {
			tests = tests.then(l.node(b.Test.Try, pos))
		}
		most = most.or(l.group(&b.Body))
	}
	return tests.then(most)
}

// loop is so many turns, or as many at a time as there are.
func (l longest) loop(n *ast.For, pos ast.Pos) bound {
	turn := l.group(&n.Body)
	if turn.endless() || turn.time == 0 {
		return turn
	}
	count, known := l.count(n.List)
	limit, limited := constant.Values(l.value).Integer(n.Limit)
	switch {
	case n.Kind == ast.All && n.Limit == nil:
		return turn
	case !known:
		return bound{why: fmt.Sprintf("how many turns the %s loop of line %d makes is not known", n.Kind, pos.Line)}
	case n.Kind == ast.All && limited && limit > 0:
		return turn.times((count + limit - 1) / limit)
	}
	return turn.times(count)
}

// count is how many items a list has.
func (l longest) count(list []ast.Expr) (n int64, known bool) {
	values := constant.Values(l.value)
	for _, e := range list {
		switch e := e.(type) {
		case *ast.Operand:
			text, known := values.Text(e.Word)
			if !known {
				return 0, false
			}
			n += int64(len(strings.Fields(text)))
		case *ast.Range:
			from, known1 := values.Integer(e.From)
			to, known2 := values.Integer(e.To)
			if !known1 || !known2 || e.Step != nil {
				return 0, false
			}
			n += max(from, to) - min(from, to) + 1
		default:
			return 0, false
		}
	}
	return n, true
}

// try is the attempts and the waits between them, at most the limit; then catch and finally.
func (l longest) try(t *ast.Try) bound {
	h := l.header(t)
	after := l.group(t.Catch).then(l.group(t.Finally))
	if t.For != nil {
		if h.limit == 0 {
			return bound{why: fmt.Sprintf("the limit of the try of line %d is not known", t.For.Pos.Line)}
		}
		return l.attempts(t, h).within(h.limit).then(after)
	}
	return l.attempts(t, h).then(after)
}

// attempts is as many attempts as may be, with the longest waits.
func (l longest) attempts(t *ast.Try, h header) bound {
	one := l.group(&t.Body)
	if t.Each != nil && h.each > 0 {
		one = one.within(h.each)
	}
	one = one.then(l.group(t.Verify))
	if !h.known || h.plan.Attempts == backoff.Unlimited {
		return bound{why: "how often it is tried is not known"}
	}
	waits := bound{}
	if list := starts(h.plan, loaded{almostOne}); len(list) > 0 {
		waits.time = list[len(list)-1]
	}
	return one.times(int64(h.plan.Attempts)).then(waits)
}
