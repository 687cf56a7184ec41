package durable

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/ast/units"
)

// A Spot is what a journal says of a statement of the script. A line has several where branches of a forall, or calls
// of a function, stand beside each other.
type Spot struct {
	Pos    ast.Pos
	Mark   mark
	Branch string    // of a forall around it, as f=b; "": there is none
	Note   string    // the item or attempt that it is at, or how it failed
	Until  time.Time // the end of a wait; zero: there is none

	parts bool // the journal has some of it
}

// mark tells how far a script has come with a statement. Of several at one line the highest counts.
type mark uint8

// The marks. A statement that has none has not begun.
const (
	markWithin mark = iota // in a statement that is done, whatever was run of it
	markDone
	markSkipped // in another branch of an if
	markOwed    // a finally group that will run
	markIn      // the script stands in it
	markHere    // it is next
	markAgain   // so it is, though it had begun: a block from its beginning
	markAwaited // a job, which outlives the shell
	markUnderWay
	markWaits
	markFailed
	markUndecided
)

// String is the mark as people read it.
func (m mark) String() string {
	return [...]string{".", "done", "skipped", "owed", "in", "here", "again", "awaited", "under way", "waits",
		"failed", "undecided"}[m]
}

// Stands reports whether the script has come to this place, and not beyond it.
func (s *Spot) Stands() bool { return s.Mark >= markIn }

// spots finds what the journal says, along the text of the script.
type spots struct {
	image   *Image
	loops   loops
	file    *ast.File
	numbers map[string]int // of units that a person decides about, by their nodes
	failed  bool           // what is looked at has failed
	changed bool           // the statement in which the script failed is another one now: nothing is known of its parts
	branch  string
	list    []Spot
	wanted  bool // the variables are
	state   []string
	scopes  int // that may have variables of their own, and of which these are shown
}

// howEnded is what is shown of how something ended.
type howEnded struct {
	Failure *struct {
		Line    int
		Message Text
	}
	Exit *int
}

// Spots returns what the journal says of the script, and if wanted its variables with their values, each in a line. The
// script must not differ from the one that was begun.
func (s *Script) Spots(file *ast.File, list []Undecided, wanted bool) (_ []Spot, state []string) {
	v := &spots{image: s.image(), loops: loopsOf(s.image()), file: file, numbers: map[string]int{},
		wanted: wanted}
	for _, u := range list {
		v.numbers[u.Node] = u.Number
	}
	for _, u := range FailedUnits(v.image) {
		v.numbers[u.node] = u.Number
	}
	var end howEnded
	finished := read(v.image, "", keyResult, &end)
	v.failed = end.Failure != nil || end.Exit != nil && *end.Exit != 0
	v.variables("", "", nil)
	v.changed = v.failed && s.Changed(file, true)
	v.group("", &file.Body, finished && !v.failed)
	if more := v.scopes - mostScopes; wanted && more > 0 {
		v.state = append(v.state, fmt.Sprintf("and of %d more branches and functions", more))
	}
	return v.list, v.state
}

func (v *spots) add(pos ast.Pos, m mark, notes ...string) *Spot {
	notes = slices.DeleteFunc(notes, func(note string) bool { return note == "" })
	v.list = append(v.list, Spot{Pos: pos, Mark: m, Branch: v.branch, Note: strings.Join(notes, "; ")})
	return &v.list[len(v.list)-1]
}

// all marks statements, and what is in them.
func (v *spots) all(list []ast.Stmt, m, inside mark) {
	for i := range list {
		if !isDefinition(&list[i]) {
			now := m
			within(&list[i], func(s *ast.Stmt) {
				v.add(s.Pos, now)
				now = inside
			})
		}
	}
}

// group marks the statements of a group, and reports whether the script stands at one. over: at none any more, whatever
// it was at.
func (v *spots) group(path string, g *ast.Group, over bool) (stands bool) {
	text, begun := v.image.Get(path, keyAt)
	at, err := strconv.Atoi(string(text))
	if !begun || err != nil {
		return false
	}
	spot := join(path, string(text))
	if _, ended := v.image.Get(spot, keyEnd); over || ended && !unitFailed(v.image, spot) {
		at++
	}
	index := IndexOf(g, at)
	v.all(g.List[:index], markDone, markWithin)
	switch stands = !over && index < len(g.List); {
	case stands && v.changed:
		v.add(g.List[index].Pos, markFailed, "changed since")
	case stands:
		v.statement(join(path, strconv.Itoa(at)), &g.List[index])
	}
	return stands
}

// statement marks one that is under way, and what is in it.
func (v *spots) statement(spot string, s *ast.Stmt) {
	parts := v.image.Children(spot)
	slices.SortStableFunc(parts, func(a, b string) int { return len(a) - len(b) }) // branch9 before branch10
	stands := false
	for _, part := range parts {
		stands = v.part(spot, part, s) || stands
	}
	m, note, until := v.standing(spot)
	switch {
	case m == markHere && stands:
		m = markIn
	case m == markHere && v.failed:
		m = markFailed
	}
	around := ""
	switch n := s.Node.(type) {
	case *ast.For:
		around = v.loop(spot, n)
	case *ast.While:
		var while While
		if read(v.image, spot, keyWhile, &while) {
			around = fmt.Sprintf("turn %d", while.Turn)
		}
	case *ast.If:
		v.branches(spot, n)
	case *ast.Try:
		around = v.try(spot, n)
	}
	_, isUnit := v.image.Get(spot, keyBegin)
	if isUnit && len(s.Redirects) > 0 { // of a block: a command has its own
		around = asOneUnit
	}
	own := v.add(s.Pos, m, note, around)
	own.Until, own.parts = until, len(parts) > 0
}

const asOneUnit = "as one unit" // it is run again as a whole

// standing tells of a node itself whether it is a unit that has begun, or a wait; markHere: neither.
func (v *spots) standing(node string) (m mark, note string, until time.Time) {
	s, at := standing(v.image, node)
	var end howEnded
	var begun Unit
	read(v.image, node, keyBegin, &begun)
	began, number := "began "+time.Unix(0, int64(begun.Time+begun.Apart)).Format(time.DateTime), ""
	if n := v.numbers[node]; n > 0 {
		number = fmt.Sprintf("=%d", n)
	}
	switch ended := read(v.image, node, keyEnd, &end) && end.Failure != nil; {
	case ended:
		return markFailed, strings.TrimSpace(string(end.Failure.Message) + " " + number), until
	case v.failed && at:
		return markFailed, number, until
	case number != "":
		return markUndecided, number + ", " + began, until
	case !at:
		return markHere, "", until
	case !s.Until.IsZero():
		return markWaits, "", s.Until
	case begun.Job != "":
		return markAwaited, began, until
	}
	return markUnderWay, began, until
}

// part marks what is in a part of a statement that is under way, and reports whether the script stands there.
func (v *spots) part(spot, part string, s *ast.Stmt) (stands bool) {
	path, kind := join(spot, part), strings.TrimRight(part, "0123456789")
	defer func(branch string, failed bool) { v.branch, v.failed = branch, failed }(v.branch, v.failed)
	var try Try
	over := read(v.image, spot, keyProgress, &try) && try.isOver(part)
	v.failed = v.failed || over
	g := groupOf(s.Node, part)
	switch {
	case v.call(path, s.Pos):
		return true
	case g == nil || kind == Output.name():
		return v.asked(path, kind, s)
	case kind != Finally.name() && units.Cause(s.Redirects) != nil && len(g.List) > 0: // of a try or forany
		m, note, _ := v.standing(join(path, "0"))
		v.add(g.List[0].Pos, m, note, asOneUnit)
		return !over
	case kind == Fork.name():
		_, ended := v.image.Get(spot, keyEnded+part[len(kind):])
		v.branch, v.failed = strings.Join(v.loops.around(path+"/"), ", "), v.failed || ended
		v.variables(path, v.branch, nil)
	}
	return v.group(path, g, false) && !over
}

// asked marks the command of a test, or of a ${ command }.
func (v *spots) asked(path, kind string, s *ast.Stmt) (stands bool) {
	pos := s.Pos
	if n, isIf := s.Node.(*ast.If); isIf && kind == Test.name() {
		if i, err := strconv.Atoi(path[strings.LastIndexByte(path, '/')+1+len(kind):]); err == nil && i < len(n.Branches) {
			pos = n.Branches[i].Pos
		}
	}
	spot := join(path, "0")
	m, note, until := v.standing(spot)
	for _, call := range v.image.Children(spot) {
		stands = v.call(join(spot, call), pos) || stands
	}
	if stands {
		m = markIn
	}
	v.add(pos, m, note).Until = until
	return true
}

// call marks a function, if one runs at a node.
func (v *spots) call(path string, from ast.Pos) (runs bool) {
	var called calledFunction
	if !read(v.image, path, keyFunction, &called) {
		return false
	}
	for _, f := range v.file.Functions {
		if f.Name == called.Name {
			v.variables(path, strings.TrimPrefix(v.branch+", function "+f.Name, ", "), f.Locals)
			m := markHere
			if v.group(path, &f.Body, false) {
				m = markIn
			}
			v.add(f.Pos, m, "called in "+from.InFile())
		}
	}
	return true
}

// loop tells how far a loop has come.
func (v *spots) loop(spot string, n *ast.For) string {
	var items Items
	if !read(v.image, spot, keyItems, &items) {
		return ""
	}
	count := items.len()
	if n.Kind != ast.All {
		loop := loopOf(v.image, spot)
		text, found := items.text(loop.Index(loop.Item, count))
		if !found {
			return ""
		}
		return fmt.Sprintf("%s=%s, %d of %d", n.Var.Name, ast.OneLine(text, mostItem), loop.Item+1, count)
	}
	ended := map[bool]int{} // branches, by whether they have failed
	for _, key := range v.image.Keys(spot) {
		var end branchEnd
		if strings.HasPrefix(key, keyEnded) && read(v.image, spot, key, &end) {
			ended[end.Failed]++
		}
	}
	begun := slices.DeleteFunc(UnderWay(v.image, spot), func(part string) bool { // a call in its limit
		return !strings.HasPrefix(part, Fork.name())
	})
	return fmt.Sprintf("%d of %d done, %d failed, %d begun", ended[false], count, ended[true], len(begun))
}

// branches marks those of an if that were not chosen. In a forall each branch may choose another one.
func (v *spots) branches(spot string, n *ast.If) {
	var choice Choice
	read(v.image, spot, keyIf, &choice)
	chosen := choice.Chosen - 1
	if v.branch != "" || chosen < 0 {
		return
	}
	for i := range n.Branches {
		if i != chosen {
			v.all(n.Branches[i].Body.List, markSkipped, markSkipped)
		}
	}
	if n.Else != nil && chosen < len(n.Branches) {
		v.all(n.Else.List, markSkipped, markSkipped)
	}
}

// try tells how far a try has come, and marks what it has done and owes.
func (v *spots) try(spot string, n *ast.Try) (note string) {
	var header struct {
		Start, Limit time.Duration
		Allowed      int
	}
	var progress struct {
		Try
		Last, Caught *struct {
			Line    int
			Message Text
		}
	}
	if !read(v.image, spot, KeyTry, &header) || !read(v.image, spot, keyProgress, &progress) {
		return ""
	}
	note = fmt.Sprintf("attempt %d", progress.Number)
	if header.Allowed > 0 {
		note += fmt.Sprintf(" of %d", header.Allowed)
	}
	if header.Limit > 0 {
		note += ", limit " + time.Unix(0, int64(header.Start+header.Limit)).Format(time.DateTime)
	}
	last := progress.Last
	if progress.Caught != nil {
		last = progress.Caught
	}
	if last != nil {
		note += fmt.Sprintf("; failed in line %d: %s", last.Line, last.Message)
	}
	_, attempted := v.image.Get(join(spot, Attempt.Nth(progress.Number).String()), keyAt)
	switch {
	case progress.Phase == PhaseFinally && !attempted: // it has succeeded
		v.all(n.Body.List, markDone, markWithin)
	case n.Finally != nil && progress.Phase != PhaseFinally && !v.failed:
		v.all(n.Finally.List, markOwed, markOwed)
	}
	return note
}
