package ast_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ftsh/ast"
	"ftsh/parser"
)

// TestWalk holds that all is visited in the order of the text, and knows where it stands.
func TestWalk(t *testing.T) {
	const text = `resource r
    slots $a
    breaker $b failures in $c s
    sense
        p $d
    end
end
function f
    try for $e s or $g times each $h s backoff full by $i only on $j matching "$k" via r key $l
        x=f($m) .add. ($n)
    verify
        p < $o | q $p
    catch
        if $q .eq. 1
            p
        else if try p $r
            q "${s:-$t}"
        else
            return $u
        end
    finally
        for y in $v 1 .to. $w .step. $y
            while .not. $z
                shift $A
            end
        end > $B
    end
end
`
	file, err := parser.Parse(&ast.Source{Name: "x", Text: text}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	deepest := 0
	ast.Walk(&file.Body, nil, func(node any, in *ast.Place) bool {
		depth := 0
		for p := in; p != nil; p = p.Outer {
			depth++
		}
		deepest = max(deepest, depth)
		if ref, ok := node.(*ast.Ref); ok {
			names = append(names, ref.Name)
			if _, word := in.Node.(*ast.Word); !word {
				t.Errorf("$%s stands in %T", ref.Name, in.Node)
			}
		}
		return true
	})
	if got := strings.Join(names, ""); got != "abcdeghijklmnopqrstuvwyzAB" {
		t.Errorf("visited %s", got)
	}
	if deepest < 10 {
		t.Errorf("the deepest place is %d deep", deepest)
	}
}

// TestWalkSkips holds that what visit declines is not entered.
func TestWalkSkips(t *testing.T) {
	file, err := parser.Parse(&ast.Source{Name: "x", Text: "try\np $a\nend\nq $b\n"}, parser.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	ast.Walk(&file.Body, nil, func(node any, _ *ast.Place) bool {
		if ref, ok := node.(*ast.Ref); ok {
			seen = append(seen, ref.Name)
		}
		_, try := node.(*ast.Try)
		return !try
	})
	if fmt.Sprint(seen) != "[b]" {
		t.Errorf("seen %v", seen)
	}
}

// TestWalkTry holds that each part of a try is visited, also of a clause that is new.
func TestWalkTry(t *testing.T) {
	parts := map[string]any{}
	whole := &ast.Try{}
	fields := reflect.ValueOf(whole).Elem()
	for i := range fields.NumField() {
		field, name := fields.Field(i), fields.Type().Field(i).Name
		switch {
		case name == "Via": // a name, in which nothing can stand
			continue
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
			parts[name] = field.Interface()
		case field.Kind() == reflect.Interface:
			field.Set(reflect.ValueOf(&ast.Operand{Word: &ast.Word{}}))
			parts[name] = field.Interface()
		default:
			parts[name] = field.Addr().Interface()
		}
	}
	parts["Backoff"] = &ast.Period{} // stands for its four
	whole.Backoff.From = parts["Backoff"].(*ast.Period)
	visited := map[any]bool{}
	ast.Walk(&ast.Group{List: []ast.Stmt{{Node: whole}}}, nil, func(node any, _ *ast.Place) bool {
		visited[node] = true
		return true
	})
	for name, part := range parts {
		if !visited[part] {
			t.Errorf("the walk of a try leaves out its %s", name)
		}
	}
}
