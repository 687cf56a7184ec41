package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/constant"
	"ftsh/backoff"
)

// script holds what is known of a script. Each of its statements is measured once, so that it is explained in a time
// that grows with its length.
type script struct {
	config    Config
	sources   []*ast.Source
	functions map[string]*function
	variables map[string]*constant.Variable
	schedules map[backoff.Plan]*schedule
	reports   []report
}

// function is a function of the script, and what was found out about it.
type function struct {
	node     *ast.Function
	measured bool
	bound    bound
	calls    []place
	counted  bool
	often    often
}

// place describes the surroundings of a statement.
type place struct {
	within *function        // nil: it stands outside of functions
	often  often            // for each time that the function runs
	limit  time.Duration    // the shortest of the tries around it in the function; 0: there is none
	by     int32            // the line of that
	fed    bool             // standard input is a file that the script names
	jobs   map[string]int32 // by engine: the line of the on around it
}

// readScript gathers the functions and variables of a script.
func readScript(file *ast.File, config Config) *script {
	s := &script{config: config, functions: map[string]*function{}, schedules: map[backoff.Plan]*schedule{}}
	for _, f := range file.Functions {
		s.functions[f.Name] = &function{node: f}
	}
	s.variables = constant.Variables(file.Files())
	return s
}

// measureFile measures a file where it is first sourced.
func (s *script) measureFile(file *ast.File, p place) bound {
	if file == nil || slices.Contains(s.sources, file.Source) {
		return bound{}
	}
	s.sources = append(s.sources, file.Source)
	return s.groupBound(&file.Body, p)
}

func (s *script) groupBound(g *ast.Group, p place) (all bound) {
	if g == nil {
		return all
	}
	for i := range g.List {
		inside := p
		inside.fed = p.fed || slices.ContainsFunc(g.List[i].Redirects, isFile)
		all = all.then(s.ownBound(&g.List[i], inside)).then(s.structureBound(&g.List[i], inside))
	}
	return all
}

// ownBound returns the bound of what a statement runs besides its groups: commands, tests, functions in expressions.
func (s *script) ownBound(stmt *ast.Stmt, p place) (all bound) {
	if _, isLoop := stmt.Node.(*ast.While); isLoop {
		p = p.turning(stmt)
	}
	ast.Walk(&ast.Group{List: []ast.Stmt{*stmt}}, nil, func(node any, in *ast.Place) bool {
		switch n := node.(type) {
		case *ast.Group:
			return in == nil
		case *ast.Call:
			all = all.then(s.functionBound(n.Name, &p))
		case *ast.Pipeline:
			var most bound
			for _, stage := range n.Stages {
				most = most.or(s.commandBound(stage, p))
			}
			all = all.then(most)
		case *ast.Command:
			if _, isStage := in.Node.(*ast.Pipeline); !isStage {
				all = all.then(s.commandBound(n, p))
			}
		}
		return true
	})
	return all
}

// turning returns the place within a while loop.
func (p place) turning(loop *ast.Stmt) place {
	return p.repeated(factor{why: fmt.Sprintf("how many turns the while loop of line %d makes", loop.Pos.Line)})
}

// structureBound returns the bound of the groups of a statement.
func (s *script) structureBound(stmt *ast.Stmt, p place) (most bound) {
	switch n := stmt.Node.(type) {
	case *ast.Try:
		return s.tryBound(n, stmt, p)
	case *ast.For:
		return s.loopBound(n, stmt.Pos.Line, p)
	case *ast.While:
		most = s.groupBound(&n.Body, p.turning(stmt))
		most.why = fmt.Sprintf("the while loop of line %d may go on for ever", stmt.Pos.Line)
	case *ast.If:
		most = s.groupBound(n.Else, p)
		for i := range n.Branches {
			most = most.or(s.groupBound(&n.Branches[i].Body, p))
		}
	case *ast.On:
		outer := p.jobs[n.Engine]
		s.reports = append(s.reports, report{stmt, func() string { return s.explainOn(n, outer) }})
		inside := map[string]int32{}
		maps.Copy(inside, p.jobs)
		inside[n.Engine], p.jobs = stmt.Pos.Line, inside
		most = s.groupBound(&n.Body, p)
	case *ast.Resource:
		s.groupBound(&n.Body, place{})
	case *ast.Sense:
		s.groupBound(&n.Body, place{}.repeated(factor{try: true,
			why: fmt.Sprintf("how often the sense of line %d is asked", stmt.Pos.Line)}))
	case *ast.SourceFile:
		most = s.measureFile(n.File, p)
	}
	return most
}

// functionBound returns the bound of a function, and notes where it is called; nil: nowhere. One that calls itself has
// none.
func (s *script) functionBound(name string, call *place) bound {
	f := s.functions[name]
	if f == nil {
		return bound{}
	}
	if call != nil {
		f.calls = append(f.calls, *call)
	}
	if !f.measured {
		f.measured = true
		f.bound = bound{why: "function " + name + " calls itself"}
		f.bound = s.groupBound(&f.node.Body, place{within: f})
		if f.bound.near {
			f.bound = f.bound.eachTime()
		}
	}
	return f.bound
}

// commandBound returns the bound of a command. A program has none unless it limits itself: only a try around it does.
func (s *script) commandBound(c *ast.Command, p place) bound {
	if len(c.Words) == 0 {
		return bound{}
	}
	name := c.Name()
	isBuiltin := s.config.IsBuiltin != nil && s.config.IsBuiltin(name)
	switch {
	case s.functions[name] != nil:
		return s.functionBound(name, &p)
	case name == "sleep" || name == "retryafter":
		return s.waitBound(name, c)
	case name == "giveup":
		return bound{giveup: c.Pos.Line}
	case name == "read" && isBuiltin && !p.fed && !slices.ContainsFunc(c.Redirects, isFile):
		return bound{why: fmt.Sprintf("read in line %d waits for its input", c.Pos.Line)}
	case isBuiltin && name != "exec":
		return bound{}
	case name == "":
		name = "the command"
	}
	if d, limited := ownLimit(c); limited {
		return bound{time: d}
	}
	return bound{why: fmt.Sprintf("%s in line %d has no limit of time", name, c.Pos.Line)}
}

// isFile reports whether a redirection reads a file, or text of the script.
func isFile(r *ast.Redirect) bool {
	return r.Op == ast.In || r.Op == ast.FromVar || r.Op == ast.Here || r.Op == ast.HereTabs
}

// waitBound returns the time that a sleep takes, or for which a retryafter puts an attempt off.
func (s *script) waitBound(name string, c *ast.Command) bound {
	words, known := make([]string, len(c.Words)-1), true
	for i, w := range c.Words[1:] {
		text, is := s.values().Text(w)
		words[i], known = text, known && is
	}
	d, isTime := constant.Seconds(strings.Join(words, " "))
	switch {
	case name == "sleep" && !known:
		return bound{why: fmt.Sprintf("sleep in line %d waits as long as a variable says", c.Pos.Line)}
	case name == "sleep":
		return bound{time: d} // what is no time fails at once
	case !known || !isTime || len(words) != 1:
		return bound{putWhy: fmt.Sprintf("the retryafter of line %d puts attempts off as long as it is told", c.Pos.Line)}
	}
	return bound{put: d}
}

// values knows the variables of the script.
func (s *script) values() constant.Values { return (&reading{script: s}).values() }

// loopBound multiplies the bound of a turn by their number, or takes it once where all run at the same time.
func (s *script) loopBound(n *ast.For, line int32, p place) bound {
	count, known := s.countItems(n.List)
	turns := factor{count: count}
	if !known {
		turns.why = fmt.Sprintf("how many turns the %s loop of line %d makes", n.Kind, line)
	}
	turn := s.groupBound(&n.Body, p.repeated(turns))
	if n.Kind != ast.InTurn {
		turn = turn.eachTime() // other items go on, or may
	}
	limit, limited := s.values().Integer(n.Limit)
	apart, apartKnown := s.values().Period(n.Hedge)
	switch {
	case turn.isEndless(), turn.total() == 0, n.Kind == ast.All && n.Limit == nil:
		return turn
	case !known, n.Hedge != nil && !apartKnown:
		turn.why = fmt.Sprintf("how many turns the %s loop of line %d makes is not known", n.Kind, line)
		return turn
	case n.Hedge != nil: // the last alternative starts when those before have not succeeded in their time
		return bound{time: apart}.times(count - 1).then(turn)
	case n.Kind == ast.All && limited && limit > 0:
		return turn.times((count + limit - 1) / limit)
	}
	if turn = turn.times(count); turn.near {
		turn = turn.eachTime()
	}
	return turn
}

// countItems counts the items of a list.
func (s *script) countItems(list []ast.Expr) (n int64, known bool) {
	for _, e := range list {
		switch e := e.(type) {
		case *ast.Operand:
			text, known := s.values().Text(e.Word)
			if !known {
				return 0, false
			}
			n += int64(len(strings.Fields(text)))
		case *ast.Range:
			from, known1 := s.values().Integer(e.From)
			to, known2 := s.values().Integer(e.To)
			step, known3 := int64(1), true
			if e.Step != nil {
				step, known3 = s.values().Integer(e.Step)
			}
			if !known1 || !known2 || !known3 || step <= 0 {
				return 0, false
			}
			n += (max(from, to)-min(from, to))/step + 1
		default:
			return 0, false
		}
	}
	return n, true
}

// tryBound adds the attempts and the waits between them, up to the limit, then catch and finally.
func (s *script) tryBound(t *ast.Try, stmt *ast.Stmt, p place) bound {
	h := s.readHeader(t)
	attempts := s.attempts(h, stmt.Pos.Line)
	body := s.groupBound(&t.Body, p.limited(h.limit, t.For).limited(h.each, t.Each).repeated(attempts))
	verify := s.groupBound(t.Verify, p.repeated(factor{try: true,
		why: fmt.Sprintf("how often the verify of line %d is asked", stmt.Pos.Line)}))
	all := s.attemptsBound(t, h, body, verify).within(h.limit)
	if t.For != nil && h.limit <= 0 {
		all.why = fmt.Sprintf("the limit of the try of line %d is not known", t.For.Pos.Line)
	}
	s.reports = append(s.reports, report{stmt, func() string { return s.explainTry(t, h, p, attempts, all, body) }})
	after := s.groupBound(t.Catch, p)
	if end := s.leavesAround(t.Catch); end != nil && !after.isEndless() {
		_, far := end.(*ast.Command)
		after.time, after.last, after.near = 0, after.total(), !far
	}
	return all.then(after).then(s.groupBound(t.Finally, p))
}

// attempts says how often a try repeats its group at the most.
func (s *script) attempts(h *header, line int32) factor {
	count, known := int64(0), h.known
	if known {
		count, known = s.schedule(h.plan).mostAttempts()
	}
	if !known {
		return factor{try: true, why: fmt.Sprintf("how often the try of line %d repeats it", line)}
	}
	return factor{count: count, try: true}
}

// limited returns the place within a clause that limits it to that time; 0: it does not, or is not known.
func (p place) limited(d time.Duration, clause *ast.Period) place {
	if d > 0 && (p.limit == 0 || d <= p.limit) {
		p.limit, p.by = d, clause.Pos.Line
	}
	return p
}

// leavesAround returns the last statement of a group if that ends what is around the group; else nil.
func (s *script) leavesAround(g *ast.Group) ast.Node {
	if g == nil || len(g.List) == 0 {
		return nil
	}
	switch n := g.List[len(g.List)-1].Node.(type) {
	case *ast.Return, *ast.Break:
		return n
	case *ast.Command:
		if slices.Contains([]string{"exit", "failure", "giveup"}, n.Name()) && s.functions[n.Name()] == nil {
			return n
		}
	}
	return nil
}

// attemptsBound returns the bound of all attempts that may be made, with the longest waits, and of as many verifies.
func (s *script) attemptsBound(t *ast.Try, h *header, body, verify bound) bound {
	all := body.or(verify) // for what its retryafter says
	switch all.time = 0; {
	case !h.known || h.plan.Attempts == backoff.Unlimited:
		all.why = "how often it is tried is not known"
	case t.Via != nil && h.plan.Attempts > 0:
		all.why = fmt.Sprintf("the try of line %d waits for its resource", t.For.Pos.Line)
	case t.Verify != nil && t.For != nil:
		all.why = fmt.Sprintf("verify is asked until the limit of line %d passes", t.For.Pos.Line)
	default:
		questions := int64(h.plan.Attempts)
		if t.Key != nil {
			questions++ // before the first attempt
		}
		repeated := s.repeatedBound(body, t, h, all)
		if t.Verify == nil {
			return repeated
		}
		return repeated.then(s.repeatedBound(verify, t, h, all).times(questions))
	}
	return all
}

// repeatedBound returns the bound of a group of a try that runs as often as attempts may be made, with the longest
// waits, which a retryafter may make longer.
func (s *script) repeatedBound(one bound, t *ast.Try, h *header, floor bound) bound {
	count := int64(h.plan.Attempts)
	if count > 1 || t.Catch != nil {
		one = one.eachTime() // a failure in it does not end what is around
	}
	one = one.within(h.each)
	all := one.times(count)
	switch {
	case all.isEndless() || count <= 1:
	case h.plan.Backoff.Policy == backoff.Normal && !h.plan.HasEvery && t.For == nil && count > 2:
		all.why = "the waits of the policy normal have no longest"
	case floor.putWhy != "":
		all.why = floor.putWhy
	default:
		taken := time.Duration(0)
		if h.plan.HasEvery {
			taken = one.time // the attempt before has taken a part of the wait
		}
		all.time = sum(all.time, s.schedule(h.plan).longestWaits(taken, floor.put))
	}
	return all
}
