package check

import (
	"slices"

	"ftsh/ast"
)

func resourceRules() []Rule {
	return []Rule{{
		Code: "F108", Level: Error, Page: "resources", look: followSenses,
		Title: "a sense that leads back to its own resource",
		Finds: `resource disk
    sense
        try for 1 minute via disk
            df
        end
    end
end`,
		Passes: `resource net
    slots 1
end
resource disk
    sense
        try for 1 minute via net
            df
        end
    end
end`,
	}}
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
