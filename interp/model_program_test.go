package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// node is a statement of a random program.
type node struct {
	kind                 string
	tag                  string // what it says, or its message
	n                    int    // attempts, items or a status; 0 attempts: no limit
	body, catch, finally []node // catch is the other branch of an if
	verify               []node // failures of kind failure are unknown then
	key                  bool   // of a try with verify: it names its key, so that it is asked first, too
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

// A place says what the reference lets stand there.
type place struct{ function, loop, finally bool }

// within is the place in a group that begins with a keyword.
func (p place) within(keyword string) place {
	switch keyword {
	case "for":
		p.loop = true
	case "forany", "forall", "verify", "finally":
		p.loop, p.finally = false, p.finally || keyword == "finally"
		p.function = p.function && keyword != "forall"
	}
	return p
}

func (a *author) group(depth int, at place) []node {
	var list []node
	for range 1 + a.IntN(3) {
		list = append(list, a.node(depth, at))
	}
	return list
}

func (a *author) node(depth int, at place) node {
	kinds := strings.Fields("echo echo echo echo echo echo tell tell failure failure false")
	if at.loop {
		kinds = append(kinds, "break", "continue", "continue")
	}
	if !at.finally {
		kinds = append(kinds, a.leaving(at)...)
	}
	if a.IntN(8) == 0 {
		kinds = append(kinds, "absent", "absent", "absent")
	}
	if depth > 0 {
		kinds = append(kinds, strings.Fields("try try try try try try for forany forall if block call value pipe test")...)
	}
	n := node{kind: kinds[a.IntN(len(kinds))], tag: a.tag()}
	switch n.kind {
	case "exit":
		n.n = 3 * a.IntN(2)
	case "try":
		n.n, n.body = a.IntN(4), a.group(depth-1, at)
		if a.IntN(3) == 0 {
			n.verify = a.group(depth-1, at.within("verify"))
			if a.IntN(2) == 0 {
				n.verify = append(n.verify, node{kind: "absent"})
			}
			n.key = a.IntN(3) == 0
		}
		if a.IntN(2) == 0 {
			n.catch = a.group(depth-1, at)
		}
		if a.IntN(2) == 0 {
			n.finally = a.group(depth-1, at.within("finally"))
		}
	case "for", "forany", "forall":
		n.n, n.body = 1+a.IntN(3), a.group(depth-1, at.within(n.kind))
	case "if", "block":
		n.n, n.body, n.catch = a.IntN(2), a.group(depth-1, at), a.group(depth-1, at)
	case "call", "value", "pipe", "test":
		n.function = len(a.functions)
		a.functions = append(a.functions, nil)
		a.functions[n.function] = a.group(depth-1, place{function: true})
		n.body, n.catch = a.group(depth-1, at), a.group(depth-1, at)
	}
	return n
}

// leaving lists what may leave a group for good, and must not in a finally.
func (a *author) leaving(at place) []string {
	kinds := []string{"giveup"}
	if at.function {
		kinds = append(kinds, "return", "return")
	}
	if a.IntN(20) == 0 {
		kinds = append(kinds, "exit")
	}
	return kinds
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
		if n.verify != nil {
			if n.key {
				header += " key " + n.tag
			}
			text = header + " unknown on failure\n" + script(n.body) + "verify\n" + script(n.verify)
		}
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

// randomProgram is a few tries, so that it goes on for a while.
func randomProgram(seed uint64) program {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 0))}
	for range 6 {
		a.main = append(a.main, node{kind: "try", body: a.group(4, place{}), catch: []node{{kind: "tell", tag: a.tag()}}})
	}
	return a.program
}
