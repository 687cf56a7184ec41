package interp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ftsh/interp"
)

// A model of control flow: what the reference says of try, catch, finally,
// giveup, return, exit, loops and functions, in as few lines as possible. Random
// programs have to do what the model does.

// node is a statement of a random program.
type node struct {
	kind                 string
	tag                  string // what it says, or its message
	n                    int    // attempts, items or a status; 0 attempts: no limit
	body, catch, finally []node // catch is the other branch of an if
	function             int
}

// program is functions, and what runs.
type program struct {
	functions [][]node
	main      []node
}

// author writes random programs.
type author struct {
	*rand.Rand
	program
	tags int
}

func (a *author) tag() string {
	a.tags++
	return fmt.Sprint("t", a.tags)
}

func (a *author) group(depth int, inFunction bool) []node {
	var list []node
	for range 1 + a.IntN(3) {
		list = append(list, a.node(depth, inFunction))
	}
	return list
}

func (a *author) node(depth int, inFunction bool) node {
	kinds := strings.Fields("echo echo echo echo echo echo tell tell failure failure false giveup")
	if inFunction {
		kinds = append(kinds, "return", "return")
	}
	if a.IntN(20) == 0 {
		kinds = append(kinds, "exit")
	}
	if depth > 0 {
		kinds = append(kinds, strings.Fields("try try try try try try for forany forall if block call value pipe test")...)
	}
	n := node{kind: kinds[a.IntN(len(kinds))], tag: a.tag()}
	switch n.kind {
	case "exit":
		n.n = 3 * a.IntN(2)
	case "try":
		n.n, n.body = a.IntN(4), a.group(depth-1, inFunction)
		if a.IntN(2) == 0 {
			n.catch = a.group(depth-1, inFunction)
		}
		if a.IntN(2) == 0 {
			n.finally = a.group(depth-1, inFunction)
		}
	case "for", "forany", "forall":
		n.n, n.body = 1+a.IntN(3), a.group(depth-1, inFunction)
	case "if", "block":
		n.n, n.body, n.catch = a.IntN(2), a.group(depth-1, inFunction), a.group(depth-1, inFunction)
	case "call", "value", "pipe", "test":
		n.function = len(a.functions)
		a.functions = append(a.functions, nil)
		a.functions[n.function] = a.group(depth-1, true)
		n.body, n.catch = a.group(depth-1, inFunction), a.group(depth-1, inFunction)
	}
	return n
}

// text is the program as a script.
func (p *program) text() string {
	var w strings.Builder
	for i, body := range p.functions {
		fmt.Fprintf(&w, "function f%d\n%send\n", i, script(body))
	}
	return w.String() + script(p.main)
}

func script(list []node) string {
	var w strings.Builder
	for _, n := range list {
		w.WriteString(n.script())
	}
	return w.String()
}

func (n *node) script() string {
	switch n.kind {
	case "echo", "failure", "giveup", "return":
		return n.kind + " " + n.tag + "\n"
	case "tell":
		return "echo \"" + n.tag + " ${error.kind}|${error.message}|${error.reason}\"\n"
	case "exit":
		return fmt.Sprintln("exit", n.n)
	case "try":
		header := "try"
		if n.n > 0 {
			header = fmt.Sprintf("try %d times every 0 s", n.n)
		}
		text := header + "\n" + script(n.body)
		if n.catch != nil {
			text += "catch\n" + script(n.catch)
		}
		if n.finally != nil {
			text += "finally\n" + script(n.finally)
		}
		return text + "end\n"
	case "for", "forany", "forall":
		mode := map[string]string{"forany": " .inorder.", "forall": " .limit. 1"}[n.kind]
		return fmt.Sprintf("%s i in 1 .to. %d%s\necho %s$i\n%send\n", n.kind, n.n, mode, n.tag, script(n.body))
	case "if":
		return fmt.Sprintf("if %d .eql. 1\n%selse\n%send\n", n.n, script(n.body), script(n.catch))
	case "block":
		return fmt.Sprintf("if true\n%send -> v%s\necho \"$v%[2]s\"\n", script(n.body), n.tag)
	case "call":
		return fmt.Sprintf("f%d\n", n.function)
	case "value":
		return fmt.Sprintf("x=f%d()\necho $x\n", n.function)
	case "pipe":
		return fmt.Sprintf("f%d | cat\n", n.function)
	case "test":
		return fmt.Sprintf("if try f%d\n%selse\n%send\n", n.function, script(n.body), script(n.catch))
	}
	return n.kind + "\n"
}

// outcome is how a group ends; nil: well.
type outcome struct {
	kind, message, reason string // of a failure
	giveup                bool   // on its way to a try with limits
	left                  string // exit or return
	status                int
	value                 string
}

func (o *outcome) failed() bool { return o != nil && o.left == "" }

// model runs a program.
type model struct {
	*program
	out    strings.Builder
	failed *outcome // what ${error.…} tells
	limits int      // tries with limits around
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
		return &outcome{kind: "exit", message: "ended with status 1"}
	case "failure":
		return &outcome{kind: "failure", message: n.tag}
	case "giveup":
		o := &outcome{kind: "failure", message: n.tag, giveup: m.limits > 0}
		if o.giveup {
			o.reason = "giveup"
		}
		return o
	case "exit":
		return &outcome{left: "exit", status: n.n}
	case "return":
		return &outcome{left: "return", value: n.tag}
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

func (m *model) try(n *node) *outcome {
	o := m.attempts(n)
	if o == nil || o.failed() {
		m.failed = o
	}
	if o.failed() && !o.giveup && n.catch != nil {
		before := o
		o, m.failed = m.group(n.catch), before
		if o.failed() {
			changed := *o
			if changed.reason == "" {
				changed.reason = before.reason
			}
			o, m.failed = &changed, &changed
		}
	}
	told := m.failed
	last := m.group(n.finally)
	m.failed = told
	if o == nil {
		return last
	}
	return o
}

// attempts makes attempts until one succeeds, or there are no more.
func (m *model) attempts(n *node) *outcome {
	limited := min(n.n, 1)
	for attempt := 1; ; attempt++ {
		m.limits += limited
		o := m.group(n.body)
		m.limits -= limited
		switch {
		case !o.failed(), o.giveup && limited == 0:
			return o
		case o.giveup:
			return &outcome{kind: o.kind, message: o.message, reason: "giveup"}
		case attempt < n.n:
			m.failed = o
			continue
		case limited == 0 && o.reason != "":
			return o
		}
		return &outcome{kind: o.kind, message: o.message, reason: "attempts"}
	}
}

func (m *model) loop(n *node) (o *outcome) {
	for i := 1; i <= n.n; i++ {
		m.say(fmt.Sprint(n.tag, i))
		told := m.failed
		o = m.group(n.body)
		if n.kind == "forall" {
			o, m.failed = apart(o), told
		}
		if another := n.kind == "forany" && o.failed() && !o.giveup; (o != nil || n.kind == "forany") && !another {
			return o
		}
	}
	return o
}

// apart is how a branch or a stage ends: an exit concerns only that.
func apart(o *outcome) *outcome {
	if o == nil || o.left != "exit" {
		return o
	}
	if o.status == 0 {
		return nil
	}
	return &outcome{kind: "exit", message: fmt.Sprint("ended with exit ", o.status)}
}

func (m *model) block(n *node) *outcome {
	before := m.out.String()
	m.out.Reset()
	o := m.group(n.body)
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
	o := m.group(m.functions[n.function])
	value, returned := "", o != nil && o.left == "return"
	if returned {
		value, o = o.value, nil
	}
	switch {
	case n.kind == "pipe":
		m.failed = told
		return apart(o)
	case n.kind == "value" && returned:
		return m.say(value)
	case n.kind == "value" && o == nil:
		return &outcome{kind: "error", message: fmt.Sprintf("f%d returned no value", n.function)}
	case n.kind == "test" && o == nil:
		return m.group(n.body)
	case n.kind == "test" && o.kind == "exit" && o.message == "ended with status 1":
		return m.group(n.catch)
	}
	return o
}

// TestModel runs random programs, and compares with the model.
func TestModel(t *testing.T) {
	s := newStage(t)
	for range times(300, 50) {
		seed := rand.Uint64()
		p := randomProgram(seed)
		m := &model{program: &p}
		want := m.group(p.main)
		got, err := s.run(context.Background(), t, p.text())
		if got != m.out.String() || status(err) != want.exitStatus() {
			t.Fatalf("seed %d: status %d, want %d\n%s\ngot:\n%s\nwant:\n%s", seed, status(err), want.exitStatus(), p.text(), got, m.out.String())
		}
	}
}

// randomProgram is a few tries, so that it goes on for a while.
func randomProgram(seed uint64) program {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 0))}
	for range 6 {
		a.main = append(a.main, node{kind: "try", body: a.group(4, false), catch: []node{{kind: "tell", tag: a.tag()}}})
	}
	return a.program
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
