package durable

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// A Place is a group of a durable script that is under way: a node of the journal. The nodes of the structures
// in it hang below the number of their statement: 3/try2/0 is the first statement of the second attempt of the
// fourth statement. A place belongs to one goroutine. The methods of a nil place do nothing: what
// runs without a journal, or within a unit, has none.
type Place struct {
	script  *Script
	up      *Place
	path    string
	spot    string   // the node of the statement under way; "": not wanted yet
	at      int      // the number of the statement under way
	written int      // the number that the journal has; -1: none
	outputs int      // of ${ command } that this statement has asked for
	calls   int      // in expressions, or the command itself, that this statement has begun
	fork    bool     // of a forall: what is around it belongs to another goroutine, and was written before
	beside  bool     // in a branch of a forall, or in one of its groups
	repeats bool     // in a finally group: what was under way is run again
	entered bool     // the group has come to a statement in this run
	resumed bool     // an earlier run was in the statement under way
	below   bool     // the journal has something below the statement under way
	states  []entry  // with which the structures of that statement work
	decided []Change // what else has come of it, and is not written yet
	kept    []Change // what outlives that statement, likewise
	gone    []string // nodes that have ended
}

// A State holds what the statements of a script see besides their place: variables, directory …
type State interface {
	// Changes adds how the state differs from what the journal has of it.
	Changes(list []Change) []Change
}

const keyAt = "at" // of a group: the statement under way

// Here is the node of the statement under way.
func (p *Place) Here() string {
	if p.spot == "" {
		p.spot = strconv.Itoa(p.at)
		if p.path != "" {
			p.spot = p.path + "/" + p.spot
		}
	}
	return p.spot
}

// Below is the node of a part of the statement under way.
func (p *Place) Below(s Step) string { return p.Here() + "/" + s.String() }

// Enter is the place of a part of the statement under way, which begins.
func (p *Place) Enter(s Step) *Place {
	if p == nil {
		return nil
	}
	return p.enter(s)
}

func (p *Place) enter(s Step) *Place {
	q := &Place{script: p.script, up: p, path: p.Below(s), written: -1, fork: s.Is(Fork)}
	q.beside, q.repeats = p.beside || q.fork, p.repeats || s.Is(Finally)
	if p.below && s.n > 0 && (s.Is(Attempt) || s.Is(Alternative)) {
		p.drop(p.Below(s.kind.Nth(s.n - 1)))
	}
	q.resume(p.resumed)
	return q
}

// drop notes that a node below the statement under way is not wanted any more.
func (p *Place) drop(path string) {
	p.decided = slices.DeleteFunc(p.decided, func(c Change) bool {
		return c.Path == path || strings.HasPrefix(c.Path, path+"/")
	})
	p.gone = append(p.gone, path)
}

// Leave ends a part that was entered. What the journal has of it is not wanted any more, unless it has failed: then the
// place where it stands stays until the statement around has ended in another way or, after an attempt or alternative,
// makes another one, since it may be gone on with from there. The branch of a forall that has succeeded is left by
// [Place.EndBranch].
func (p *Place) Leave(state State, failed bool) {
	if p != nil {
		p.leave(state, failed)
	}
}

func (p *Place) leave(state State, failed bool) {
	switch {
	case p.script.Suspending():
	case failed && p.fork:
		p.Note(state, "failed")
	case failed:
		p.up.Carry(p.own(nil)...)
	case p.written >= 0 && !p.fork:
		p.up.gone = append(p.up.gone, p.path)
	}
}

// Carry notes changes below the statement under way, which are written with the next record.
func (p *Place) Carry(changes ...Change) {
	p.decided = append(p.decided, changes...)
	p.below = true
}

// resume goes to where an earlier run was.
func (p *Place) resume(resumed bool) {
	if !resumed {
		return
	}
	if text, found := p.script.past.Get(p.path, keyAt); found {
		p.at, _ = strconv.Atoi(string(text))
		p.written, p.resumed, p.below = p.at, true, true
	}
}

// First is the index of the statement with which a group begins: where an earlier run was. Definitions of functions are
// not counted in the numbers of statements, so that they may be changed, added and removed.
func (p *Place) First(g *ast.Group) int {
	if p == nil {
		return 0
	}
	return IndexOf(g, p.at)
}

// IndexOf is the index of the statement with that number; past the end, that of the end.
func IndexOf(g *ast.Group, number int) int {
	for i := range g.List {
		switch {
		case isDefinition(&g.List[i]):
		case number == 0:
			return i
		default:
			number--
		}
	}
	return len(g.List)
}

func isDefinition(s *ast.Stmt) bool {
	_, is := s.Node.(*ast.Function)
	return is
}

// Advance goes to another statement of the group. What hangs below the one before is not wanted any more.
func (p *Place) Advance(s *ast.Stmt) {
	if p != nil && !isDefinition(s) {
		p.advance(s)
	}
}

func (p *Place) advance(s *ast.Stmt) {
	if p.entered {
		p.forget()
		p.at, p.spot, p.calls, p.outputs, p.resumed = p.at+1, "", 0, 0, false
	}
	p.entered = true
	if p.script.Abandon && !p.resumed && !p.repeats {
		p.script.cancel(errAbandoned)
	}
	if p.up == nil {
		p.script.noteStatement(p, s)
	}
}

// forget drops what hangs below the statement under way.
func (p *Place) forget() {
	if p.below {
		p.gone = append(p.gone, p.Here())
	}
	p.below, p.states, p.decided = false, nil, p.decided[:0]
}

// Within reports whether an earlier run was in that part of the statement under way.
func (p *Place) Within(s Step) bool {
	if p == nil || !p.resumed {
		return false
	}
	_, found := p.script.past.Get(p.Below(s), keyAt)
	return found
}

// Resumed reports whether an earlier run was in the statement under way.
func (p *Place) Resumed() bool { return p != nil && p.resumed }

// GoesDown reports whether the statement under way is gone into even if a limit has passed meanwhile: an earlier
// run was in it, and a finally group in it may be owed.
func (p *Place) GoesDown() bool { return p.Resumed() && !p.script.Suspending() }

// Stops reports whether nothing may begin any more: the script is suspended, or a dry run has come to a statement that
// no earlier run has.
func (p *Place) Stops() bool {
	return p != nil && (p.script.Suspending() || p.script.dry && !p.resumed)
}

// Repeats reports whether the place is in a finally group: what was under way there is run again.
func (p *Place) Repeats() bool { return p.repeats }

// Abandoned reports whether the script is to be abandoned, and has come to where it was: it is cut off there.
func (p *Place) Abandoned() bool {
	if p == nil || !p.script.Abandon || p.repeats {
		return false
	}
	p.script.cancel(errAbandoned)
	return true
}

// decide notes what has come of the statement under way. It is written with the next record.
func (p *Place) decide(key string, value any) {
	c := Set(p.Here(), key, value)
	for i := range p.decided {
		if p.decided[i].Path == c.Path && p.decided[i].Key == key {
			p.decided[i] = c
			return
		}
	}
	p.decided = append(p.decided, c)
}

// unwritten takes what is to be written of a place and those around it.
func (p *Place) unwritten(list []Change) []Change {
	if p.up != nil && !p.fork {
		list = p.up.unwritten(list)
		p.up.below = true
	}
	return p.own(list)
}

// own takes what is to be written of the place alone.
func (p *Place) own(list []Change) []Change {
	for _, path := range p.gone {
		list = append(list, Change{Path: path, Drop: true})
	}
	if p.written != p.at {
		list = append(list, Change{Path: p.path, Key: keyAt, Value: []byte(strconv.Itoa(p.at))})
	}
	list = append(append(list, p.kept...), p.decided...)
	for _, s := range p.states {
		list = s.changes(list, p.Here())
	}
	p.gone, p.kept, p.decided, p.written = p.gone[:0], p.kept[:0], p.decided[:0], p.at
	return list
}

// record writes the place and the state, with changes of its own: all of it, or nothing.
func (p *Place) record(s State, kind string, own ...Change) journal.Mark {
	if p.script.dry {
		return 0
	}
	return p.script.write(p.recordOf(s, kind, own...))
}

func (p *Place) recordOf(s State, kind string, own ...Change) journal.Record {
	changes := s.Changes(p.unwritten(make([]Change, 0, 8)))
	if !p.beside {
		changes = append(changes, p.script.inputs.unwritten(p.Here())...)
	}
	changes = append(append(changes, own...), p.script.now())
	return journal.Record{Kind: kind, Changes: changes, Begins: kind == kindBegin}
}

// Change is one change to the journal.
type Change = journal.Change

// Text is text in the journal that need not be UTF-8.
type Text = journal.Text

// Set is the change that gives a key of a node its value. Nothing that is written there fails to be JSON.
func Set(path, key string, value any) Change {
	text, err := json.Marshal(value)
	if err != nil {
		panic("a record that is no JSON: " + err.Error())
	}
	return Change{Path: path, Key: key, Value: text}
}
