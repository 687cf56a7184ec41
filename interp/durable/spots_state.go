package durable

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ftsh/ast"
)

// Mended returns what the journal says once a person has decided, who saw what it said before.
func (s *Script) Mended(file *ast.File, before []Spot) []Spot {
	type place struct {
		pos    ast.Pos
		branch string
	}
	begun := map[place]bool{}
	for _, b := range before {
		if b.Stands() && b.Mark != markHere {
			begun[place{b.Pos, b.Branch}] = true
		}
	}
	now, _ := s.Spots(file, nil, false)
	for i := range now {
		if at := &now[i]; at.Mark == markHere && !at.parts && begun[place{at.Pos, at.Branch}] {
			at.Mark = markAgain
		}
	}
	return now
}

// mostScopes limits the branches and functions of which variables are shown.
const mostScopes = 20

// variables tells of those that a node has; locals are the names of a function's.
func (v *spots) variables(node, title string, locals []string) {
	if v.scopes++; !v.wanted || v.scopes > mostScopes {
		return
	}
	values := map[string]string{}
	var args struct{ Words []Value }
	read(v.image, node, "args", &args)
	for i, word := range args.Words {
		values[fmt.Sprintf("$%d", i+1)] = word.shown()
	}
	for _, key := range v.image.Keys(node) {
		var saved struct {
			Value
			Unset bool
		}
		kind, name, _ := strings.Cut(key, ":")
		if n, err := strconv.Atoi(name); kind == "l" && err == nil && n < len(locals) {
			name = locals[n]
		}
		if (kind == "v" || kind == "l") && read(v.image, node, key, &saved) && !saved.Unset {
			values[name] = saved.shown()
		}
	}
	if title != "" {
		title += ": "
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v.state = append(v.state, title+name+"="+values[name])
	}
}
