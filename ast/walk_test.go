package ast_test

import (
	"fmt"
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
