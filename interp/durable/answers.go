package durable

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"ftsh/interp/journal"
)

// keyNumbers is, of the root, by which numbers people were told of units: these mean the same unit for the life of the
// journal, whatever is decided meanwhile.
const keyNumbers = "numbers"

// numbers are those of units, by their nodes.
type numbers map[string]int

func numbersIn(image *Image) numbers {
	n := numbers{}
	read(image, "", keyNumbers, &n)
	return n
}

// of returns the number of a unit: its own, or the next.
func (n numbers) of(node string) int {
	if n[node] == 0 {
		n[node] = 1 + len(n) // they have no gaps
	}
	return n[node]
}

// Answer writes what a person says of undecided units, and the numbers of all of them: that some are run again, and
// that others have done their work. If one cannot be taken so nothing is.
func (s *Script) Answer(list []Undecided, again, happened func(Undecided) bool) error {
	kind, changes := "undecided", []Change(nil)
	for _, u := range list {
		switch {
		case again(u):
			if other := unsaidBeside(list, u, again); other != nil {
				return fmt.Errorf("--again=%d: the try around it makes another attempt with all that is in it, also %s:%d: "+
					"%s; so say --again=%d, too", u.Number, other.File, other.Line, other.Text, other.Number)
			}
			kind, changes = "again", append(changes, s.runAgain(u)...)
		case happened(u):
			if u.Captures {
				return (&Unit{File: u.File, Line: int32(u.Line), Text: u.Text}).cannotBeDone()
			}
			kind = "happened"
			changes = append(changes, Change{Path: u.Node, Key: keySaid}, Set(u.Node, keyEnd, struct{}{}))
		}
	}
	before, now := numbersIn(s.image()), numbersIn(s.image())
	for _, u := range list {
		now[u.Node] = u.Number
	}
	if !maps.Equal(before, now) {
		changes = append(changes, Set("", keyNumbers, now))
	}
	return s.decide(kind, changes...)
}

// unsaidBeside returns another unit that would be run again with one, and of which that is not said; nil: there is
// none.
func unsaidBeside(list []Undecided, u Undecided, again func(Undecided) bool) *Undecided {
	for i, other := range list {
		if u.Grant != "" && strings.HasPrefix(other.Node, u.Grant+"/") && !again(other) {
			return &list[i]
		}
	}
	return nil
}

// runAgain makes a unit one that has not begun; in a try that may make no further attempt it allows one more.
func (s *Script) runAgain(u Undecided) []Change {
	var try Try
	if u.Grant == "" || !read(s.image(), u.Grant, keyProgress, &try) {
		return []Change{{Path: u.Node, Key: keyBegin}, {Path: u.Node, Key: keySaid}}
	}
	var mending Mending // it may have a phase to go on in
	read(s.image(), u.Grant, keyMended, &mending)
	mending.Granted = u.Text
	attempt := u.Grant + "/" + Attempt.Nth(try.Number).String()
	return []Change{{Path: attempt, Drop: true}, Set(u.Grant, keyMended, mending)}
}

// Done takes units that failed for ones that have done their work, and writes the numbers of all. If one cannot be
// taken so none is.
func (s *Script) Done(list ...FailedUnit) error {
	var changes []Change
	for _, u := range list {
		if u.Captures {
			return u.cannotBeDone()
		}
		changes = append(changes, Set(u.node, keyEnd, struct{}{}), Set(u.node, keyTaken, true))
	}
	all := numbersIn(s.image())
	for _, u := range FailedUnits(s.image()) {
		all[u.node] = u.Number
	}
	return s.decide("happened", append(changes, Set("", keyNumbers, all))...)
}

// decide writes what a person has decided, if that is anything.
func (s *Script) decide(kind string, changes ...Change) error {
	if len(changes) == 0 {
		return nil
	}
	return s.Journal.Sync(context.Background(), s.Journal.Write(journal.Record{Kind: kind, Changes: changes}))
}

// cannotBeDone is the error where a unit that sets a variable is to be taken as done.
func (u *Unit) cannotBeDone() error {
	return fmt.Errorf("%s:%d: %s sets a variable, and what it would be is not known; "+
		"it can only be run again", u.File, u.Line, u.Text)
}
