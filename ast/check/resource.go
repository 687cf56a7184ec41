package check

import (
	"path"
	"slices"
	"strings"

	"ftsh/ast"
)

// findCrowds looks for the first repeated command that waits for a server, where others ask it at the same time.
func findCrowds(s *script) {
	timed := isTimed(s.config.Dir, s.sources[0].Name)
	for _, c := range s.commands {
		t := s.toolOf(c.node)
		if !t.waitsForNetwork() || s.tryOver(c.in, repeats) == nil ||
			s.tryOver(c.in, func(t *ast.Try, _ *ast.Group) bool { return t.Via != nil }) != nil {
			continue
		}
		loop, _ := s.branchOf(c.in)
		if timed || loop != nil && !oneBranch(loop) && slices.ContainsFunc(t.list, namesServer) {
			s.addFinding(c.node.Pos, "when this server comes back, all who wait for it try on their own",
				"declare a resource with slots and a breaker, and write try … via NAME: all scripts of a user here take turns, "+
					"with fewer requests, and are done sooner")
			return
		}
	}
}

// isTimed reports whether a script lies where cron or systemd starts it, as other machines' do at the same second.
func isTimed(dir, file string) bool {
	if !path.IsAbs(file) {
		file = path.Join(dir, file)
	}
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(folder string) bool {
		return strings.HasPrefix(folder, "cron") || folder == "systemd"
	})
}

// namesServer reports whether a word is a URL whose server is written out: the same for each branch.
func namesServer(w *ast.Word) bool {
	_, server, isURL := strings.Cut(shapeOf(w), "://")
	server, _, _ = strings.Cut(server, "/")
	return isURL && server != "" && !strings.ContainsAny(server, "\x00\x01")
}

// followSenses follows what senses use.
func followSenses(s *script) {
	uses := map[string][]string{}
	for name, r := range s.resources {
		for i := range r.Body.List {
			if sense, ok := r.Body.List[i].Node.(*ast.Sense); ok {
				uses[name] = s.usedResources(&sense.Body)
			}
		}
	}
	for name, r := range s.resources {
		if leadsTo(uses, name, name, nil) {
			s.addFinding(r.Pos, "the sense of "+name+" leads back to "+name+": it could only wait for itself",
				"let the sense look without via")
		}
	}
}

// usedResources are the resources that a group uses, also in functions that it calls.
func (s *script) usedResources(g *ast.Group) (names []string) {
	reached := map[string]bool{}
	s.noteReached(g, reached)
	groups := []*ast.Group{g}
	for name := range reached {
		groups = append(groups, &s.functions[name].Body)
	}
	for _, group := range groups {
		ast.Walk(group, nil, func(node any, _ *ast.Place) bool {
			if t, ok := node.(*ast.Try); ok && t.Via != nil {
				name, _ := t.Via.Literal()
				names = append(names, name)
			}
			return true
		})
	}
	return names
}

// leadsTo reports whether one resource uses another, directly or not.
func leadsTo(uses map[string][]string, from, to string, seen []string) bool {
	for _, next := range uses[from] {
		if next == to || !slices.Contains(seen, next) && leadsTo(uses, next, to, append(seen, next)) {
			return true
		}
	}
	return false
}
