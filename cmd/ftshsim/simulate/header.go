package simulate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ftsh/ast"
	"ftsh/ast/diag"
	"ftsh/ast/printer"
	"ftsh/parser"
)

// WithResource returns the script with a resource of these settings, lines such as
// "slots 20". By it go the tries that [Script.WithBackoff] changes, as far as they have a
// time limit, no resource of their own, and no other such try inside.
func (s *Script) WithResource(settings string) (*Script, error) {
	changed := *s
	changed.settings = settings
	_, err := parser.Parse(&ast.Source{Name: "resource", Text: changed.Resource("resource")}, parser.Config{})
	if list, ok := errors.AsType[diag.List](err); ok {
		return nil, fmt.Errorf("resource %q: %s", settings, list[0].Message)
	}
	return &changed, nil
}

// Resource is the statement that describes the resource of [Script.WithResource]; "" if
// there is none.
func (s *Script) Resource(name string) string {
	if s.settings == "" {
		return ""
	}
	text := "resource " + name + "\n"
	for line := range strings.Lines(s.settings) {
		text += "    " + strings.TrimSpace(line) + "\n"
	}
	return text + "end\n"
}

// Header is the first line of a try.
type Header struct {
	Pos  ast.Pos
	Text string // with all changes
}

// Headers are those of the tries that WithBackoff changes. A script without any has none.
func (s *Script) Headers() (list []Header) {
	eachTry(s.parseTree(), func(at ast.Pos, try *ast.Try) {
		if !waitsBetween(try) {
			return
		}
		alone := *try
		alone.Body, alone.Verify, alone.Catch, alone.Finally = ast.Group{}, nil, nil, nil
		var text strings.Builder
		_ = printer.Print(&text, &ast.File{Body: ast.Group{List: []ast.Stmt{{Node: &alone}}}}) // a Builder takes it all
		list = append(list, Header{at, strings.TrimSuffix(text.String(), "\nend\n")})
	})
	return list
}

// ResourceName names the resource of WithResource in the script.
func (s *Script) ResourceName() string {
	file, _ := parser.Parse(&ast.Source{Name: s.Name, Text: s.text}, parser.Config{})
	name := "server"
	for slices.ContainsFunc(file.Resources, func(r *ast.Resource) bool { return r.Name == name }) {
		name += "x"
	}
	return name
}

// addResource adds the resource to a tree.
func (s *Script) addResource(file *ast.File) {
	name := s.ResourceName()
	text := s.Resource(name) + "try for 1 s via " + name + "\nend\n"
	added, _ := parser.Parse(&ast.Source{Name: s.Name, Text: text}, parser.Config{})
	via := added.Body.List[len(added.Body.List)-1].Node.(*ast.Try).Via
	file.Resources = append(file.Resources, added.Resources...)
	eachTry(file, func(_ ast.Pos, try *ast.Try) {
		if goesBy(try) && !slices.ContainsFunc(triesWithin(try), goesBy) {
			try.Via = via
		}
	})
}

// goesBy reports whether a try can go by another resource.
func goesBy(try *ast.Try) bool { return waitsBetween(try) && try.For != nil && try.Via == nil }

// triesWithin are the tries in the group of another.
func triesWithin(try *ast.Try) (list []*ast.Try) {
	triesIn(&try.Body, func(_ ast.Pos, inner *ast.Try) { list = append(list, inner) })
	return list
}
