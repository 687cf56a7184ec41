package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"ftsh/ast"
)

// successes are words that mark success.
var successes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)succe|\bdone\b|\.ok\b|\bok\b|\bready\b|complete|finish|last[-_.]|` +
		`\bsent\b|\bprocessed\b|stamp|hc-ping|healthcheck|heartbeat`)
})

// findPrintingCatches looks for catch groups behind which a script goes on as if nothing had happened.
func findPrintingCatches(s *script) {
	for _, x := range s.tries {
		stmt := statementOf(x.in)
		group, _ := nearestAround[*ast.Group](x.in)
		if x.node.Catch == nil || len(x.node.Catch.List) == 0 || !s.onlyPrints(x.node.Catch) {
			continue
		}
		if s.goesOnToSuccess(group, stmt.Pos, x.in, map[*ast.Function]bool{}) {
			s.addFinding(x.node.Catch.Pos, "this catch only prints, and the script goes on to what marks success",
				"end it with failure or exit, or put what marks success at the end of the try's group")
		}
	}
}

// goesOnToSuccess reports whether what follows a statement in its group begins with what marks success, after lines
// that are printed and assignments; behind the end of a function that is what follows one of its calls.
func (s *script) goesOnToSuccess(g *ast.Group, after ast.Pos, in *ast.Place, seen map[*ast.Function]bool) bool {
	i := slices.IndexFunc(g.List, func(other ast.Stmt) bool { return other.Pos == after })
	for _, next := range g.List[i+1:] {
		c, ok := next.Node.(*ast.Command)
		switch _, assigns := next.Node.(*ast.Assign); {
		case ok && s.marksSuccess(c):
			return true
		case !assigns && (!ok || c.Name() != "echo" && c.Name() != "printf"):
			return false
		}
	}
	f, _ := nearestAround[*ast.Function](in)
	if f == nil || g != &f.Body || seen[f] {
		return false
	}
	seen[f] = true
	return slices.ContainsFunc(s.callsOf(f.Name), func(call *ast.Place) bool {
		group, _ := nearestAround[*ast.Group](call)
		stmt := statementOf(call)
		return stmt != nil && stmt.Node == call.Node && s.goesOnToSuccess(group, stmt.Pos, call, seen)
	})
}

// printers are programs after which nobody knows more than what they print.
const printers = "echo printf logger cat date tee true success :"

// onlyPrints reports whether a group does nothing but print.
func (s *script) onlyPrints(g *ast.Group) bool {
	for i := range g.List {
		stages, _ := stagesOf(&g.List[i])
		if len(stages) == 0 || slices.ContainsFunc(stages, func(c *ast.Command) bool {
			return !slices.Contains(strings.Fields(printers), c.Name()) || s.functions[c.Name()] != nil
		}) {
			return false
		}
	}
	return true
}

// markers are programs by which others learn of a success.
const markers = "touch curl wget echo printf date mv ln logger mail systemd-notify true"

// marksSuccess reports whether a command marks success, or a function that begins with one that does.
func (s *script) marksSuccess(c *ast.Command) bool {
	if f := s.functions[c.Name()]; f != nil {
		return slices.ContainsFunc(f.Body.List[:min(1, len(f.Body.List))], func(stmt ast.Stmt) bool {
			first, ok := stmt.Node.(*ast.Command)
			return ok && s.functions[first.Name()] == nil && s.marksSuccess(first)
		})
	}
	if !slices.Contains(strings.Fields(markers), c.Name()) {
		return false
	}
	is := func(w *ast.Word) bool { return w != nil && successes().MatchString(shapeOf(w)) }
	return slices.ContainsFunc(c.Words, is) ||
		slices.ContainsFunc(c.Redirects, func(r *ast.Redirect) bool { return is(r.Target) })
}
