package parser

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ftsh/ast"
)

var commentsCases = ast.Source{Text: `#!/usr/bin/ftsh
# first

# second
a # after a;

b; c # after c
try 5 times # after try
	# in front of d

	d
	# tail of the group
catch # after catch
	# tail of catch

	# more of it
end > f # after end
cat << E # after cat
body
E
# after the body
e |
	# moved
	f \
	# after f

# tail

# the end`}

func TestComments(t *testing.T) {
	file, err := Parse(&commentsCases, Config{})
	if err != nil {
		t.Fatal(err)
	}
	type around struct {
		Before []ast.Comment
		Blank  bool
		After  string
	}
	of := func(s ast.Stmt) around { return around{s.Before, s.Blank, s.After} }
	list := file.Body.List
	want := []around{
		{[]ast.Comment{{Text: "#!/usr/bin/ftsh"}, {Text: "# first"}, {Text: "# second", Blank: true}}, false, "# after a;"},
		{nil, true, ""},
		{nil, false, "# after c"},
		{nil, false, "# after end"},
		{nil, false, "# after cat"},
		{[]ast.Comment{{Text: "# after the body"}, {Text: "# moved"}}, false, "# after f"},
	}
	if len(list) != len(want) {
		t.Fatalf("%d statements", len(list))
	}
	for i, s := range list {
		if diff := cmp.Diff(want[i], of(s)); diff != "" {
			t.Errorf("statement %d:\n%s", i, diff)
		}
	}
	try := list[3].Node.(*ast.Try)
	if try.Body.After != "# after try" || try.Catch.After != "# after catch" {
		t.Errorf("after the first line: %q, %q", try.Body.After, try.Catch.After)
	}
	d := around{[]ast.Comment{{Text: "# in front of d"}}, true, ""}
	if diff := cmp.Diff(d, of(try.Body.List[0])); diff != "" {
		t.Error(diff)
	}
	for _, tail := range []struct{ got, want []ast.Comment }{
		{try.Body.Tail, []ast.Comment{{Text: "# tail of the group"}}},
		{try.Catch.Tail, []ast.Comment{{Text: "# tail of catch"}, {Text: "# more of it", Blank: true}}},
		{file.Body.Tail, []ast.Comment{{Text: "# tail", Blank: true}, {Text: "# the end", Blank: true}}},
	} {
		if diff := cmp.Diff(tail.want, tail.got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOnlyComments(t *testing.T) {
	for _, text := range []string{"", "\n", "# a", "# a\n", "\r\n;; \t\n", "\\\n", "#!x"} {
		file, err := Parse(&ast.Source{Text: text}, Config{})
		if err != nil || len(file.Body.List) != 0 {
			t.Errorf("%q: %v", text, err)
		}
		if hash := text != "" && (text[0] == '#'); hash != (len(file.Body.Tail) == 1) {
			t.Errorf("%q: comments %v", text, file.Body.Tail)
		}
	}
}

func TestPositions(t *testing.T) {
	src := &ast.Source{Name: "s", Text: "é \"ü\" $x\r\n\techo a \\\n  \"b\nc$y\" $z > f\ncat << E\nä${v}\nE\n"}
	file, err := Parse(src, Config{})
	if err != nil {
		t.Fatal(err)
	}
	first, echo := file.Body.List[0].Node.(*ast.Command), file.Body.List[1].Node.(*ast.Command)
	cat := file.Body.List[2].Node.(*ast.Command)
	for _, test := range []struct {
		pos  ast.Pos
		want string
		text string
	}{
		{first.Words[2].Pos, "s:1:7", "$x"},
		{first.Words[2].Parts[0].(*ast.Ref).Pos, "s:1:7", "$x"},
		{file.Body.List[1].Pos, "s:2:2", "echo"},
		{echo.Words[2].Pos, "s:3:3", "\"b"},
		{echo.Words[2].Parts[1].(*ast.Ref).Pos, "s:4:2", "$y"},
		{echo.Words[3].Parts[0].(*ast.Ref).Pos, "s:4:6", "$z"},
		{echo.Redirects[0].Pos, "s:4:9", "> f"},
		{cat.Redirects[0].Body.Parts[1].(*ast.Ref).Pos, "s:6:2", "${v}"},
	} {
		if test.pos.String() != test.want || src.Text[test.pos.Offset:][:len(test.text)] != test.text {
			t.Errorf("%s at %v: %q", test.text, test.pos, src.Text[test.pos.Offset:])
		}
	}
}
