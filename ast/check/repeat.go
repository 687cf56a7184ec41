package check

import (
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/constant"
)

func repeatRules() []Rule {
	return []Rule{{
		Code: "F206", Level: Warning, Page: "submission", look: twice,
		Title: "a program that does something twice if it is repeated, in a try without verify",
		Finds: `try for 1 hour
    sbatch job.sh
end`,
		Passes: `try for 1 hour
    sbatch --job-name=${try.key} job.sh -> id
verify
    squeue --me --noheader --name=${try.key} --format=%A -> id
    if $id .eq. ""
        absent
    end
end`,
	}, {
		Code: "F207", Level: Warning, Page: "servers", look: unfailing,
		Title: "curl without --fail in a try: an answer of 404 or 503 counts as success",
		Finds: `try for 1 hour
    curl --silent https://example.org/ -> page
end`,
		Passes: `try for 1 hour
    curl --silent --fail https://example.org/ -> page
end`,
	}, {
		Code: "F208", Level: Warning, Page: "servers", look: retriesTwice,
		Title: "retries of curl's own inside of a try that repeats",
		Finds: `try for 1 hour
    curl --fail --retry 5 https://example.org/ -> page
end`,
		Passes: "curl --fail --retry 5 https://example.org/ -> page",
	}}
}

// twice looks for programs that must not simply be repeated.
func twice(s *script) {
	for _, c := range s.commands {
		name := program(c.node)
		t := repeating(c.in)
		if s.functions[name] != nil || t == nil || namesFailures(t.On) || verified(c.in) || mentionsKey(c.node) {
			continue
		}
		if what := effect(c.node); what != "" {
			s.report(c.node.Pos, "if the answer is lost, the next attempt does it again: "+what,
				"ask in a verify group whether it has happened, or give it ${try.key} if the other side knows keys")
		}
	}
}

// namesFailures reports whether a try repeats only failures that its author has
// named, and none of these leaves open what was done.
func namesFailures(on *ast.Conditions) bool {
	if on == nil || on.Except {
		return false
	}
	for _, c := range on.List {
		switch text, _ := literal(c.Value); text {
		case "timeout", "signal", "unknown", "lost", "cancelled":
			return false
		}
	}
	return true
}

// mentionsKey reports whether a command hands over a key, as that of its try.
func mentionsKey(c *ast.Command) (found bool) {
	for _, w := range c.Words {
		for _, part := range w.Parts {
			ref, ok := part.(*ast.Ref)
			found = found || ok && (strings.Contains(strings.ToLower(ref.Name), "key"))
			lit, ok := part.(*ast.Lit)
			found = found || ok && strings.Contains(strings.ToLower(lit.Text), "idempotency-key")
		}
	}
	return found
}

// effect says what a command does for the second time if it is repeated; "" if that is nothing, or not known.
func effect(c *ast.Command) string {
	list := words(c)
	switch name := program(c); name {
	case "sbatch":
		if slices.Contains(list, "--test-only") {
			return ""
		}
		return "sbatch submits a job"
	case "condor_submit", "qsub", "bsub":
		return name + " submits a job"
	case "mail", "mailx", "sendmail", "mutt":
		return name + " sends a mail"
	case "mysql", "mariadb", "psql", "sqlite3":
		for _, w := range c.Words {
			text := strings.TrimPrefix(strings.ToLower(shape(w)), "--execute=")
			if strings.HasPrefix(strings.TrimSpace(text), "insert ") {
				return name + " inserts rows"
			}
		}
	case "curl":
		if o := readCurl(c); o.posts() {
			return "curl sends data"
		}
	case "wget":
		for _, w := range c.Words {
			if text := shape(w); strings.HasPrefix(text, "--post-data") || strings.HasPrefix(text, "--post-file") {
				return "wget sends data"
			}
		}
	}
	return ""
}

// unfailing looks for curl commands that take an error page for success.
func unfailing(s *script) {
	for _, c := range s.commands {
		t, _ := around[*ast.Try](c.in)
		if t == nil || !s.isCommand(c.node, "curl") || !inBody(c.in) || examined(c, &t.Body) {
			continue
		}
		if o := readCurl(c.node); o.hidesErrors() {
			w := c.node.Words[0]
			end := int(w.Pos.Offset) + len("curl")
			var edits []Edit
			if strings.HasPrefix(w.Pos.Source.Text[w.Pos.Offset:], "curl") {
				edits = []Edit{{w.Pos.Source, end, end, " --fail"}}
			}
			s.report(c.node.Pos, "without --fail, curl succeeds with an error page of the server",
				"write curl --fail, or --fail-with-body", edits...)
		}
	}
}

// examined reports whether a group looks at what a command writes: another program
// of its pipeline does, or an expression.
func examined(c at[*ast.Command], g *ast.Group) (found bool) {
	if p, ok := c.in.Node.(*ast.Pipeline); ok && p.Stages[len(p.Stages)-1] != c.node {
		return true
	}
	for _, r := range c.node.Redirects {
		if !constant.Captures(r) {
			continue
		}
		ast.Walk(g, nil, func(node any, in *ast.Place) bool {
			ref, ok := node.(*ast.Ref)
			e, _ := around[ast.Expr](in)
			found = found || ok && ref.Name == r.Var.Name && e != nil
			return !found
		})
	}
	return found
}

// inBody reports whether a place is in the group that the innermost try around it attempts.
func inBody(in *ast.Place) bool {
	for ; in != nil && in.Outer != nil; in = in.Outer {
		if t, ok := in.Outer.Node.(*ast.Try); ok {
			return in.Node == any(&t.Body)
		}
	}
	return false
}

// retriesTwice looks for curl commands that repeat within a try that repeats.
func retriesTwice(s *script) {
	for _, c := range s.commands {
		if !s.isCommand(c.node, "curl") || repeating(c.in) == nil {
			continue
		}
		if o := readCurl(c.node); o.has("retry") && o.values["retry"] != "0" {
			s.report(c.node.Pos, "curl repeats by itself, and the try repeats that: the server gets the product of both",
				"leave --retry out: the try waits, and longer each time")
		}
	}
}
