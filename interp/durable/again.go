package durable

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// FailedUnit is a unit with whose failure a script has ended.
type FailedUnit struct {
	Unit
	Number int      // by which --happened names it
	Items  []string // of the loops around it, as name=value

	node string
}

// FailedUnits lists the units with which a script has failed, in the order of its text.
func FailedUnits(image *journal.Image) []FailedUnit {
	at, begun := image.Get("", keyAt)
	if _, finished := image.Get("", keyResult); !begun || !finished {
		return nil
	}
	list := failedBelow(loopsOf(image), string(at), nil)
	slices.SortStableFunc(list, func(a, b FailedUnit) int { return cmp.Compare(a.Line, b.Line) })
	known := numbersIn(image)
	for i := range list {
		list[i].Number = known.of(list[i].node)
	}
	return list
}

func failedBelow(l loops, path string, list []FailedUnit) []FailedUnit {
	var begun Unit
	if read(l.image, path, keyBegin, &begun) && openOrFailed(l.image, path) {
		list = append(list, FailedUnit{Unit: begun, Items: l.around(path), node: path})
	}
	before := len(list)
	parts, isTry := failedParts(l.image, path)
	for _, part := range parts {
		list = failedBelow(l, join(path, part), list)
		if isTry && (len(list) > before || takenBelow(l.image, join(path, part))) {
			break
		}
	}
	return list
}

// failedParts lists the nodes below one that has failed. Of a try only the first has failed in which there is a failed
// unit: what its finally group did counts if all had succeeded before, and what its attempt did unless its catch
// group failed, too.
func failedParts(image *journal.Image, path string) (parts []string, isTry bool) {
	parts = image.Children(path)
	var try struct {
		Try
		Ended struct{ Failure, Exit any }
	}
	if !read(image, path, keyProgress, &try) {
		return parts, false
	}
	if try.Phase == PhaseFinally && try.Ended.Failure == nil && try.Ended.Exit == nil {
		return []string{Finally.name()}, true
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == Finally.name() })
	return parts, true // "catch" comes before "try"
}

// openOrFailed reports whether a unit has no end, so that it is not known what it has done, or has ended with a
// failure; one that the failure of a sibling has ended is neither.
func openOrFailed(image *journal.Image, path string) bool {
	var end struct {
		Failure *struct{ Kind string }
		Exit    any
	}
	if !read(image, path, keyEnd, &end) {
		return true
	}
	return end.Exit != nil || end.Failure != nil && end.Failure.Kind != "cancelled"
}

// unitFailed reports whether a unit has ended with a failure.
func unitFailed(image *journal.Image, path string) bool {
	var end struct{ Failure, Exit any }
	return read(image, path, keyEnd, &end) && (end.Failure != nil || end.Exit != nil)
}

// Retry makes a script that has failed one that goes on at what failed, and tells where that is. If the statement at
// the top level in which it failed differs from what it was, or a function that was running, it begins anew.
func (s *Script) Retry(file *ast.File) (where []string, err error) {
	r := s.retry(file)
	if len(r.where) == 0 {
		return nil, errors.New("the script has not failed")
	}
	return r.where, s.decide("again", append(r.changes, Change{Key: keyResult})...)
}

const keyTaken = "taken" // of a unit that failed: a person took it as done, and the script does not go on yet

// retry finds where a script has failed, and what is to be changed in the journal so that it goes on there.
func (s *Script) retry(file *ast.File) *retry {
	r := &retry{image: s.image(), file: file}
	text, known := r.image.Get("", keyAt)
	at, err := strconv.Atoi(string(text))
	index := IndexOf(&file.Body, at)
	switch {
	case !known || err != nil:
		return r
	case index == len(file.Body.List): // it was the last, and was removed
		r.changes = append(r.changes, Change{Path: string(text), Drop: true})
		r.where = append(r.where, file.Source.Name+", behind its last statement")
		return r
	}
	spot, stmt := strconv.Itoa(at), &file.Body.List[index]
	if s.Changed(file, false) {
		r.anew(spot, stmt.Pos)
		r.changes = append(r.changes, Change{Key: keyStatement + spot})
		return r
	}
	r.group("", &file.Body)
	return r
}

// Changed reports whether a script that has failed begins the statement anew in which it did, since that, or
// a function that was running, was changed; with inTries also one that was running in a try or forany, which else
// begins anew anyway.
func (s *Script) Changed(file *ast.File, inTries bool) bool {
	text, _ := s.image().Get("", keyAt)
	at, err := strconv.Atoi(string(text))
	return err == nil && (s.statementDiffers(file, at) != nil ||
		s.functionDiffers(file, s.image(), string(text), func(image *journal.Image, path string) []string {
			if !inTries && beginsAnew(image, path) {
				return nil
			}
			return image.Children(path)
		}) != nil)
}

// beginsAnew reports whether a node is that of a try or forany in which nobody took a unit as done: a failed one begins
// anew as a whole.
func beginsAnew(image *journal.Image, path string) bool {
	_, isTry := image.Get(path, KeyTry)
	return (isTry || loopOf(image, path).First > 0) && !takenBelow(image, path)
}

// takenBelow reports whether a person took a unit there as done.
func takenBelow(image *journal.Image, path string) bool {
	if _, taken := image.Get(path, keyTaken); taken {
		return true
	}
	return slices.ContainsFunc(image.Children(path),
		func(child string) bool { return takenBelow(image, join(path, child)) })
}

// retry is the search for where a script has failed.
type retry struct {
	image   *journal.Image
	file    *ast.File
	changes []Change
	where   []string
	within  int // foralls whose line is told already
}

// anew has a statement begin anew.
func (r *retry) anew(spot string, pos ast.Pos) {
	r.changes = append(r.changes, Change{Path: spot, Drop: true})
	r.goOn(pos, "")
}

// goOn notes that the script goes on at a statement, in a loop as its text says.
func (r *retry) goOn(pos ast.Pos, loop string) {
	if r.within == 0 {
		r.where = append(r.where, fmt.Sprintf("%s:%d%s", pos.SourceName(), pos.Line, loop))
	}
}

// group goes to the statement with which a group has failed.
func (r *retry) group(path string, g *ast.Group) {
	if spot, stmt := r.failedIn(path, g); stmt != nil {
		r.statement(spot, stmt)
	}
}

// failedIn returns the statement with which a group has failed, and its node; nil: it has not begun.
func (r *retry) failedIn(path string, g *ast.Group) (spot string, stmt *ast.Stmt) {
	text, begun := r.image.Get(path, keyAt)
	at, err := strconv.Atoi(string(text))
	index := IndexOf(g, at)
	if !begun || err != nil || index == len(g.List) {
		return "", nil
	}
	return join(path, string(text)), &g.List[index]
}

// statement has a statement go on that has failed, or stood around one that has.
func (r *retry) statement(spot string, stmt *ast.Stmt) {
	if beginsAnew(r.image, spot) {
		r.anew(spot, stmt.Pos)
		return
	}
	if r.askedAnew(spot, stmt) {
		return
	}
	r.unit(spot)
	loop, isLoop := stmt.Node.(*ast.For)
	if isLoop && loop.Kind == ast.All {
		r.forall(spot, stmt, loop)
		return
	}
	before := len(r.where)
	for _, part := range r.image.Children(spot) {
		switch isCall := r.called(join(spot, part)); {
		case !isCall:
			r.part(spot, part, stmt)
		case takenBelow(r.image, join(spot, part)):
			r.clause(spot)
		}
	}
	if len(r.where) == before {
		r.goOn(stmt.Pos, "")
	}
}

// unit has a unit run again, unless a person has taken it as done.
func (r *retry) unit(spot string) {
	if _, ended := r.image.Get(spot, keyEnd); ended && !unitFailed(r.image, spot) {
		r.changes = append(r.changes, Change{Path: spot, Key: keyTaken})
		return
	}
	r.changes = append(r.changes, Change{Path: spot, Key: keyBegin}, Change{Path: spot, Key: keyEnd})
}

// part goes into a part of a statement.
func (r *retry) part(spot, part string, stmt *ast.Stmt) {
	path := join(spot, part)
	if strings.HasPrefix(part, Test.name()) {
		r.test(path)
		return
	}
	switch n := stmt.Node.(type) {
	case *ast.For:
		before := len(r.where)
		r.group(path, &n.Body)
		if item := r.item(spot, part, n); len(r.where) == before+1 && item != "" {
			r.where[before] += " (for " + item + ")"
		}
	case *ast.Try:
		r.tryPart(spot, part, n)
	default:
		if g := groupOf(stmt.Node, part); g != nil {
			r.group(path, g)
		}
	}
}

// clause has the clauses of a try be evaluated again: in a call of theirs a unit was taken as done. All that came after
// it is done again.
func (r *retry) clause(spot string) {
	r.changes = append(r.changes, Change{Path: spot, Key: KeyTry}, Change{Path: spot, Key: keyProgress},
		Change{Path: join(spot, Catch.name()), Drop: true}, Change{Path: join(spot, Finally.name()), Drop: true})
}

// tryPart goes into the phase of a try in which a unit was taken as done. What came after that is done again.
func (r *retry) tryPart(spot, part string, n *ast.Try) {
	path := join(spot, part)
	if !takenBelow(r.image, path) {
		return
	}
	finally := Change{Path: join(spot, Finally.name()), Drop: true}
	switch part {
	case Finally.name():
		r.changes = append(r.changes, Set(spot, keyMended, Mending{Phase: PhaseFinally}))
		r.group(path, n.Finally)
	case Catch.name():
		r.changes = append(r.changes, Set(spot, keyMended, Mending{Phase: PhaseCatch}), finally)
		r.group(path, n.Catch)
	default:
		catch := Change{Path: join(spot, Catch.name()), Drop: true}
		r.changes = append(r.changes, Set(spot, keyMended, Mending{Phase: PhaseAttempt}), catch, finally)
		r.group(path, &n.Body)
	}
}

// test has the command of a test run again, or a function that it has called go on.
func (r *retry) test(path string) {
	spot := join(path, "0")
	r.unit(spot)
	for _, part := range r.image.Children(spot) {
		r.called(join(spot, part))
	}
}

// called goes into a function, if the node is one that runs; or has a ${ command } run again, if it is one.
func (r *retry) called(path string) bool {
	if strings.HasPrefix(path[strings.LastIndexByte(path, '/')+1:], Output.name()) {
		r.unit(join(path, "0"))
		return true
	}
	var called calledFunction
	if !read(r.image, path, keyFunction, &called) {
		return false
	}
	for _, f := range r.file.Functions {
		if f.Name == called.Name {
			r.group(path, &f.Body)
		}
	}
	return true
}

// item returns the item that a for had come to, as name: value; "": that is not known.
func (r *retry) item(spot, part string, n *ast.For) string {
	var items Items
	i, err := strconv.Atoi(strings.TrimPrefix(part, Item.name()))
	if err != nil || !read(r.image, spot, keyItems, &items) {
		return ""
	}
	text, _ := items.text(i)
	return n.Var.Name + ": " + ast.OneLine(text, mostItem)
}

// forall has the branches go on that have not succeeded.
func (r *retry) forall(spot string, stmt *ast.Stmt, n *ast.For) {
	var items Items
	before := len(r.where)
	for _, part := range r.image.Children(spot) {
		r.called(join(spot, part)) // in its list, or its limit
	}
	if !read(r.image, spot, keyItems, &items) || len(r.where) > before {
		if len(r.where) == before {
			r.goOn(stmt.Pos, "")
		}
		return
	}
	var left []string
	count := items.len()
	r.within++
	for i := range count {
		key := keyEnded + strconv.Itoa(i)
		var end branchEnd
		if read(r.image, spot, key, &end) && !end.Failed {
			continue
		}
		text, _ := items.text(i)
		left = append(left, ast.OneLine(text, mostItem))
		r.changes = append(r.changes, Change{Path: spot, Key: key})
		r.group(join(spot, Fork.Nth(i).String()), &n.Body)
	}
	r.within--
	r.goOn(stmt.Pos, fmt.Sprintf(" (forall %s: %s): %d of %d",
		n.Var.Name, ast.OneLine(strings.Join(left, ", "), mostItems), len(left), count))
}

// mostItems limits the characters that are shown of the items of a forall.
const mostItems = 400
