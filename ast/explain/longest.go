package explain

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
)

// bound is the longest time that something takes. Where it has no end, why says so.
type bound struct {
	time time.Duration
	last time.Duration // in addition, once, by a catch that ends what is around
	near bool          // which ends a loop or a function only
	why  string
}

// countedEachTime is the bound whose last part counts each time, as what is around goes on after it.
func (b bound) countedEachTime() bound { return bound{time: b.total(), why: b.why} }

func (b bound) isEndless() bool { return b.why != "" }

// total is all of it.
func (b bound) total() time.Duration { return addCapped(b.time, b.last) }

func addCapped(a, b time.Duration) time.Duration {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// followedBy is the bound of one thing after another.
func (b bound) followedBy(next bound) bound {
	switch {
	case b.isEndless():
		return b
	case next.isEndless():
		return next
	}
	return bound{time: addCapped(b.time, next.time), last: max(b.last, next.last), near: b.near || next.near}
}

// either is the bound of one of two things, or of both at the same time.
func (b bound) either(other bound) bound {
	switch {
	case b.isEndless():
		return b
	case other.isEndless():
		return other
	}
	return bound{time: max(b.time, other.time), last: max(b.last, other.last), near: b.near || other.near}
}

// repeatedTimes is the bound of something done so often.
func (b bound) repeatedTimes(n int64) bound {
	if b.isEndless() || b.total() == 0 || n <= 0 {
		return bound{why: b.why}
	}
	if b.time > 0 && n > math.MaxInt64/int64(b.time) {
		return bound{time: math.MaxInt64}
	}
	return bound{time: b.time * time.Duration(n), last: b.last, near: b.near}
}

// cutOffAt is the bound of something that a limit cuts off.
func (b bound) cutOffAt(limit time.Duration) bound {
	if b.isEndless() || b.total() > limit {
		return bound{time: limit}
	}
	return b
}

// longest measures groups.
type longest struct {
	*script
	fed bool // standard input is a file that the script names
}

func (l longest) groupBound(g *ast.Group) (sum bound) {
	if g == nil {
		return sum
	}
	for i := range g.List {
		inside := l
		inside.fed = l.fed || slices.ContainsFunc(g.List[i].Redirects, isFile)
		sum = sum.followedBy(inside.nodeBound(g.List[i].Node, g.List[i].Pos))
	}
	return sum
}

func (l longest) nodeBound(n ast.Node, pos ast.Pos) bound {
	switch n := n.(type) {
	case *ast.Command:
		return l.commandBound(n)
	case *ast.Pipeline:
		var most bound
		for _, stage := range n.Stages {
			most = most.either(l.commandBound(stage))
		}
		return most
	case *ast.Try:
		return l.tryBound(n)
	case *ast.For:
		return l.loopBound(n, pos)
	case *ast.While:
		return bound{why: fmt.Sprintf("the while loop of line %d may go on for ever", pos.Line)}
	case *ast.If:
		return l.conditional(n, pos)
	case *ast.On:
		return l.groupBound(&n.Body)
	case *ast.SourceFile:
		if n.File != nil {
			return l.groupBound(&n.File.Body)
		}
	case *ast.Assign:
		return l.callsBound(n.Value)
	case *ast.Return:
		return l.callsBound(n.Value)
	}
	return bound{}
}

// commandBound is endless for a program, unless it bounds itself: nothing but a try around it limits it.
func (l longest) commandBound(c *ast.Command) bound {
	if len(c.Words) == 0 {
		return bound{}
	}
	name, literal := c.Words[0].Literal()
	switch {
	case l.functions[name] != nil:
		return l.functionBound(name)
	case name == "sleep":
		return l.sleepBound(c)
	case name == "read" && l.waitsForInput(c):
		return bound{why: fmt.Sprintf("read in line %d waits for its input", c.Pos.Line)}
	case literal && name != "exec" && l.config.IsBuiltin != nil && l.config.IsBuiltin(name):
		return bound{}
	case !literal:
		name = "the command"
	}
	if d, limited := ownLimit(c); limited {
		return bound{time: d}
	}
	return bound{why: fmt.Sprintf("%s in line %d has no limit of time", name, c.Pos.Line)}
}

// waitsForInput reports whether a read may wait: its input is none that the script opens by name.
func (l longest) waitsForInput(c *ast.Command) bool {
	if l.config.IsBuiltin == nil || !l.config.IsBuiltin("read") {
		return false
	}
	return !l.fed && !slices.ContainsFunc(c.Redirects, isFile)
}

// isFile reports whether a redirection reads a file, or text of the script.
func isFile(r *ast.Redirect) bool {
	return r.Op == ast.In || r.Op == ast.FromVar || r.Op == ast.Here || r.Op == ast.HereTabs
}

// ownLimit returns the longest time of a program that bounds itself by an option: curl --max-time N without
// retries, and timeout N.
func ownLimit(c *ast.Command) (d time.Duration, limited bool) {
	var list []string
	for _, w := range c.Words {
		text, _ := w.Literal()
		list = append(list, text)
	}
	switch path.Base(list[0]) {
	case "curl":
		return curlLimit(list[1:])
	case "timeout":
		return timeoutLimit(list[1:])
	}
	return 0, false
}

// curlLimit reads --max-time, which bounds each transfer. With retries, or a pattern of addresses, nobody knows how
// many there are.
func curlLimit(list []string) (d time.Duration, limited bool) {
	transfers, plain := int64(0), slices.Contains(list, "-g") || slices.Contains(list, "--globoff")
	for i := 0; i < len(list); i++ {
		text := list[i]
		value, joined := strings.CutPrefix(text, "--max-time=")
		switch {
		case strings.HasPrefix(text, "--retry"), strings.HasPrefix(text, "-K"), text == "--config", text == "":
			return 0, false // what is not literal may be an option, too, and a file may hold any
		case joined:
			d, limited = constant.Seconds(value)
		case (text == "-m" || text == "--max-time") && i+1 < len(list):
			i++
			d, limited = constant.Seconds(list[i])
		case slices.Contains(curlValues, text):
			i++
		case strings.HasPrefix(text, "-"):
		case strings.ContainsAny(text, "[{") && !plain:
			return 0, false
		default:
			transfers++
		}
	}
	return bound{time: d}.repeatedTimes(max(1, transfers)).time, limited && d > 0
}

// curlValues are options of curl whose next word is no address. One that is missing here counts as one transfer more.
var curlValues = strings.Fields(`
	-A -b -c -C -d -D -e -E -F -H -o -r -T -u -U -w -x -X -y -Y -z
	--cacert --cert --connect-timeout --cookie --data --data-binary --data-raw --data-urlencode --dump-header --form
	--header --json --key --limit-rate --max-filesize --max-redirs --netrc-file --output --output-dir --proxy --range
	--referer --request --resolve --speed-limit --speed-time --upload-file --user --user-agent --write-out`)

// timeoutLimit reads the duration of timeout, and the time after which it kills.
func timeoutLimit(list []string) (d time.Duration, limited bool) {
	var grace time.Duration
	for i := 0; i < len(list); i++ {
		value, joined := strings.CutPrefix(list[i], "--kill-after=")
		switch {
		case joined:
			grace, _ = constant.Seconds(value)
		case list[i] == "-k" && i+1 < len(list):
			i++
			grace, _ = constant.Seconds(list[i])
		case list[i] == "-s" && i+1 < len(list):
			i++
		case strings.HasPrefix(list[i], "-"):
		default:
			d, limited = constant.Seconds(list[i])
			return d + grace, limited && d > 0
		}
	}
	return 0, false
}

func (l longest) sleepBound(c *ast.Command) bound {
	var words []string
	for _, w := range c.Words[1:] {
		text, known := constant.Values(l.describeReference).Text(w)
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

// functionBound is the body of a function. One that calls itself has no bound.
func (l longest) functionBound(name string) bound {
	if b, known := l.lengths[name]; known {
		return b
	}
	l.lengths[name] = bound{why: "function " + name + " calls itself"}
	all := l.groupBound(&l.functions[name].Body)
	if all.near {
		all = all.countedEachTime()
	}
	l.lengths[name] = all
	return l.lengths[name]
}

// callsBound is the functions that an expression calls.
func (l longest) callsBound(e ast.Expr) (sum bound) {
	if e == nil {
		return sum
	}
	ast.Walk(&ast.Group{List: []ast.Stmt{{Node: &ast.Return{Value: e}}}}, nil, func(node any, _ *ast.Place) bool {
		if c, ok := node.(*ast.Call); ok && l.functions[c.Name] != nil {
			sum = sum.followedBy(l.functionBound(c.Name))
		}
		return true
	})
	return sum
}

func (l longest) conditional(n *ast.If, pos ast.Pos) bound {
	most := l.groupBound(n.Else)
	var tests bound
	for i := range n.Branches {
		b := &n.Branches[i]
		tests = tests.followedBy(l.callsBound(b.Test.Expr))
		if b.Test.Try != nil {
			tests = tests.followedBy(l.nodeBound(b.Test.Try, pos))
		}
		most = most.either(l.groupBound(&b.Body))
	}
	return tests.followedBy(most)
}

// loopBound is so many turns, or as many at a time as there are.
func (l longest) loopBound(n *ast.For, pos ast.Pos) bound {
	turn := l.groupBound(&n.Body)
	if n.Kind != ast.InTurn {
		turn = turn.countedEachTime() // other items go on, or may
	}
	if turn.isEndless() || turn.total() == 0 {
		return turn
	}
	count, known := l.countItems(n.List)
	limit, limited := constant.Values(l.describeReference).Integer(n.Limit)
	switch {
	case n.Kind == ast.All && n.Limit == nil:
		return turn
	case n.Kind == ast.Any && n.Hedge != nil:
		return l.hedgedBound(n, turn, count, known)
	case !known:
		return bound{why: fmt.Sprintf("how many turns the %s loop of line %d makes is not known", n.Kind, pos.Line)}
	case n.Kind == ast.All && limited && limit > 0:
		return turn.repeatedTimes((count + limit - 1) / limit)
	}
	if all := turn.repeatedTimes(count); !all.near {
		return all
	}
	return turn.repeatedTimes(count).countedEachTime()
}

// hedgedBound is the last alternative, which starts when those before have not succeeded in their time.
func (l longest) hedgedBound(n *ast.For, turn bound, count int64, known bool) bound {
	apart, limited := constant.Values(l.describeReference).Period(n.Hedge)
	if !known || !limited {
		return bound{why: fmt.Sprintf("how long the forany loop of line %d takes is not known", n.Hedge.Pos.Line)}
	}
	return bound{time: apart}.repeatedTimes(max(0, count-1)).followedBy(turn)
}

// countItems counts the items of a list.
func (l longest) countItems(list []ast.Expr) (n int64, known bool) {
	values := constant.Values(l.describeReference)
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
