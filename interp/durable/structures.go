package durable

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ftsh/ast"
	"ftsh/interp/journal"
)

// What the structures of a script keep here is their own; of these keys something must be known to tell where a
// script stands, and to go on at what failed.
const (
	KeyTry      = "try"      // what its clauses said
	keyProgress = "progress" // of a try: [Try]
	keyMended   = "mended"   // of a try: [Mending]
	keyIf       = "if"       // [Choice]
	keyWhile    = "while"    // [While]
	keyItems    = "items"    // of a loop: [Items]
	keyLoop     = "loop"     // of a for or forany: [Loop]
	keyForall   = "forall"   // [Forall]
	keyEnded    = "ended"    // of a forall: a branch, with its number
	keyHanded   = "handed"   // of a forall .grouped.: all that the branch wrote was handed on, likewise
	keyFunction = "function"
	keyReturned = "returned" // with the number of the call
	keyOutput   = "output"   // with its number: what a ${ command } has written
)

// The states under the keys above, see [Keep].

func (Choice) JournalKey() string  { return keyIf }
func (While) JournalKey() string   { return keyWhile }
func (Loop) JournalKey() string    { return keyLoop }
func (*Items) JournalKey() string  { return keyItems }
func (Forall) JournalKey() string  { return keyForall }
func (*Try) JournalKey() string    { return keyProgress }
func (Mending) JournalKey() string { return keyMended }

// A Choice is the state of an if or case.
type Choice struct {
	Tested int `json:"tested,omitempty"` // so many of its tests do not hold
	Chosen int `json:"chosen,omitempty"` // the number, from 1, of the group that runs; 0: not decided yet
}

// A While is the state of a while: in the test or in the group of a turn.
type While struct {
	Turn   int  `json:"turn"` // from 1
	Inside bool `json:"inside,omitempty"`
}

// A Loop is the state of a for or forany.
type Loop struct {
	Item  int `json:"item"`            // the index of the one under way, of a forany in the order in which they are tried
	First int `json:"first,omitempty"` // of a forany: the number, from 1, of the item that is tried first; 0: not decided
}

// loopOf returns that of a node; without one it is zero.
func loopOf(image *Image, path string) (l Loop) {
	read(image, path, keyLoop, &l)
	return l
}

// Index is where in a list of so many items the one stands to which a loop comes after i others.
func (l Loop) Index(i, items int) int { return (max(0, l.First-1) + i) % max(1, items) }

// A Forall is the state of a forall.
type Forall struct {
	Limit     int64 `json:"limit,omitempty"`
	Keepgoing bool  `json:"keepgoing,omitempty"`
}

// Try tells how far a try has come, as far as it must be known.
type Try struct {
	Phase  string        `json:"phase"`
	Number int           `json:"attempt"`
	Item   Text          `json:"item,omitempty"` // of the innermost loop, for people
	Wait   time.Duration `json:"wait,omitempty"` // until when, in the script's time, if that is the phase
}

// A Mending is what a person has decided about a try. Its zero value says nothing.
type Mending struct {
	Granted string `json:"granted,omitempty"` // it may make another attempt, after a command with that text
	Phase   string `json:"phase,omitempty"`   // it had failed, and goes on in that phase: a unit in it was taken as done
}

// The phases of a try: PhaseWait is between two attempts.
const (
	PhaseAttempt = "attempt"
	PhaseWait    = "wait"
	PhaseCatch   = "catch"
	PhaseFinally = "finally"
)

// isOver reports whether the part with that name of a try has ended.
func (t *Try) isOver(part string) bool {
	switch {
	case strings.HasPrefix(part, Attempt.name()):
		return t.Phase != PhaseAttempt || part != Attempt.Nth(t.Number).String()
	case part == Catch.name():
		return t.Phase == PhaseFinally
	}
	return false
}

// Items is the list of a loop: the values, or numbers at the same distance.
type Items struct {
	Name   string  `json:"name,omitempty"` // of the variable
	Values []Value `json:"values,omitempty"`
	From   int64   `json:"from,omitempty"`
	Step   int64   `json:"step,omitempty"`
	Count  int     `json:"count,omitempty"`
}

// len is how many items there are.
func (s *Items) len() int { return max(len(s.Values), s.Count) }

// text is an item as people read it; false: there is none.
func (s *Items) text(i int) (text string, found bool) {
	switch {
	case i < s.Count:
		return strconv.FormatInt(s.From+int64(i)*s.Step, 10), true
	case i >= len(s.Values):
		return "", false
	}
	return s.Values[i].shown(), true
}

// Value is a value of a script. What is not UTF-8 stands in base64.
type Value struct {
	UTF8     *string `json:"text,omitempty"`
	Bytes    []byte  `json:"base64,omitempty"`
	Int      *int64  `json:"int,omitempty"`
	Captured bool    `json:"captured,omitempty"` // with the newlines at its end
	Secret   bool    `json:"secret,omitempty"`   // it was left out, as no journal has secrets
}

// TextValue is the value that is a text.
func TextValue(text string) Value {
	if utf8.ValidString(text) {
		return Value{UTF8: &text}
	}
	return Value{Bytes: []byte(text)}
}

// shown is the value as people read it.
func (v Value) shown() string {
	switch {
	case v.Secret:
		return "***"
	case v.Captured:
		return strings.TrimRight(v.Text(), "\n")
	}
	return v.Text()
}

// Text is the value as text.
func (v Value) Text() string {
	switch {
	case v.Int != nil:
		return strconv.FormatInt(*v.Int, 10)
	case v.UTF8 != nil:
		return *v.UTF8
	}
	return string(v.Bytes)
}

// branchEnd records the end of a branch of a forall.
type branchEnd struct {
	Failed bool          `json:"failed,omitempty"`
	At     time.Duration `json:"at,omitempty"` // when, in the script's time
	End    any           `json:"end"`
}

// BeginBranches writes that the branches of a forall begin, each of which then writes for itself.
func (p *Place) BeginBranches(state State) {
	if p != nil {
		p.Note(state, "forall")
	}
}

// BranchEnded gives how a branch of a forall ended for an earlier run, and when in the script's time; false: it has
// not.
func (p *Place) BranchEnded(i int, end any) (at time.Duration, ended bool) {
	if !p.Resumed() {
		return 0, false
	}
	b := branchEnd{End: end}
	ended = p.script.read(p.Here(), keyEnded+strconv.Itoa(i), &b)
	return b.At, ended
}

// EndBranch writes how the branch with that number ended, whose forall is the statement under way.
func (p *Place) EndBranch(i int, failed bool, end any) {
	s := p.script
	if s.Suspending() || s.dry {
		return
	}
	ended := branchEnd{Failed: failed, At: s.ToScript(s.clock()), End: end}
	changes := []Change{Set(p.Here(), keyEnded+strconv.Itoa(i), ended), s.now()}
	if !failed {
		changes = append(changes, Change{Path: p.Below(Fork.Nth(i)), Drop: true})
	}
	s.write(journal.Record{Kind: "branch", Changes: changes})
}

// HandOn notes that all that a branch of a forall .grouped. wrote was handed on, whose forall is the statement under
// way.
func (p *Place) HandOn(i int) {
	if p != nil && !p.script.dry {
		p.script.Journal.Write(journal.Record{Kind: "branch",
			Changes: []Change{Set(p.Here(), keyHanded+strconv.Itoa(i), true)}})
	}
}

// HandedOn reports whether an earlier run has noted that.
func (p *Place) HandedOn(i int) bool {
	_, handed := p.script.past.Get(p.Here(), keyHanded+strconv.Itoa(i))
	return p.Resumed() && handed
}

// UnderWay lists the nodes below one, without branches and attempts that have ended: the journal keeps those that have
// failed.
func UnderWay(image *journal.Image, path string) []string {
	var try Try
	isTry := read(image, path, keyProgress, &try)
	return slices.DeleteFunc(image.Children(path), func(child string) bool {
		number, isFork := strings.CutPrefix(child, Fork.name())
		_, ended := image.Get(path, keyEnded+number)
		return isFork && ended || isTry && try.isOver(child)
	})
}

// CalledFunction is the function that the command under way has called for an earlier run; "": none.
func (p *Place) CalledFunction() string {
	var called calledFunction
	if p.Resumed() {
		p.script.read(p.Below(Call.Nth(0)), keyFunction, &called)
	}
	return called.Name
}

// mostAsked is more than the calls, or ${ commands }, of one clause.
const mostAsked = 1000

// Clause begins the nth clause in the head of the statement under way. Its calls and ${ commands } are numbered apart,
// since a later run may evaluate it without the clauses before it.
func (p *Place) Clause(n int) {
	if p != nil {
		p.calls, p.outputs = n*mostAsked, n*mostAsked
	}
}

// A returnedCall is how a call has ended, and of which function: what stands around a call may have another value when
// it is evaluated again, and then another function is called in its place.
type returnedCall struct {
	Name string          `json:"name"`
	End  json.RawMessage `json:"end"`
}

// NextCall is the call of a function that the statement under way makes next. If it has returned for an earlier run,
// that tells how. Calls of an earlier run of other functions are passed over.
func (p *Place) NextCall(name string, end any) (call Step, has bool) {
	for {
		call = Call.Nth(p.calls)
		p.calls++
		if !p.resumed {
			return call, false
		}
		var past returnedCall
		var under calledFunction
		switch {
		case p.script.read(p.Here(), keyReturned+strconv.Itoa(call.n), &past):
			if past.Name == name {
				return call, json.Unmarshal(past.End, end) == nil
			}
		case !p.script.read(p.Below(call), keyFunction, &under) || under.Name == name:
			p.script.came.note(p.Below(call))
			return call, false
		}
	}
}

// BeginCall notes that a function runs in that call.
func (p *Place) BeginCall(call Step, function *ast.Function) {
	p.decided = append(p.decided,
		Set(p.Below(call), keyFunction, calledFunction{function.Name, p.script.functionSum(function)}))
}

// Return notes how a call ended.
func (p *Place) Return(call Step, name string, end any) {
	c := Set("", "", end)
	p.decide(keyReturned+strconv.Itoa(call.n), returnedCall{name, c.Value})
}

// NextOutput is the ${ command } that the statement under way asks for next. If it has succeeded for an earlier run,
// that tells how.
func (p *Place) NextOutput(output any) (step Step, has bool) {
	if p == nil {
		return Step{}, false
	}
	step = Output.Nth(p.outputs)
	p.outputs++
	return step, p.resumed && p.script.read(p.Here(), keyOutput+strconv.Itoa(step.n), output)
}

// KeepOutput notes what a ${ command } has written.
func (p *Place) KeepOutput(step Step, output any) {
	if p != nil {
		p.decide(keyOutput+strconv.Itoa(step.n), output)
	}
}

// HasOutput reports whether an earlier run has begun a ${ command } of the statement under way.
func (p *Place) HasOutput() bool {
	first := Output.Nth(0)
	return p.Within(first) || p.Resumed() && p.script.read(p.Here(), keyOutput+"0", new(struct{}))
}
