package interp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// Unit is a unit of a durable script that has begun, in tests.
type Unit struct {
	Path  string // in the journal
	frame *frame
	place *place
	pos   ast.Pos
	said  *said
}

// Around has units be run by a function.
func (d *Durable) Around(call func(u *Unit, run func() error) error) {
	d.around = func(f *frame, p *place, pos ast.Pos, run func() error) error {
		return call(&Unit{Path: p.here(), frame: f, place: p, pos: pos}, run)
	}
}

// Unknown is how the unit fails if the shell dies in it.
func (u *Unit) Unknown() error {
	failure := failed(KindUnknown, u.pos, "was under way when the shell ended; whether it did its work is unknown")
	failure.Command = statementText(u.pos)
	return u.frame.announce(failure)
}

// End is the mutant that writes the end of a unit before it has done anything.
func (u *Unit) End() {
	u.frame.place = u.place
	u.frame.record("end", nil, change(u.Path, keyEnd, savedEnding{}))
	u.frame.place = nil
}

// Say has the unit say something on standard error, and reports whether the journal keeps it. It may be called
// when the unit has ended.
func (u *Unit) Say(line string) bool {
	if u.said == nil {
		u.said = u.frame.said
	}
	return u.said.tell(line)
}

// Forget is the mutant that changes variables without a mark.
func (u *Unit) Forget() {
	k := u.frame.kept
	for n := range u.frame.vars {
		k.know(n, u.frame.vars[n])
	}
}

// Check compares the state of the frame with what the journal has of it.
func (u *Unit) Check() error {
	f, image := u.frame, u.frame.run.durable.Journal.Image()
	path := f.kept.path
	if line, stale := image.Get(u.Path, keySaid); stale {
		return fmt.Errorf("the unit %s begins, and the journal has a line of an earlier one: %s", u.Path, line)
	}
	for n := range f.vars {
		name := f.run.names.Name(n)
		if err := same(image, path, keyVariable+name, saveVariable(f.vars[n])); err != nil {
			return err
		}
	}
	for n := range f.locals {
		if err := same(image, f.kept.scope.path, keyLocal+strconv.Itoa(n), saveVariable(f.locals[n])); err != nil {
			return err
		}
	}
	if err := same(image, path, keyFailed, f.run.durable.saveFailure(f.failed)); err != nil {
		return err
	}
	if err := same(image, f.kept.scope.path, keyArgs, saveParameters(f.params)); err != nil {
		return err
	}
	return same(image, path, keyDir, f.dir.Name)
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

// Open gives the units that have begun and not ended, and when they began.
func (d *Durable) Open() map[string]time.Duration {
	open := map[string]time.Duration{}
	visit(d.Journal.Image(), "", func(path string) {
		var b begun
		if _, ended := d.Journal.Image().Get(path, keyEnd); !ended && read(d.Journal.Image(), path, keyBegin, &b) {
			open[path] = b.Time
		}
	})
	return open
}

// Write changes the journal as a shell that does something wrong would.
func (d *Durable) write(changes ...journal.Change) { _ = d.decide("wrong", changes...) }

// EndAll is the mutant that takes what was begun for ended.
func (d *Durable) EndAll() {
	for path := range d.Open() {
		d.write(change(path, keyEnd, savedEnding{}))
	}
}

// Unwait is the mutant that does not go on with waits.
func (d *Durable) Unwait() {
	visit(d.Journal.Image(), "", func(path string) {
		var p tryProgress
		if _, waits := d.Journal.Image().Get(path, keyWait); waits {
			d.write(journal.Change{Path: path, Key: keyWait})
		}
		if read(d.Journal.Image(), path, keyProgress, &p) && p.Phase == phaseWait {
			p.Wait = 0
			d.write(change(path, keyProgress, p))
		}
	})
}

// visit visits the nodes of a journal.
func visit(image *journal.Image, path string, call func(path string)) {
	call(path)
	for _, child := range image.Children(path) {
		if path != "" {
			child = path + "/" + child
		}
		visit(image, child, call)
	}
}

// Place is the unit's in the journal.
func (u Undecided) Place() string { return u.Node }

// Grants reports whether one more attempt is granted if the unit is run again.
func (u Undecided) Grants() bool { return u.grant != "" }
