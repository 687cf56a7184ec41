package durable

import "strconv"

// A Step names the part of a structure that a group is: its nth turn, its catch group …
type Step struct {
	kind StepKind
	n    int
}

// StepKind is a kind of part.
type StepKind uint8

// The kinds of parts that structures have.
const (
	Branch      StepKind = iota // of an if
	Turn                        // of a while
	Test                        // of an if or while
	Item                        // of a for
	Alternative                 // of a forany
	Fork                        // of a forall
	Attempt
	Catch
	Finally
	Call   // of a function
	Source // a file
	On     // on ENGINE
	Output // ${ command }
)

// Nth is the part of that kind with that number: which turn, item, attempt … it is.
func (k StepKind) Nth(n int) Step { return Step{k, n} }

// Only is the part of that kind, of which a structure has one.
func (k StepKind) Only() Step { return Step{kind: k} }

// Is reports whether the part is of that kind.
func (s Step) Is(k StepKind) bool { return s.kind == k }

// name begins the part's name in the journal.
func (k StepKind) name() string {
	return [...]string{
		"if", "turn", "test", "item", "item", "branch", "try", "catch", "finally", "call", "source", "on", "output"}[k]
}

// String is the name that the part has in the journal.
func (s Step) String() string {
	switch s.kind {
	case Catch, Finally, Source, On:
		return s.kind.name()
	}
	return s.kind.name() + strconv.Itoa(s.n)
}
