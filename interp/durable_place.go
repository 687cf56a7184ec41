package interp

import (
	"context"
	"strconv"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// step is how a group hangs in the structure around it.
type step struct {
	kind stepKind
	n    int // which turn, item, attempt … it is
}

type stepKind uint8

const (
	inScript stepKind = iota
	inBranch          // of an if
	inTurn            // of a while
	inTest            // of an if or while
	inItem            // of a for or forany
	inFork            // of a forall
	inAttempt
	inCatch
	inFinally
	inCall
	inSource
	inOn // of on ENGINE
)

// String is how the step's name in the journal begins.
func (k stepKind) String() string {
	return [...]string{"script", "if", "turn", "test", "item", "branch",
		"try", "catch", "finally", "call", "source", "on"}[k]
}

// String is the name that the step has in the journal.
func (s step) String() string {
	switch s.kind {
	case inCatch, inFinally, inSource, inOn:
		return s.kind.String()
	}
	return s.kind.String() + strconv.Itoa(s.n)
}

// place is a group of a durable script that is under way: a node of the journal. The nodes of the
// structures in it hang below the number of their statement: 3/try2/0 is the first statement of the
// second attempt of the fourth statement. A place belongs to the goroutine of its frame.
type place struct {
	up      *place
	path    string
	spot    string           // the node of the statement under way; "": not wanted yet
	at      int              // the number of the statement under way
	written int              // the number that the journal has; -1: none
	calls   int              // in expressions, or the command itself, that this statement has begun
	fork    bool             // of a forall: what is around it belongs to another frame, and was written before
	repeats bool             // in a finally group: what was under way is run again
	resumed bool             // an earlier run was in the statement under way
	below   bool             // the journal has something below the statement under way
	decided []journal.Change // what the structures of that statement have decided, and is not written yet
	kept    []journal.Change // what outlives that statement, likewise
	gone    []string         // nodes that have ended
}

// here is the node of the statement under way.
func (p *place) here() string {
	if p.spot == "" {
		p.spot = strconv.Itoa(p.at)
		if p.path != "" {
			p.spot = p.path + "/" + p.spot
		}
	}
	return p.spot
}

// enter is the place of a group within the statement under way.
func (p *place) enter(s step, past *journal.Image) *place {
	q := &place{up: p, path: p.here() + "/" + s.String(), written: -1,
		fork: s.kind == inFork, repeats: p.repeats || s.kind == inFinally}
	q.resume(p.resumed, past)
	return q
}

// resume goes to where an earlier run was.
func (p *place) resume(resumed bool, past *journal.Image) {
	if !resumed {
		return
	}
	if text, found := past.Get(p.path, keyAt); found {
		p.at, _ = strconv.Atoi(string(text))
		p.written, p.resumed, p.below = p.at, true, true
	}
}

const keyAt = "at" // of a group: the statement under way

// advance goes to another statement. What hangs below the one before is not wanted any more.
func (p *place) advance(to int) {
	if to == p.at {
		return
	}
	p.forget()
	p.at, p.spot, p.calls, p.resumed = to, "", 0, false
}

// forget drops what hangs below the statement under way.
func (p *place) forget() {
	if p.below {
		p.gone = append(p.gone, p.here())
	}
	p.below, p.decided = false, p.decided[:0]
}

// decide notes what a structure has decided. It is written with the next record.
func (p *place) decide(key string, value any) {
	c := change(p.here(), key, value)
	for i := range p.decided {
		if p.decided[i].Path == c.Path && p.decided[i].Key == key {
			p.decided[i] = c
			return
		}
	}
	p.decided = append(p.decided, c)
}

// unwritten takes what is to be written of a place and those around it.
func (p *place) unwritten(list []journal.Change) []journal.Change {
	if p.up != nil && !p.fork {
		list = p.up.unwritten(list)
		p.up.below = true
	}
	for _, path := range p.gone {
		list = append(list, journal.Change{Path: path, Drop: true})
	}
	if p.written != p.at {
		list = append(list, journal.Change{Path: p.path, Key: keyAt, Value: []byte(strconv.Itoa(p.at))})
	}
	list = append(append(list, p.kept...), p.decided...)
	p.gone, p.kept, p.decided, p.written = p.gone[:0], p.kept[:0], p.decided[:0], p.at
	return list
}

// groupIn runs a group that hangs so in the statement under way.
func (f *frame) groupIn(ctx context.Context, s step, g *ast.Group) error {
	if f.place == nil {
		return f.group(ctx, g)
	}
	defer func(outer *place) { f.place = outer }(f.place)
	outer := f.place
	f.place = outer.enter(s, f.run.durable.past)
	err := f.steps(ctx, g)
	if inside := f.place; inside.written >= 0 && !inside.fork && !f.run.durable.suspending() {
		outer.gone = append(outer.gone, inside.path)
	}
	return err
}

// steps runs the statements of the group at the frame's place from where an earlier run was.
func (f *frame) steps(ctx context.Context, g *ast.Group) error {
	p := f.place
	if p == nil {
		return f.group(ctx, g)
	}
	for i := p.at; i < len(g.List); i++ {
		p.advance(i)
		if f.run.durable.Abandon && !p.resumed && !p.repeats {
			f.run.durable.cancel(errAbandoned)
		}
		if p.up == nil {
			f.run.durable.begins(p, &g.List[i])
		}
		if err := f.statement(ctx, &g.List[i]); err != nil {
			return err
		}
	}
	return nil
}

// testIn is for the command of a test, and calls in it: it has a place of its own.
func (f *frame) testIn(n int) (leave func()) {
	outer := f.place
	f.place = outer.enter(step{inTest, n}, f.run.durable.past)
	return func() {
		if f.place.written >= 0 {
			outer.gone = append(outer.gone, f.place.path)
		}
		f.place = outer
	}
}

// resumed reads what an earlier run has decided about the statement under way; false: nothing.
func (f *frame) resumed(key string, value any) bool {
	return f.place != nil && f.place.resumed && f.run.durable.read(f.place.here(), key, value)
}

// goesDown reports whether an earlier run was in the statement under way. Then that is gone into even
// if a limit has passed meanwhile: a finally group in it may be owed.
func (f *frame) goesDown() bool {
	return f.place != nil && f.place.resumed && !f.run.durable.suspending()
}

// decide notes what the statement under way has decided. The type is a parameter so that without a journal
// no value is put on the heap, in each turn of a loop.
func decide[T any](f *frame, key string, value T) {
	if f.place != nil {
		f.place.decide(key, value)
	}
}

// record writes where the frame is, and what state it has there, with changes of its own: all
// of it, or nothing.
func (f *frame) record(kind string, note map[string]any, own ...journal.Change) journal.Mark {
	r := f.recordOf(kind, own...)
	r.Note = note
	return f.run.durable.Journal.Write(r)
}

// recordOf is that record.
func (f *frame) recordOf(kind string, own ...journal.Change) journal.Record {
	changes := f.place.unwritten(make([]journal.Change, 0, 8))
	changes = f.changes(changes)
	if f.branch == 0 {
		changes = append(changes, f.run.durable.inputs.unwritten()...)
	}
	changes = append(append(changes, own...), f.run.durable.now())
	return journal.Record{Kind: kind, Changes: changes, Begins: kind == kindBegin}
}
