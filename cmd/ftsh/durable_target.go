package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/interp/durable"
	"ftsh/interp/durable/filestate"
	"ftsh/interp/journal"
	"ftsh/parser"
)

// targetFacts says of the files that a command was to write whether they were changed since it began.
func (d *durableRun) targetFacts(u durable.Undecided) (facts []string) {
	file, err := parser.Parse(&ast.Source{Text: u.Text}, parser.Config{})
	if err != nil {
		return nil // the statement goes on in other lines
	}
	where := stateAt{d.journal.Image(), u.Node}
	ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
		r, ok := node.(*ast.Redirect)
		if !ok || r.Op != ast.Atomic && r.Op != ast.Out && r.Op != ast.Append && r.Op != ast.Both && r.Op != ast.AppendBoth {
			return true
		}
		if name, known := where.fileName(r.Target); known {
			written, at, err := filestate.Since(name, filestate.Moment{At: u.Began, Apart: u.ClockSet})
			facts = append(facts, describeChange(name, r.Op == ast.Atomic, written, at, err))
		}
		return true
	})
	return facts
}

// describeChange says what was found out about a file.
func describeChange(name string, atomic bool, written filestate.Written, at time.Time, err error) string {
	verb := "written to"
	if atomic {
		verb = "replaced"
	}
	if err != nil {
		return fmt.Sprintf("%s cannot be looked at: %v", name, err)
	}
	unknown := fmt.Sprintf("whether %s was %s since then cannot be said: ", name, verb)
	switch written {
	case filestate.Missing:
		return name + " is not there"
	case filestate.NotWritten:
		return fmt.Sprintf("%s was not %s since then", name, verb)
	case filestate.WasWritten:
		return fmt.Sprintf("%s was %s after that, %s", name, verb, at.Format(time.DateTime))
	case filestate.Remote:
		return unknown + "its time, " + at.Format(time.DateTime) + ", is that of another machine"
	case filestate.Future:
		return unknown + "its time, " + at.Format(time.DateTime) + ", is still to come"
	}
	return unknown + "its time, " + at.Format("2006-01-02 15:04:05.000") +
		", is too close to the beginning, or was set by hand"
}

// stateAt is the state of a script at a node of its journal.
type stateAt struct {
	image *journal.Image
	node  string
}

// findKey gives the value of a key that the node has, or the closest around it: a branch has what differs from what is
// around it.
func (s stateAt) findKey(key string) (text json.RawMessage, found bool) {
	for node := s.node; ; node = node[:max(0, strings.LastIndexByte(node, '/'))] {
		if text, found = s.image.Get(node, key); found || node == "" {
			return text, found
		}
	}
}

// inFunction reports whether the node is in a function that is running, which may have variables of its own.
func (s stateAt) inFunction() bool {
	for node := s.node; node != ""; node = node[:max(0, strings.LastIndexByte(node, '/'))] {
		for _, name := range s.image.Keys(node) {
			if strings.HasPrefix(name, "l:") {
				return true
			}
		}
	}
	return false
}

// fileName returns the name that a word stands for, if it consists of text and of variables that the journal knows
// for certain.
func (s stateAt) fileName(word *ast.Word) (name string, known bool) {
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			name += part.Text
		case *ast.Ref:
			value, certain := s.findVariable(part)
			if !certain {
				return "", false
			}
			name += value
		default:
			return "", false
		}
	}
	if filepath.IsAbs(name) {
		return name, true
	}
	var dir journal.Text
	text, found := s.findKey("dir")
	if !found || json.Unmarshal(text, &dir) != nil {
		return "", false
	}
	return filepath.Join(string(dir), name), true
}

// findVariable returns the value of a reference; it is not certain where a function may have one of that name, too.
func (s stateAt) findVariable(r *ast.Ref) (value string, certain bool) {
	if r.Kind != ast.Variable || r.Default != nil || r.Portion != ast.Whole || s.inFunction() {
		return "", false
	}
	var saved struct {
		Text *string `json:"text"`
	}
	text, found := s.findKey("v:" + r.Name)
	if !found || json.Unmarshal(text, &saved) != nil || saved.Text == nil {
		return "", false
	}
	return *saved.Text, true
}
