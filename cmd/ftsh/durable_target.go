package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ftsh/ast"
	"ftsh/interp"
	"ftsh/interp/journal"
	"ftsh/parser"
)

// targets says of the files that a command was to write whether they were changed since it began.
func (d *durable) targets(u interp.Undecided) (facts []string) {
	file, err := parser.Parse(&ast.Source{Text: u.Text}, parser.Config{})
	if err != nil {
		return nil // the statement goes on in other lines
	}
	image := d.journal.Image()
	ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
		r, ok := node.(*ast.Redirect)
		if !ok || r.Op != ast.Atomic && r.Op != ast.Out && r.Op != ast.Append && r.Op != ast.Both && r.Op != ast.AppendBoth {
			return true
		}
		if name, known := fileName(image, r.Target); known {
			facts = append(facts, changed(name, r.Op == ast.Atomic, u.Began))
		}
		return true
	})
	return facts
}

// changed says whether a file was changed since a moment.
func changed(name string, atomic bool, since time.Time) string {
	verb := "written to"
	if atomic {
		verb = "replaced"
	}
	info, err := os.Stat(name)
	switch {
	case os.IsNotExist(err):
		return fmt.Sprintf("%s is not there", name)
	case err != nil:
		return fmt.Sprintf("%s cannot be looked at: %v", name, unwrapped(err))
	case info.ModTime().Before(since):
		return fmt.Sprintf("%s was not %s since then", name, verb)
	}
	return fmt.Sprintf("%s was %s after that, %s", name, verb, info.ModTime().Format(time.DateTime))
}

// fileName is what a word comes to, if it consists of text and of variables that the journal knows
// for certain.
func fileName(image *journal.Image, word *ast.Word) (name string, known bool) {
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *ast.Lit:
			name += part.Text
		case *ast.Ref:
			value, certain := variable(image, part)
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
	var dir string
	text, found := image.Get("", "dir")
	if !found || json.Unmarshal(text, &dir) != nil {
		return "", false
	}
	return filepath.Join(dir, name), true
}

// variable is what a reference comes to; it is not certain where a function or a branch may have one of that name, too.
func variable(image *journal.Image, r *ast.Ref) (value string, certain bool) {
	if r.Kind != ast.Variable || r.Default != nil || r.Portion != ast.Whole || shadowed(image, "", "v:"+r.Name) {
		return "", false
	}
	var saved struct {
		Text *string `json:"text"`
	}
	text, found := image.Get("", "v:"+r.Name)
	if !found || json.Unmarshal(text, &saved) != nil || saved.Text == nil {
		return "", false
	}
	return *saved.Text, true
}

// shadowed reports whether a function or a branch that is running has variables of its own.
func shadowed(image *journal.Image, path, key string) bool {
	for _, child := range image.Children(path) {
		child = strings.TrimPrefix(path+"/"+child, "/")
		for _, name := range image.Keys(child) {
			if name == key || strings.HasPrefix(name, "l:") || name == "dir" {
				return true
			}
		}
		if shadowed(image, child, key) {
			return true
		}
	}
	return false
}
