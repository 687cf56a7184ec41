package check

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ftsh/ast"
)

// findUnheardWaits looks for retryafter where no attempt follows.
func findUnheardWaits(s *script) {
	for _, c := range s.commands {
		if !s.isCommand(c.node, "retryafter") {
			continue
		}
		heard := false // or nobody knows
		s.lookOutward(c.in, func(in *ast.Place) bool {
			f, _ := nearestAround[*ast.Function](in)
			sense, _ := nearestAround[*ast.Sense](in)
			heard = heard || f != nil && len(s.callsOf(f.Name)) == 0 || sense != nil || tryAround(in, repeatsOrAsks) != nil
			return !heard
		})
		if !heard {
			s.addFinding(c.node.Pos, "no attempt follows here that could wait",
				"write it in the group of a try that makes several attempts; a catch is behind the last of its own")
		}
	}
}

// repeatsOrAsks reports whether a try may make another attempt after what stands in this group of it.
func repeatsOrAsks(t *ast.Try, g *ast.Group) bool {
	return (g == &t.Body || g == t.Verify) && mayRepeat(t)
}

// addDoubled notes what appends its rows with each attempt.
func (s *script) addDoubled(pos ast.Pos) {
	s.addOnce(pos, "if an attempt fails, the next one appends its rows again",
		"write => to a file of its own, and append that behind the try")
}

// findDoubledRows looks for programs that append what they write with each attempt.
func findDoubledRows(s *script) {
	for _, c := range s.handed {
		if appendsInText(c.node) && s.tryOver(c.in, repeats) != nil {
			s.addDoubled(c.node.Pos)
		}
	}
	for _, c := range s.commands {
		name := c.node.Name()
		if len(c.node.Words) == 0 || s.isBuiltin(name) || s.functions[name] != nil || s.tryOver(c.in, repeats) == nil {
			continue
		}
		t := s.toolOf(c.node)
		if i := slices.IndexFunc(c.node.Redirects, appendsRows); i >= 0 {
			if r := c.node.Redirects[i]; !s.beginsAnew(r.Target, c.in) {
				s.addDoubled(r.Pos)
			}
		} else if t.appendsByItself() {
			if !s.beginsAnew(t.list[len(t.list)-1], c.in) {
				s.addDoubled(c.node.Pos)
			}
		} else if !redirectsOutput(c.node.Redirects) && !feedsPipe(c.node, c.in) {
			s.findAppendAround(c, t.isSilent())
		}
	}
}

// appendsByItself reports whether a program appends its input to a file that is no log.
func (t tool) appendsByItself() bool {
	return t.name == "tee" && (t.hasArgument("-a") || t.hasArgument("--append")) && !isLog(t.list[len(t.list)-1])
}

// isSilent reports whether the program writes nothing that anybody would append.
func (t tool) isSilent() bool {
	return t.changesFiles() || slices.Contains([]string{"[", "printf", "sleep", "test"}, t.name)
}

// appendsInText reports whether a command of another shell's text is a program that appends to a file that is no log.
func appendsInText(c *ast.Command) bool {
	i := slices.IndexFunc(c.Words, func(w *ast.Word) bool { return strings.HasPrefix(shapeOf(w), ">>") })
	return i > 0 && c.Name() != "echo" && c.Name() != "printf" && !slices.ContainsFunc(c.Words[i:], isLog)
}

// appendsRows reports whether a redirection appends standard output to what is no log.
func appendsRows(r *ast.Redirect) bool {
	return (r.Op == ast.Append || r.Op == ast.AppendBoth) && r.FD <= 1 && !isDevice(r.Target) && !isLog(r.Target)
}

// findAppendAround reports a block with >> around a program that a try repeats, within the try or around it, or a stage
// of a pipeline around the try.
func (s *script) findAppendAround(c at[*ast.Command], isSilent bool) {
	repeated, done, isTest := false, false, true
	s.lookOutward(c.in, func(in *ast.Place) bool {
		for ; in != nil && !done; in = in.Outer {
			var list []*ast.Redirect
			piped := false
			switch n := in.Node.(type) {
			case *ast.Group:
				isTest = false
			case *ast.If, *ast.While:
				done = isTest
			case *ast.Output:
				done = true
			case *ast.Try:
				repeated = repeated || mayRepeat(n)
			case *ast.Stmt:
				list = n.Redirects
			case *ast.Command: // a call of the function
				list, piped = n.Redirects, feedsPipe(n, in.Outer)
				if repeated && piped && !slices.ContainsFunc(list, appendsRows) {
					s.addOnce(n.Pos, "what a failed attempt wrote has gone into the pipe, before what the next one writes",
						"write -> x after it, and let the rest of the pipeline read that: -< x")
				}
			}
			switch i := slices.IndexFunc(list, appendsRows); {
			case i >= 0 && repeated:
				s.addOnce(list[i].Pos, "what a failed attempt wrote stays in the file, before what the next one writes",
					"write => or > here, which is cut back, and append that file afterwards")
			case i >= 0 && !isSilent && s.tryOver(in, repeats) != nil && !s.beginsAnew(list[i].Target, in):
				s.addDoubled(list[i].Pos)
			}
			done = done || piped || redirectsOutput(list)
		}
		return !done
	})
}

// addOnce notes a finding of the rule at a place that has none of it yet.
func (s *script) addOnce(pos ast.Pos, message, instead string) {
	if !slices.ContainsFunc(s.found, func(f Finding) bool { return f.Rule == s.rule && f.Pos == pos }) {
		s.addFinding(pos, message, instead)
	}
}

// visitSteps visits the commands that stand directly in the group of each try that repeats, with the statements around
// them; those of functions stand in place of their first call.
func (s *script) visitSteps(visit func(list []ast.Stmt, c *ast.Command, i int)) {
	for _, x := range s.tries {
		if !mayRepeat(x.node) {
			continue
		}
		list := s.appendSteps(nil, &x.node.Body, map[*ast.Function]bool{})
		for i := range list {
			if c, ok := list[i].Node.(*ast.Command); ok {
				visit(list, c, i)
			}
		}
	}
}

// appendSteps appends the statements of a group, with those of the functions that are not seen in place of calls.
func (s *script) appendSteps(list []ast.Stmt, g *ast.Group, seen map[*ast.Function]bool) []ast.Stmt {
	for _, stmt := range g.List {
		c, ok := stmt.Node.(*ast.Command)
		if !ok || s.functions[c.Name()] == nil || seen[s.functions[c.Name()]] {
			list = append(list, stmt)
			continue
		}
		f := s.functions[c.Name()]
		seen[f] = true
		list = s.appendSteps(list, &f.Body, seen)
	}
	return list
}

// findMovesBefore looks for mv of what was there before the attempt, with something behind it that may fail.
func findMovesBefore(s *script) {
	s.visitSteps(func(list []ast.Stmt, c *ast.Command, i int) {
		move := s.toolOf(c)
		if move.name != "mv" || len(move.list) < 3 {
			return
		}
		source := shapeOf(move.list[len(move.list)-2])
		made := func(w *ast.Word) bool { return strings.Contains(shapeOf(w), source) }
		before := &ast.Group{List: list[:i]}
		behind := &ast.Group{List: list[i+1:]}
		if !holds(before, made) && !holds(before, func(r *ast.Redirect) bool { return r.Target != nil && made(r.Target) }) &&
			holds(behind, func(c *ast.Command) bool { return !s.isBuiltin(c.Name()) }) { // something that may fail
			s.addOnce(c.Pos, "if something behind it fails, the next attempt does not find what it moves",
				"move it before the try, or as the last of its group")
		}
	})
}

// makers are programs that make the file or directory named by a word behind one of these; "": by their last word.
var makers = sync.OnceValue(func() map[string][]string {
	last := []string{""}
	return map[string][]string{
		"cp": last, "mv": last, "ln": last, "scp": last, "rsync": last, "git": last, "wget": last, "install": last,
		"virtualenv": last, "unzip": {"", "-d"}, "tar": {"-C", "--directory"}, "python": {"venv"}, "python3": {"venv"},
		"pg_dump": {"-f"}, "pg_dumpall": {"-f"}, "mysqldump": {"-r"}, "mariadb-dump": {"-r"},
	}
})

// findEarlyRemovals looks for rm of a file that a later command of the same attempt makes.
func findEarlyRemovals(s *script) {
	s.visitSteps(func(list []ast.Stmt, c *ast.Command, i int) {
		remove := s.toolOf(c)
		if remove.name != "rm" {
			return
		}
		behind := &ast.Group{List: list[i+1:]}
		for _, w := range remove.list[1:] {
			old := strings.TrimSuffix(shapeOf(w), "/")
			if old == "" || strings.HasPrefix(old, "-") || passing().MatchString(old) {
				continue
			}
			is := func(w *ast.Word) bool { return strings.TrimSuffix(shapeOf(w), "/") == old }
			redirected := holds(behind, func(r *ast.Redirect) bool {
				return (r.Op == ast.Out || r.Op == ast.Atomic) && is(r.Target)
			})
			if redirected || holds(behind, func(c *ast.Command) bool { return s.makes(c, is) }) {
				s.addOnce(w.Pos, "if what makes it anew fails, the old one is gone, too",
					"make the new one beside it, and mv it there; => does both")
				return
			}
		}
	})
}

// makes reports whether a program makes a file: its last word, or what an option of output names.
func (s *script) makes(c *ast.Command, is func(*ast.Word) bool) bool {
	t := s.toolOf(c)
	for i, w := range t.list {
		if i == 0 || !is(w) {
			continue
		}
		option, _ := t.list[i-1].Literal()
		makesArchive := t.name == "tar" && strings.Contains(option, "c") && strings.HasSuffix(option, "f")
		if slices.Contains([]string{"-o", "-O", "--output", "--file"}, option) || makesArchive ||
			t.name == "curl" && strings.HasPrefix(option, "-") && strings.HasSuffix(option, "o") ||
			slices.ContainsFunc(makers()[t.name], func(before string) bool {
				return before == option && option != "" || before == "" && i == len(t.list)-1
			}) {
			return true
		}
	}
	return false
}

// passing are names of what is made for an attempt only.
var passing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)tmp|temp|part|work|cache|lock|build|scratch|partial|\.new|stage`)
})

// findEndlessAttempts looks for programs that may wait for ever, in tries that only count.
func findEndlessAttempts(s *script) {
	for _, c := range slices.Concat(s.commands, s.handed) {
		t := s.toolOf(c.node)
		if !t.waitsForNetwork() || t.limitsItself(c.node) {
			continue
		}
		limits := func(t *ast.Try, g *ast.Group) bool { return g == &t.Body && (t.For != nil || t.Each != nil) }
		if s.tryOver(c.in, repeats) != nil && s.tryOver(c.in, limits) == nil {
			s.addFinding(c.node.Pos, "if "+t.name+" hangs, the attempt has no end, and no other follows",
				"give the try a time, or each attempt: try 3 times each 1 minute")
		}
	}
}

// networkVerbs are programs that wait for a network, with the words of which one must be there; none: always.
var networkVerbs = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"curl": nil, "wget": nil, "ssh": nil, "scp": nil, "sftp": nil, "aws": nil, "gcloud": nil, "az": nil, "kubectl": nil,
		"psql": nil, "pg_dump": nil, "pg_dumpall": nil, "pg_basebackup": nil, "pg_restore": nil,
		"mysql": nil, "mysqldump": nil, "mariadb": nil, "mariadb-dump": nil, "redis-cli": nil,
		"mongo": nil, "mongosh": nil, "mongodump": nil, "mongoexport": nil, "mongorestore": nil,
		"git":    {"clone", "fetch", "pull", "push"},
		"docker": {"pull", "push"},
		"podman": {"pull", "push"},
	}
})

// waitsForNetwork reports whether the program waits for an answer of another host.
func (t tool) waitsForNetwork() bool {
	if t.name == "rsync" {
		return slices.ContainsFunc(t.list[1:], func(w *ast.Word) bool { return strings.Contains(shapeOf(w), ":") })
	}
	verbs, known := networkVerbs()[t.name]
	return known && (len(verbs) == 0 || slices.ContainsFunc(verbs, func(verb string) bool {
		return slices.Contains(t.arguments(), verb)
	}))
}

// limitsItself reports whether a command has a limit of its own: timeout before it, or an option.
func (t tool) limitsItself(c *ast.Command) bool {
	isTimeout := func(w *ast.Word) bool {
		text, _ := w.Literal()
		return path.Base(text) == "timeout"
	}
	if slices.ContainsFunc(c.Words, isTimeout) {
		return true
	}
	if t.name == "curl" {
		o := readCurl(t)
		return o.unknown || o.hasOption("max-time", "version", "help", "config")
	}
	return slices.ContainsFunc(t.list[1:], func(w *ast.Word) bool {
		shape := shapeOf(w)
		return strings.HasPrefix(shape, "--timeout") || strings.HasPrefix(shape, "--request-timeout") ||
			shape == "--version" || t.name == "wget" && strings.HasPrefix(shape, "-T")
	})
}

// findChangingKeys looks for keys that change from attempt to attempt.
func findChangingKeys(s *script) {
	for _, x := range s.tries {
		if k := x.node.Key; k != nil && mentionsAny(k, func(ref *ast.Ref) bool {
			return ref.Dotted == ast.TryAttempt || ref.Dotted == ast.TryElapsed || ref.Dotted == ast.TryRemaining
		}) {
			s.addFinding(k.Pos, "the key is another in each attempt: verify never finds what the attempt before has done",
				"name the work, not the attempt: key order-7")
		}
	}
}
