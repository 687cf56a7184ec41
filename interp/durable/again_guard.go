package durable

import (
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
)

// What a script has decided itself (`failure`, `exit`, …) would be decided in the same way again. Whether it is asked
// for is decided by the innermost if, case or while around it in its function, the guard: that is begun anew, with its
// tests.

// askedAnew makes a statement begin anew if it is the guard of a decision by which it has failed, and reports whether.
func (r *retry) askedAnew(spot string, stmt *ast.Stmt) bool {
	loop, isLoop := stmt.Node.(*ast.While)
	choice, isIf := stmt.Node.(*ast.If)
	switch {
	case !isIf && !isLoop:
		return false
	case isIf && r.matchesNone(spot, choice):
		r.anew(spot, stmt.Pos)
		return true
	}
	for _, part := range r.image.Children(spot) {
		path, g := join(spot, part), groupOf(stmt.Node, part)
		if g == nil || takenBelow(r.image, path) || !r.decidedIn(path, g) {
			continue
		}
		if !isLoop {
			r.anew(spot, stmt.Pos)
			return true
		}
		r.changes = append(r.changes, Change{Path: path, Drop: true})
		if !takesLine(&loop.Test) { // or the turn would be made with the next line
			r.changes = append(r.changes, Change{Path: spot, Key: keyWhile})
		}
		r.goOn(stmt.Pos, "")
		return true
	}
	return false
}

// takesLine reports whether a test reads the line that its turn is about.
func takesLine(t *ast.Test) bool {
	c, isCommand := t.Try.(*ast.Command)
	return isCommand && commandName(c) == "read"
}

// decidedIn reports whether a group has failed by a decision without a guard in the group.
func (r *retry) decidedIn(path string, g *ast.Group) bool {
	spot, stmt := r.failedIn(path, g)
	return stmt != nil && r.decided(spot, stmt)
}

// decided reports that of a statement. What a catch group decides only says what has failed in the attempts, which are
// made again.
func (r *retry) decided(spot string, stmt *ast.Stmt) bool {
	switch n := stmt.Node.(type) {
	case *ast.Command:
		return r.isDecision(n)
	case *ast.If:
		return r.matchesNone(spot, n)
	case *ast.While:
		return false
	}
	parts, _ := failedParts(r.image, spot)
	return slices.ContainsFunc(parts, func(part string) bool {
		g := groupOf(stmt.Node, part)
		return g != nil && part != Catch.name() && r.decidedIn(join(spot, part), g)
	})
}

// matchesNone reports whether a case has failed since its value matches no pattern.
func (r *retry) matchesNone(spot string, n *ast.If) bool {
	fails := func(part string) bool {
		number, isCall := strings.CutPrefix(part, Call.name())
		_, returned := r.image.Get(spot, keyReturned+number)
		return !isCall || !returned
	}
	return n.Case != nil && n.Else == nil && !slices.ContainsFunc(r.image.Children(spot), fails)
}

// isDecision reports whether a command ends a script by nothing but what is written there.
func (r *retry) isDecision(c *ast.Command) bool {
	name := commandName(c)
	isFunction := slices.ContainsFunc(r.file.Functions, func(f *ast.Function) bool { return f.Name == name })
	return !isFunction && slices.Contains([]string{"failure", "giveup", "exit", "false"}, name)
}

// commandName is the first word of a command, if that is written out.
func commandName(c *ast.Command) string {
	if len(c.Words) == 0 {
		return ""
	}
	name, _ := c.Words[0].Literal()
	return name
}

// groupOf returns the group that a part of a statement runs; nil: it is a test, or a function.
func groupOf(node ast.Node, part string) *ast.Group {
	kind := strings.TrimRight(part, "0123456789")
	if kind == Test.name() || kind == Call.name() {
		return nil
	}
	switch n := node.(type) {
	case *ast.For:
		return &n.Body
	case *ast.While:
		return &n.Body
	case *ast.On:
		return &n.Body
	case *ast.SourceFile:
		return &n.File.Body
	case *ast.Try:
		return map[string]*ast.Group{Catch.name(): n.Catch, Finally.name(): n.Finally, Attempt.name(): &n.Body}[kind]
	case *ast.If:
		if i, err := strconv.Atoi(part[len(kind):]); err == nil && i < len(n.Branches) {
			return &n.Branches[i].Body
		}
		return n.Else
	}
	return nil
}
