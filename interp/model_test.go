package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ftsh/interp"
	"ftsh/testdata/skip"
)

// A model of control flow: what the reference says of try, verify, catch, finally,
// giveup, absent, return, exit, loops and functions, in as few lines as possible. Random
// programs have to do what the model does.

// An outcome says how a group ends; nil: well.
type outcome struct {
	kind, message, reason string // of a failure
	giveup                bool   // on its way to a try with limits
	left                  string // exit, return, absent, break or continue
	status                int
	value                 string
}

// leavesTurn reports whether a loop decides what comes next.
func (o *outcome) leavesTurn() bool { return o != nil && (o.left == "break" || o.left == "continue") }

func (o *outcome) failed() bool { return o != nil && o.left == "" }

// model runs a program.
type model struct {
	*program
	out    strings.Builder
	failed *outcome // what ${error.…} tells
	keeps  bool     // it belongs to a catch, finally or verify group around
	caught *outcome // what the catch group reacts to that the statement stands directly in
	limits int      // tries with limits around
	asking int      // verify groups around, in the same branch or stage
	beyond int      // and around that

	ownsOutput bool // a block around captures it, in the same branch or stage
}

// tell changes what ${error.…} tells, unless a group around keeps it.
func (m *model) tell(o *outcome) {
	if !m.keeps {
		m.failed = o
	}
}

// reacting runs a group that keeps what ${error.…} tells there.
func (m *model) reacting(to, caught *outcome, g []node) *outcome {
	defer func(failed *outcome, keeps bool) { m.failed, m.keeps = failed, keeps }(m.failed, m.keeps)
	m.failed, m.keeps = to, true
	return m.within(caught, func() *outcome { return m.group(g) })
}

func (m *model) say(text string) *outcome {
	m.out.WriteString(text + "\n")
	return nil
}

func (m *model) group(list []node) *outcome {
	for i := range list {
		if o := m.node(&list[i]); o != nil {
			return o
		}
	}
	return nil
}

func (m *model) node(n *node) *outcome {
	switch n.kind {
	case "echo":
		return m.say(n.tag)
	case "tell":
		e := outcome{}
		if m.failed != nil {
			e = *m.failed
		}
		return m.say(n.tag + " " + e.kind + "|" + e.message + "|" + e.reason)
	case "false":
		return &outcome{kind: "exit", status: 1, message: "ended with status 1"}
	case "failure":
		if m.caught != nil {
			passed := *m.caught
			passed.message = n.tag
			return &passed
		}
		return &outcome{kind: "failure", message: n.tag}
	case "giveup":
		o := &outcome{kind: "failure", message: n.tag, giveup: m.limits > 0}
		if o.giveup {
			o.reason = "giveup"
		}
		return o
	case "absent":
		if m.asking == 0 && m.beyond > 0 {
			return &outcome{kind: "error", message: "absent in a branch or a stage, which cannot speak for the verify group " +
				"around it"}
		}
		if m.asking == 0 {
			return &outcome{kind: "error", message: "absent outside of a verify group; there it says that nothing has happened"}
		}
		return &outcome{left: "absent"}
	case "exit":
		return &outcome{left: "exit", status: n.n}
	case "return":
		return &outcome{left: "return", value: n.tag}
	case "break", "continue":
		return &outcome{left: n.kind}
	case "try":
		return m.try(n)
	case "for", "forany", "forall":
		return m.loop(n)
	case "if":
		if n.n == 1 {
			return m.group(n.body)
		}
		return m.group(n.catch)
	case "block":
		return m.block(n)
	}
	return m.call(n)
}

// within runs something of which the catch group around it knows nothing.
func (m *model) within(caught *outcome, run func() *outcome) *outcome {
	defer func(outer *outcome) { m.caught = outer }(m.caught)
	m.caught = caught
	return run()
}

func (m *model) try(n *node) *outcome {
	began := -1
	o := m.within(nil, func() *outcome { return m.attempts(n, &began) })
	told := m.failed // of an exit or a return
	if o == nil || o.failed() || o.leavesTurn() {
		told = nil
	}
	if o.failed() && !o.giveup && n.catch != nil {
		told = o
		m.cutBack(began)
		o = m.reacting(told, told, n.catch)
		if o.failed() && o.reason == "" {
			changed := *o
			changed.reason = told.reason
			o = &changed
		}
	}
	if o.failed() {
		told = o
	}
	if o = o.afterFinally(m.reacting(told, nil, n.finally)); o.failed() {
		told = o
	}
	m.tell(told)
	return o
}

// afterFinally is how a try ends that would have ended with o, and whose finally group has ended with last: a failure
// and an exit before it stay.
func (o *outcome) afterFinally(last *outcome) *outcome {
	switch {
	case last == nil:
		return o
	case last.left == "exit":
		return last
	case o.failed() && last.giveup:
		given := *o
		given.giveup, given.reason = true, "giveup"
		return &given
	case o.failed(), o != nil && o.left == "exit" && o.status != 0:
		return o
	}
	return last
}

// branch runs what is a branch or a stage: absent does not reach the verify group around it.
func (m *model) branch(run func() *outcome) *outcome {
	defer func(asking, beyond int, owns bool) {
		m.asking, m.beyond, m.ownsOutput = asking, beyond, owns
	}(m.asking, m.beyond, m.ownsOutput)
	m.asking, m.beyond, m.ownsOutput = 0, m.beyond+m.asking, false
	return run()
}

// cutBack removes what was written since the output had that length, if it is captured by a block around; -1: nothing
// was begun.
func (m *model) cutBack(length int) {
	if m.ownsOutput && length >= 0 {
		kept := m.out.String()[:length]
		m.out.Reset()
		m.out.WriteString(kept)
	}
}

// attempts makes attempts until one succeeds, or there are no more.
func (m *model) attempts(n *node, began *int) *outcome {
	limited := min(n.n, 1)
	m.limits += limited
	defer func() { m.limits -= limited }()
	if n.key {
		if o, verdict := m.verify(n, nil); verdict != "absent" {
			return n.concludes(o, verdict)
		}
	}
	*began = m.out.Len()
	for attempt := 1; ; attempt++ {
		m.cutBack(*began)
		o, verdict := m.group(n.body), ""
		if o.failed() && !o.giveup && o.kind == "error" && limited == 1 {
			verdict = "rejected"
		}
		if n.verify != nil && o.failed() && !o.giveup && o.kind == "failure" {
			m.tell(o)
			if o, verdict = m.verify(n, o); verdict == "absent" {
				verdict = ""
			}
		}
		if o.failed() && !o.giveup && verdict == "" && attempt < n.n {
			m.tell(o)
			continue
		}
		return n.concludes(o, verdict)
	}
}

// concludes returns the end of a try whose last attempt, or first verify, ended with o; verdict is why it was
// the last: rejected, unknown, or empty.
func (n *node) concludes(o *outcome, verdict string) *outcome {
	limited := n.n > 0
	reason := verdict
	switch {
	case !o.failed(), o.giveup && !limited, !limited && o.reason != "" && verdict != "unknown":
		return o
	case o.giveup:
		reason = "giveup"
	case verdict == "":
		reason = "attempts"
	}
	return &outcome{kind: o.kind, status: o.status, message: o.message, reason: reason}
}

// verify finds out what an attempt has come to, or, with nil, an earlier run; the verdict says why it could not.
func (m *model) verify(n *node, attempt *outcome) (o *outcome, verdict string) {
	m.asking++
	defer func() { m.asking-- }()
	for range max(1, n.n) {
		switch o = m.reacting(attempt, m.caught, n.verify); {
		case o == nil:
			return nil, ""
		case o.left == "absent":
			return attempt, "absent"
		case !o.failed(), o.giveup:
			return o, ""
		case o.kind == "error":
			return o, "rejected"
		}
	}
	if attempt == nil {
		return o, "unknown"
	}
	return attempt, "unknown"
}

func (m *model) loop(n *node) (o *outcome) {
	began := m.out.Len()
	for i := 1; i <= n.n; i++ {
		if n.kind == "forany" {
			m.cutBack(began)
		}
		m.say(fmt.Sprint(n.tag, i))
		told := m.failed
		if n.kind == "forall" {
			o, m.failed = apart(m.branch(func() *outcome { return m.group(n.body) })), told
		} else {
			o = m.group(n.body)
		}
		if n.kind == "for" && o.leavesTurn() {
			if o.left == "break" {
				return nil
			}
			o = nil
		}
		if another := n.kind == "forany" && o.failed() && !o.giveup; (o != nil || n.kind == "forany") && !another {
			return o
		}
	}
	return o
}

// apart returns the end of a branch or a stage: an exit concerns only that.
func apart(o *outcome) *outcome {
	if o == nil || o.left != "exit" {
		return o
	}
	if o.status == 0 {
		return nil
	}
	return &outcome{kind: "exit", status: o.status, message: fmt.Sprint("ended with exit ", o.status)}
}

func (m *model) block(n *node) *outcome {
	before, owned := m.out.String(), m.ownsOutput
	m.out.Reset()
	m.ownsOutput = true
	o := m.group(n.body)
	m.ownsOutput = owned
	captured := m.out.String()
	m.out.Reset()
	m.out.WriteString(before)
	if o == nil {
		m.say(strings.TrimRight(captured, "\n"))
	}
	return o
}

// call runs a function: as a command, for its value, as a stage, or as a test.
func (m *model) call(n *node) *outcome {
	told := m.failed
	call := func() *outcome { return m.within(nil, func() *outcome { return m.group(m.functions[n.function]) }) }
	var o *outcome
	if n.kind == "pipe" {
		o = m.branch(call)
	} else {
		o = call()
	}
	value, returned := "", o != nil && o.left == "return"
	if returned {
		value, o = o.value, nil
	}
	if n.kind == "pipe" {
		m.failed, o = told, apart(o)
	}
	switch {
	case n.kind == "value" && returned:
		return m.say(value)
	case returned:
		return &outcome{kind: "error", message: fmt.Sprintf("f%d returned a value, but a command only succeeds or fails: "+
			"end it with failure (or a command that fails), or take the value with x=f%[1]d(…)", n.function)}
	case n.kind == "value" && o == nil:
		return &outcome{kind: "error", message: fmt.Sprintf("f%d returned no value", n.function)}
	case n.kind == "test" && o == nil:
		return m.group(n.body)
	case n.kind == "test" && o.kind == "exit" && o.status == 1:
		return m.group(n.catch)
	}
	return o
}

// TestModel runs random programs, and compares with the model.
func TestModel(t *testing.T) {
	s := newStage(t)
	for range skip.Times(300, 50) {
		seed := rand.Uint64()
		p := randomProgram(seed)
		m := &model{program: &p}
		want := m.group(p.main)
		got, err := s.run(context.Background(), t, p.text())
		if got != m.out.String() || status(err) != want.exitStatus() {
			t.Fatalf("seed %d: status %d, want %d\n%s\ngot:\n%s\nwant:\n%s", seed, status(err), want.exitStatus(), p.text(),
				got, m.out.String())
		}
	}
}

func (o *outcome) exitStatus() int {
	switch {
	case o == nil:
		return 0
	case o.left == "exit":
		return o.status
	}
	return 1
}

func status(err error) int {
	var exit *interp.Exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Status
	}
	return 1
}
