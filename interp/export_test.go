package interp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/journal"
)

// Unit is a unit of a durable script that has begun, in tests.
type Unit struct {
	Path  string // in the journal
	frame *frame
	place *durable.Place
	pos   ast.Pos
	said  *durable.LastLine
}

// Around has units be run by a function.
func (r *Runner) Around(call func(u *Unit, run func() error) error) {
	r.around = func(f *frame, p *durable.Place, pos ast.Pos, run func() error) error {
		return call(&Unit{Path: p.Here(), frame: f, place: p, pos: pos}, run)
	}
}

// Pos is its position, as the record of its begin says.
func (u *Unit) Pos() ast.Pos { return u.pos }

// Captures reports whether the journal says that the unit sets variables.
func (u *Unit) Captures() bool {
	var begin durable.Unit
	return read(u.frame.run.durable, u.Path, "begin", &begin) && begin.Captures
}

// Unknown returns the failure of the unit if the shell dies in it.
func (u *Unit) Unknown() error {
	failure := leftUnderWay(u.pos.RestOfLine())
	failure.Pos = u.pos
	return u.frame.announceFailure(failure)
}

// End is the mutant that writes the end of a unit before it has done anything.
func (u *Unit) End() {
	u.place.Note(u.frame, "end", durable.Set(u.Path, "end", savedEnding{}))
}

// Say has the unit say something on standard error, and reports whether the journal keeps it. It may be called
// when the unit has ended.
func (u *Unit) Say(line string) bool {
	if u.said == nil {
		u.said = u.frame.said
	}
	return u.said.Keep(line)
}

// Forget is the mutant that changes variables without a mark.
func (u *Unit) Forget() {
	k := u.frame.state.kept
	for n := range u.frame.state.vars {
		k.noteKept(n, u.frame.state.vars[n])
	}
}

// Check compares the state of the frame with what the journal has of it.
func (u *Unit) Check() error {
	f, image := u.frame, u.frame.run.durable.Journal.Image()
	path := f.state.kept.path
	if line, stale := image.Get(u.Path, "said"); stale {
		return fmt.Errorf("the unit %s begins, and the journal has a line of an earlier one: %s", u.Path, line)
	}
	for n := range f.state.vars {
		name := f.run.names.Name(n)
		if err := same(image, path, keyVariable+name, f.run.saveVariable(name, f.state.vars[n])); err != nil {
			return err
		}
	}
	for n := range f.call.locals {
		saved := f.run.saveVariable("", f.call.locals[n])
		if err := same(image, f.call.kept.path, keyLocal+strconv.Itoa(n), saved); err != nil {
			return err
		}
	}
	if err := same(image, path, keyFailed, f.run.saveFailure(f.failure())); err != nil {
		return err
	}
	if err := same(image, f.call.kept.path, keyArgs, f.run.saveArguments(f.call.params)); err != nil {
		return err
	}
	return same(image, path, keyDir, f.state.dir.Name)
}

// same compares what the journal has, if it has that, with what it should have.
func same(image *journal.Image, path, key string, want any) error {
	got, found := image.Get(path, key)
	text, _ := json.Marshal(want)
	if found && string(got) != string(text) {
		return fmt.Errorf("the journal has %s of %s at %q, want %s", got, key, path, text)
	}
	return nil
}

// OpenUnits gives the units that have begun and not ended, and when they began.
func OpenUnits(d *durable.Script) map[string]time.Duration {
	open := map[string]time.Duration{}
	visit(d.Journal.Image(), "", func(path string) {
		var u durable.Unit
		if _, ended := d.Journal.Image().Get(path, "end"); !ended && read(d, path, "begin", &u) {
			open[path] = u.Time
		}
	})
	return open
}

// write changes the journal as a shell that does something wrong would.
func write(d *durable.Script, changes ...journal.Change) {
	_ = d.Journal.Sync(context.Background(), d.Journal.Write(journal.Record{Kind: "wrong", Changes: changes}))
}

func read(d *durable.Script, path, key string, value any) bool {
	text, found := d.Journal.Image().Get(path, key)
	return found && json.Unmarshal(text, value) == nil
}

// EndAll is the mutant that takes what was begun for ended.
func EndAll(d *durable.Script) {
	for path := range OpenUnits(d) {
		write(d, durable.Set(path, "end", savedEnding{}))
	}
}

// Unwait is the mutant that does not go on with waits.
func Unwait(d *durable.Script) {
	visit(d.Journal.Image(), "", func(path string) {
		var p tryProgress
		if _, waits := d.Journal.Image().Get(path, "wait"); waits {
			write(d, journal.Change{Path: path, Key: "wait"})
		}
		if read(d, path, p.JournalKey(), &p) && p.Phase == durable.PhaseWait {
			p.Wait = 0
			write(d, durable.Set(path, p.JournalKey(), p))
		}
	})
}

// visit visits the nodes of a journal.
func visit(image *journal.Image, path string, call func(path string)) {
	call(path)
	for _, child := range durable.UnderWay(image, path) {
		if path != "" {
			child = path + "/" + child
		}
		visit(image, child, call)
	}
}
